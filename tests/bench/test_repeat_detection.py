"""How well and how fast repeats are recognised, on what ships with the tests; docs/learning/repeats.md has the streams.

    make bench PYTEST_ARGS="-k repeat_detection"

With `ASSAY_STREAMS`, the folder of `tests.repeats.streams`, it mines and replays real streams as well.
"""

from __future__ import annotations

import os
import time
from dataclasses import astuple
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from assay.github_app.learning.extract.mining import mine
from assay.github_app.learning.extract.past_comments import PastComment, read_past_comments
from assay.github_app.rule_matching import Nearest
from tests.repeats.labelled import FOLDER, Split, pairs_of
from tests.repeats.measuring import Planted, embedder, planted, read_as_rules
from tests.repeats.replay import Join, replay
from tests.tables import read_yaml

MOST_S_FOR_1000_RULES = 0.02
MOST_CPU_S_FOR_1800 = 30.0


@pytest.mark.bench
@pytest.mark.timeout(1800)
def test_repeat_detection(tmp_path: Path) -> None:
    console = Console(width=140)
    table = Table("repeats", *Planted.__slots__)
    for name in ("planted", "written"):
        table.add_row(name, *map(str, astuple(planted(f"{name}_repeats.yaml"))))
    console.print(table)
    for split in Split:
        held, num_held, other, num_other = read_as_rules(split)
        console.print(f"{split}: {held} of {num_held} comments with a rule read, {other} of {num_other} without")
    took_s = time_of_1000_rules()
    console.print(f"one comment and 1,000 rules: {1000 * took_s:.0f} ms")
    cpu_s = cpu_of_mining([PastComment(body=text, author="bo", pull=at) for at, text in enumerate(_comments(1_800))])
    console.print(f"rules mine, 1,800 comments: {cpu_s:.1f} s of CPU")
    assert took_s < MOST_S_FOR_1000_RULES
    assert cpu_s < MOST_CPU_S_FOR_1800
    if folder := os.environ.get("ASSAY_STREAMS"):
        console.print(_streams(Path(folder)))


def time_of_1000_rules() -> float:
    """Seconds to compare a comment with 1,000 prepared rules; the best of five."""
    nearest, texts = Nearest(embedder()), _comments(1_000)
    nearest.scores("x", texts)
    times = []
    for place in range(5):
        began = time.perf_counter()
        nearest.scores(f"Can we use `withTenant{place}()` here, please?", texts)
        times.append(time.perf_counter() - began)
    return min(times)


def cpu_of_mining(comments: list[PastComment]) -> float:
    """Seconds of CPU to mine comments."""
    began = time.process_time()
    mine(comments, embedder())
    return time.process_time() - began


def _comments(num: int) -> list[str]:
    texts = [text for split in Split for pair in pairs_of(split) for text in (pair.a, pair.b)]
    texts += [
        text
        for name in ("planted", "written")
        for one in read_yaml(FOLDER / f"{name}_repeats.yaml")
        for text in one["comments"]
    ]
    return [texts[at % len(texts)] for at in range(num)]


def _streams(folder: Path) -> Table:
    table = Table("stream", "comments", "candidates on 2 pull requests", "CPU s", "queued per 100")
    for file in sorted(folder.glob("*.jsonl")):
        comments = list(read_past_comments(file))
        began = time.process_time()
        mined = mine(comments, embedder())
        cpu_s = time.process_time() - began
        found = replay(comments, [], embedder())
        candidates = sum(len(one.pulls) > 1 for one in mined.candidates)
        table.add_row(
            file.stem, str(len(comments)), str(candidates), f"{cpu_s:.1f}", f"{found.per_100(Join.queue):.1f}"
        )
    return table
