"""How policy floors spread over the landed changes of real repositories, and how long a change takes.

    ASSAY_BENCH_REPOSITORIES=/path/flask:/path/core ASSAY_BENCH_CHANGES=60 make bench PYTEST_ARGS="-k risk_levels"

`ASSAY_BENCH_STEP=12` takes every twelfth change, and so reaches years back. Each change above medium is printed with
its reason: read them as the maintainer would. Without the variable this repository's own history serves.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from assay.validators.configuration.model import ValidationConfig
from assay.validators.report.model import RiskAssessment, RiskLevel
from assay.validators.risk.assess import assess_risk
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.conftest import ROOT

REPOSITORIES = [Path(part) for part in os.environ.get("ASSAY_BENCH_REPOSITORIES", str(ROOT)).split(":") if part]
NUM_CHANGES = int(os.environ.get("ASSAY_BENCH_CHANGES", "30"))
STEP = int(os.environ.get("ASSAY_BENCH_STEP", "1"))
MOST_HELD = 0.03
"""Share of ordinary changes whose policy floor may hold them; more, and a signal has to be sharpened."""


@dataclass
class Spread:
    """What the changes of one repository come to."""

    seconds: list[float] = field(default_factory=list)
    levels: Counter[RiskLevel] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)

    def share(self, level: RiskLevel) -> float:
        return self.levels[level] / max(1, self.levels.total())


@pytest.mark.bench
@pytest.mark.timeout(3600)
def test_risk_levels_of_landed_changes() -> None:
    console = Console(width=160)
    spreads = {path.name: _spread(path, console) for path in REPOSITORIES}
    console.print(_table(spreads))
    assert [line for spread in spreads.values() for line in spread.failed] == []
    # A handful of changes says nothing about shares.
    validated = {name: spread for name, spread in spreads.items() if spread.levels.total() >= 50}
    assert {name for name, spread in validated.items() if spread.share(RiskLevel.critical) > MOST_HELD} == set()


def _spread(path: Path, console: Console) -> Spread:
    spread = Spread()
    with Repository(path) as repository:
        for commit, subject in landed(path):
            change = read_change(repository, f"{commit}^1", commit)
            began = time.monotonic()
            assessment = assess_risk(change, ValidationConfig())
            spread.seconds.append(time.monotonic() - began)
            spread.levels[assessment.floor] += 1
            spread.failed += [
                f"{path.name} {commit}: {note}" for note in assessment.not_checked if "failed" in note.why
            ]
            _tell(console, assessment, f"{path.name} {commit[:10]} {subject[:80]}")
    return spread


def landed(path: Path) -> list[tuple[str, str]]:
    """(commit, subject) of the changes that landed on the branch, newest first, without the very first."""
    command = ["git", "-C", str(path), "log", "--first-parent", "--format=%H %P%x00%s", f"-{NUM_CHANGES * STEP}"]
    lines = subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace").splitlines()
    records = [line.partition("\0") for line in lines[::STEP]]
    return [(ids.split()[0], subject) for ids, _, subject in records if len(ids.split()) > 1]


def _tell(console: Console, assessment: RiskAssessment, what: str) -> None:
    if assessment.floor.at_least(RiskLevel.high):
        console.print(f"[bold]{assessment.floor}[/] {escape(what)}")
        for factor in assessment.factors:
            if factor.level is assessment.floor:
                console.print(f"    {escape(factor.signal)}: {escape(factor.reason)}")


def _table(spreads: dict[str, Spread]) -> Table:
    table = Table("repository", "changes", *(str(level) for level in RiskLevel), "median s", "worst s")
    for name, spread in spreads.items():
        shares = [f"{spread.share(level):.0%}" for level in RiskLevel]
        median, worst = statistics.median(spread.seconds), max(spread.seconds)
        table.add_row(name, str(spread.levels.total()), *shares, f"{median:.2f}", f"{worst:.2f}")
    return table
