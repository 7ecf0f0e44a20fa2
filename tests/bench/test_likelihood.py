"""How well the likelihood ranks later fixes in repositories that its weights were not fitted on.

    ASSAY_BENCH_LABELS=/path/labels ASSAY_BENCH_REPOSITORIES=/path/owner+name:… make bench PYTEST_ARGS="-k likelihood"

Labels and clones as `tests/bench/train_likelihood.py` reads them; eight repositories take about four minutes.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from rich.console import Console

from tests.bench.train_likelihood import figures_of, histories_of, leave_one_out, mean_of, table_of, time_split

LABELS = os.environ.get("ASSAY_BENCH_LABELS")
REPOSITORIES = [Path(part) for part in os.environ.get("ASSAY_BENCH_REPOSITORIES", "").split(":") if part]


@pytest.mark.bench
@pytest.mark.timeout(1800)
@pytest.mark.skipif(not LABELS or len(REPOSITORIES) < 2, reason="needs ASSAY_BENCH_LABELS and two labelled clones")
def test_likelihood_ranks_fixes_better_than_size() -> None:
    console = Console(width=150)
    histories = histories_of(Path(LABELS or ""), REPOSITORIES, console)
    others, newest = leave_one_out(histories), time_split(histories)
    console.print(table_of("Each repository by weights fitted on the others", others))
    console.print(table_of("The newest 30 % by weights fitted on the older 70 %", newest))
    mean = mean_of([figures_of(changes) for _, changes in others])
    assert mean.score >= mean.added + 0.015
    assert mean.score >= mean.churn + 0.04
    assert mean.same_size >= 0.65
    assert mean.label >= 0.73
    assert 0.03 <= mean.share_critical <= 0.08
    together = figures_of([change for _, changes in others for change in changes])
    assert together.rates[3] >= 9 * together.rates[0]
    assert sum(figures_of(changes).is_rising for _, changes in others) >= len(others) - 1
