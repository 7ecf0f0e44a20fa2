"""How well and how fast repeats are recognised, on what ships with the tests; docs/learning/repeats.md has the streams.

    make bench PYTEST_ARGS="-k repeat_detection"

With `ASSAY_STREAMS`, the folder of `tests.repeats.streams`, it mines and replays real streams as well.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from assay.github_app.learning.extract.mining import mine
from assay.github_app.learning.extract.past_comments import PastComment, read_past_comments
from assay.github_app.rule_matching import CommentText, Comparer, RuleIndex, asked_for, stated
from tests.repeats.fitting import written
from tests.repeats.labelled import Split, pairs_of
from tests.repeats.measuring import NEGATIVES, embedder, planted, ranking
from tests.repeats.replay import Join, replay

MOST_S_FOR_1000_RULES = 0.2
MOST_CPU_S_FOR_1800 = 30.0


@pytest.mark.bench
@pytest.mark.timeout(1800)
def test_repeat_detection(tmp_path: Path) -> None:
    console = Console(width=140)
    table = Table("repeats", "written", "public", "to a wrong rule", "queued", "contrary in public", "near in public")
    for name in ("planted", "written"):
        one = planted(f"{name}_repeats.yaml")
        told = (one.num, one.public, one.wrong, one.queued, one.contrary_in_public, one.near_in_public)
        table.add_row(name, *map(str, told))
    console.print(table)
    table = Table(f"average precision, {NEGATIVES} others per pair", *Split)
    found = {split: ranking(split) for split in Split}
    for way in ("shipped", "cosine"):
        table.add_row(way, *(f"{found[split][way]:.3f}" for split in Split))
    console.print(table)
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
    index = RuleIndex(Comparer(embedder()), [stated(text) for text in _comments(1_000)])
    rule = asked_for(CommentText("Can we use `withTenant()` here, please?"))
    assert rule is not None
    times = []
    for _ in range(5):
        began = time.perf_counter()
        index.nearest(rule)
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
        text for name in ("planted", "written") for one in written(f"{name}_repeats.yaml") for text in one["comments"]
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
