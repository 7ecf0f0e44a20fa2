"""What the baselines score, by category: the figures of docs/memory/baselines.md.

make bench PYTEST_ARGS="-k memory_baselines"

`ASSAY_BENCH_TURNS`, `ASSAY_BENCH_QUESTIONS` and `ASSAY_BENCH_SEEDS` (a comma between) ask for another size. Each figure
is the mean over the seeds' questions with its 95 % bootstrap interval, printed as the rows of the page's table.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict

import pytest

from assay.memory_eval import EvalReport, EvalRunner
from assay.memory_eval.adapters.baseline_agent import BASELINES
from assay.memory_eval.adapters.naming import agent_from
from assay.statistics import interval_of_scores, mean

NUM_TURNS = int(os.environ.get("ASSAY_BENCH_TURNS", "1000"))
NUM_QUESTIONS = int(os.environ.get("ASSAY_BENCH_QUESTIONS", "200"))
SEEDS = [int(seed) for seed in os.environ.get("ASSAY_BENCH_SEEDS", "1,2,3,4,5").split(",")]


@pytest.mark.bench
@pytest.mark.timeout(3600)
def test_the_baselines_score_what_the_page_says() -> None:
    began_at_s = time.monotonic()
    reports = {name: [_examined(name, seed) for seed in SEEDS] for name in BASELINES}
    took_s = time.monotonic() - began_at_s
    print(f"\n{NUM_TURNS:,} turns, {NUM_QUESTIONS} questions, seeds {SEEDS}; {took_s:.0f} s for all\n")
    print(f"| category | {' | '.join(BASELINES)} |\n|---{'|---:' * len(BASELINES)}|")
    categories = sorted({result.category for result in reports["bm25"][0].results})
    for category in [*categories, None]:
        row = " | ".join(_cell(reports[name], category) for name in BASELINES)
        print(f"| {category or '**all**'} | {row} |")
    assert all(report.valid for of_one in reports.values() for report in of_one)
    overall = {
        name: mean([report.overall_score or 0.0 for report in of_one]) or 0.0 for name, of_one in reports.items()
    }
    assert overall["nothing"] <= 0.05
    assert overall["transcript"] <= 0.05
    assert 0.15 < overall["bm25"] < 0.6
    assert 0.15 < overall["embeddings"] < 0.6


def _examined(name: str, seed: int) -> EvalReport:
    runner = EvalRunner(NUM_TURNS, NUM_QUESTIONS, seed, grading="deterministic", measures_memory=False)
    return runner.run(agent_from(f"baseline:{name}"))


def _cell(reports: list[EvalReport], category: str | None) -> str:
    """`27 % (22 to 31)` over all seeds; `0 %` where every answer scored the same."""
    groups: dict[int, list[float]] = defaultdict(list)
    for place, report in enumerate(reports):
        groups[place] = [one.score or 0.0 for one in report.results if category in (None, one.category)]
    interval = interval_of_scores(list(groups.values()))
    middle = mean([score for group in groups.values() for score in group])
    assert interval is not None
    assert middle is not None
    if len({score for group in groups.values() for score in group}) == 1:
        return f"{middle * 100:.0f} %"
    return f"{middle * 100:.0f} % ({interval.low * 100:.0f} to {interval.high * 100:.0f})"
