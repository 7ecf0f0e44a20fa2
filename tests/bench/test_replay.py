"""Landed changes of real repositories, judged again: nothing crashes, every file is accounted for, and it is quick.

    ASSAY_BENCH_REPOSITORIES=/path/flask:/path/core ASSAY_BENCH_CHANGES=20 make bench PYTEST_ARGS="-k replay"

Without the variable this repository's own history serves. Reports are written to ASSAY_BENCH_REPORTS where that is set.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from assay.validators.change import ChangeSet
from assay.validators.configuration import load_configuration
from assay.validators.git import Repository
from assay.validators.pipeline import Options, validate
from assay.validators.read_change import read_change
from assay.validators.render import FORMATS
from assay.validators.report import RiskLevel, Tier, ValidationReport

ROOT = Path(__file__).resolve().parents[2]
REPOSITORIES = [Path(part) for part in os.environ.get("ASSAY_BENCH_REPOSITORIES", str(ROOT)).split(":") if part]
NUM_CHANGES = int(os.environ.get("ASSAY_BENCH_CHANGES", "20"))


@dataclass
class Tally:
    """What the replay of one repository adds up to."""

    seconds: list[float] = field(default_factory=list)
    levels: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    trouble: list[str] = field(default_factory=list)


@pytest.mark.bench
def test_replay_of_landed_changes() -> None:
    tallies = {path.name: _replay(path) for path in REPOSITORIES}
    Console(width=150).print(_table(tallies))
    for tally in tallies.values():
        Console(width=150).print(dict(tally.rules.most_common()))
    assert [line for tally in tallies.values() for line in tally.trouble] == []


def _replay(path: Path) -> Tally:
    tally = Tally()
    with Repository(path) as repository:
        for commit in _landed(path):
            began = time.monotonic()
            change = read_change(repository, f"{commit}^1", commit)
            config = load_configuration(change.base).config
            report = validate(change, config, Options(tiers=(Tier.quality, Tier.risk)))
            tally.seconds.append(time.monotonic() - began)
            _count(tally, report, f"{path.name} {commit[:10]}")
            tally.trouble += _unaccounted(path, change, report)
            _keep(path.name, commit, report)
    return tally


def _landed(path: Path) -> list[str]:
    """The newest first-parent commits that change something besides documentation and data."""
    wanted = ["--", "*.py", "*.ts", "*.tsx", "*.js", "*.vue", "*.sql", "*.yml", "*.toml", "package.json"]
    command = ["git", "-C", str(path), "log", "--first-parent", "--format=%H", f"-{NUM_CHANGES}", "HEAD", *wanted]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return [commit for commit in found if _has_parent(path, commit)]


def _has_parent(path: Path, commit: str) -> bool:
    command = ["git", "-C", str(path), "rev-parse", "-q", "--verify", f"{commit}^1"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _count(tally: Tally, report: ValidationReport, where: str) -> None:
    assert report.quality is not None
    assert report.risk is not None
    tally.levels[report.risk.level] += 1
    tally.rules.update(finding.rule for finding in report.quality.findings if finding.introduced)
    tally.trouble += [f"{where}: {note.what}: {note.why}" for note in report.not_checked if "could not run" in note.why]


def _unaccounted(path: Path, change: ChangeSet, report: ValidationReport) -> Iterator[str]:
    """Files git lists and the report does not, or the other way round."""
    command = ["git", "-C", str(path), "diff", "--name-only", "-M", "-z", change.merge_base, change.head_sha]
    listed = subprocess.run(command, capture_output=True, check=True).stdout.split(b"\0")
    ours = {os.fsencode(str(file["path"])) for file in report.files}
    for name in ours ^ {name for name in listed if name}:
        yield f"{path.name} {change.head_sha[:10]}: {name!r} is not accounted for"


def _keep(name: str, commit: str, report: ValidationReport) -> None:
    folder = os.environ.get("ASSAY_BENCH_REPORTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        Path(folder, f"{name}-{commit[:10]}.md").write_text(FORMATS["markdown"].render(report), encoding="utf-8")
        Path(folder, f"{name}-{commit[:10]}.json").write_text(FORMATS["json"].render(report), encoding="utf-8")


def _table(tallies: dict[str, Tally]) -> Table:
    table = Table(
        "repository", "changes", "s median", "s worst", *[str(level) for level in RiskLevel], "findings/change"
    )
    for name, tally in tallies.items():
        num = len(tally.seconds)
        table.add_row(
            name,
            str(num),
            f"{statistics.median(tally.seconds):.2f}" if num else "-",
            f"{max(tally.seconds, default=0):.2f}",
            *[str(tally.levels[level]) for level in RiskLevel],
            f"{sum(tally.rules.values()) / max(num, 1):.1f}",
        )
    return table
