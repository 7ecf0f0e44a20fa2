"""Levels of the landed changes of real repositories, by this version and by an earlier one.

    ASSAY_BENCH_REPOSITORIES=/path/httpx:/path/scrapy ASSAY_BENCH_CHANGES=25 ASSAY_BENCH_ROWS=/tmp/levels.jsonl \
        ASSAY_BENCH_BEFORE=/path/earlier/.venv/bin/assay make bench PYTEST_ARGS="-k risk_levels"

Takes the newest changes with source; `ASSAY_BENCH_STEP=12` every twelfth of them, and so reaches years back. Each
change is printed with its level, what set it, and its policy floors with their places: read them as the maintainer
would. `ASSAY_BENCH_REPORTS` names a folder for the reports, `ASSAY_BENCH_ROWS` a file that gets one JSON object per
change. Without `ASSAY_BENCH_REPOSITORIES` this repository's own history serves.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table

from assay.validators import Options, Tier, ValidationConfig, ValidationReport, validate
from assay.validators.changes.classify import Nature
from assay.validators.render.markdown import render
from assay.validators.report.model import RiskLevel, Statement
from assay.validators.risk.likelihood.kept_past import by_convention
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.conftest import ROOT
from tests.validators.risk.changes import places_of

REPOSITORIES = [Path(part) for part in os.environ.get("ASSAY_BENCH_REPOSITORIES", str(ROOT)).split(":") if part]
NUM_CHANGES = int(os.environ.get("ASSAY_BENCH_CHANGES", "30"))
STEP = int(os.environ.get("ASSAY_BENCH_STEP", "1"))
BEFORE = os.environ.get("ASSAY_BENCH_BEFORE")
ROWS = os.environ.get("ASSAY_BENCH_ROWS", os.devnull)
REPORTS = os.environ.get("ASSAY_BENCH_REPORTS")
MOST_HELD = 0.03
"""Share of changes whose policy floor may hold them; more, and a signal has to be sharpened."""
LEVELS = tuple(str(level) for level in RiskLevel)

Row = dict[str, Any]
"""One change: its level, what set it, its floors and hold, and the earlier level and hold."""


@pytest.mark.bench
@pytest.mark.timeout(14_400)
def test_risk_levels_of_landed_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSAY_NO_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    console = Console(width=160, markup=False, highlight=False)
    rows: list[Row] = []
    with Path(ROWS).open("w", encoding="utf-8") as file:
        for row in (row for path in REPOSITORIES for row in _replayed(path)):
            rows.append(row)
            print(json.dumps(row), file=file, flush=True)
            _tell(console, row)
    console.print(_table(rows))
    if BEFORE:
        console.print(_crossed(rows))
    assert [(row["sha"], row["failed"]) for row in rows if row["failed"]] == []
    # A handful of changes says nothing about shares.
    assert len(rows) < 50 or sum(row["held"] for row in rows) <= MOST_HELD * len(rows)


def _replayed(path: Path) -> Iterator[Row]:
    with Repository(path) as repository:
        for sha, subject in landed(path):
            began = time.monotonic()
            report = validate(read_change(repository, f"{sha}^1", sha), ValidationConfig(), Options(tiers=(Tier.risk,)))
            seconds = round(time.monotonic() - began, 2)
            assert report.risk is not None
            row = {
                "repository": name_of(path),
                "sha": sha,
                "subject": subject,
                "level": report.risk.level,
                "set_by": report.risk.set_by,
                "likelihood": report.risk.likelihood and report.risk.likelihood.level,
                "floors": [_floor(one) for one in report.risk.statements if one.level is not None],
                "held": report.hold,
                "failed": [f"{note.what}: {note.why}" for note in report.risk.not_checked if "failed" in note.why],
                "seconds": seconds,
            }
            _keep(report, row)
            yield row | (_before(path, sha) if BEFORE else {})


def name_of(path: Path) -> str:
    """The repository's name; a folder called `repo` is named after its parent."""
    return path.parent.name if path.name == "repo" else path.name


def landed(path: Path) -> Iterator[tuple[str, str]]:
    """(commit, subject) of the changes with source that landed on the branch, newest first, without the very first."""
    command = [
        "git",
        "-C",
        str(path),
        "log",
        "--first-parent",
        "--diff-merges=first-parent",
        "--name-only",
        "--no-renames",
    ]
    command += ["-z", "--format=%x01%H %P%x00%s%x00", f"-{100 * NUM_CHANGES * STEP}"]
    text = subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")
    records = [record.split("\0") for record in text.split("\x01")[1:]]
    with_source = (
        (ids.split()[0], subject)
        for ids, subject, *paths in records
        if " " in ids.strip() and any(by_convention(one.strip()) is Nature.source for one in paths if one.strip())
    )
    return islice(with_source, 0, NUM_CHANGES * STEP, STEP)


def _floor(said: Statement) -> dict[str, Any]:
    return {"kind": said.kind, "level": said.level, "places": places_of([said])}


def _before(path: Path, sha: str) -> Row:
    """Level and hold by the earlier version."""
    command = [str(BEFORE), "validate", "--no-model", "--tiers", "risk", "--base", f"{sha}^1", "--head", sha]
    run = subprocess.run([*command, "-f", "json", str(path)], capture_output=True, check=False, timeout=600)
    report = json.loads(run.stdout)
    return {"level_before": report["tiers"]["risk"]["level"], "held_before": report["hold"]}


def _keep(report: ValidationReport, row: Row) -> None:
    if REPORTS:
        Path(REPORTS).mkdir(parents=True, exist_ok=True)
        text = render(report)
        Path(REPORTS, f"{row['repository']}-{row['sha'][:10]}.md").write_text(
            f"<!-- {row['subject']} -->\n{text}", "utf-8"
        )


def _tell(console: Console, row: Row) -> None:
    by = " and ".join(row["set_by"])
    was = f" (was {row['level_before']})" if BEFORE else ""
    console.print(f"{row['level']:8} {by or '-':10}{was} {row['repository']} {row['sha'][:10]} {row['subject'][:80]}")
    for floor in row["floors"]:
        console.print(f"    {floor['kind']}")
        for place in floor["places"]:
            console.print(f"        {place}")


def _table(rows: list[Row]) -> Table:
    """Levels and holds by repository and version."""
    table = Table("repository", "version", "changes", *LEVELS, "floors", "held", "s median", "s worst")
    versions = ("_before", "") if BEFORE else ("",)
    names = list(dict.fromkeys(row["repository"] for row in rows))
    for name in [*names, "all"]:
        own = [row for row in rows if name in (row["repository"], "all")]
        for suffix in versions:
            levels = Counter(str(row[f"level{suffix}"]) for row in own)
            held = sum(row[f"held{suffix}"] for row in own)
            cells = [str(levels[level]) for level in LEVELS]
            seconds = [row["seconds"] for row in own]
            rest = ["", str(held), "", ""] if suffix else [str(sum(bool(row["floors"]) for row in own)), str(held)]
            rest += [] if suffix else [f"{statistics.median(seconds):.2f}", f"{max(seconds):.2f}"]
            table.add_row(name, "before" if suffix else "after", str(len(own)), *cells, *rest)
    return table


def _crossed(rows: list[Row]) -> Table:
    """Levels before, by levels after."""
    table = Table("before, down; after, across", *LEVELS, "together")
    pairs = Counter((row["level_before"], str(row["level"])) for row in rows)
    for before in LEVELS:
        cells = [pairs[before, after] for after in LEVELS]
        table.add_row(before, *map(str, cells), str(sum(cells)))
    return table
