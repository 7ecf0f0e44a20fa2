"""Replay landed changes of real repositories, by this version and by an earlier one.

    ASSAY_BENCH_REPOSITORIES=/path/flask:/path/core ASSAY_BENCH_BEFORE=/path/earlier/.venv/bin/assay \
        make bench PYTEST_ARGS="-k replay"

Each change is validated by `assay validate --tiers quality,risk` in a process of its own. The table counts levels,
findings and unknowns and gives processor seconds, one row per repository and version. Without
`ASSAY_BENCH_REPOSITORIES` this repository's own history is replayed; reports go to `ASSAY_BENCH_REPORTS` if set.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table

from assay.validators.report.model import RiskLevel

ROOT = Path(__file__).resolve().parents[2]
REPOSITORIES = [Path(part) for part in os.environ.get("ASSAY_BENCH_REPOSITORIES", str(ROOT)).split(":") if part]
NUM_CHANGES = int(os.environ.get("ASSAY_BENCH_CHANGES", "20"))
BEFORE = os.environ.get("ASSAY_BENCH_BEFORE")
ASSAY = str(Path(sys.executable).with_name("assay"))
NUM_TIMED_CHANGES = 3
NUM_TIMED_RUNS = 7
"""Alternating runs per version and change; the median of their ratios is printed."""


@dataclass
class Tally:
    """Sums over the replayed changes of one repository."""

    seconds: list[float] = field(default_factory=list)
    levels: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    num_qualified: int = 0
    num_unknown: int = 0
    trouble: list[str] = field(default_factory=list)


@pytest.mark.bench
@pytest.mark.timeout(14_400)
def test_replay_of_landed_changes(tmp_path: Path) -> None:
    versions = {"before": BEFORE, "after": ASSAY} if BEFORE else {"after": ASSAY}
    tallies = {(name_of(path), version): Tally() for path in REPOSITORIES for version in versions}
    for path in REPOSITORIES:
        for commit in landed(path, NUM_CHANGES):
            for version, program in versions.items():
                _replay(program or ASSAY, path, commit, tallies[name_of(path), version], tmp_path / version)
    Console(width=150).print(_table(tallies))
    for (name, version), tally in tallies.items():
        Console(width=150).print(f"{name} {version}: {dict(tally.rules.most_common())}")
    assert [line for (_, version), tally in tallies.items() if version == "after" for line in tally.trouble] == []


@pytest.mark.bench
@pytest.mark.timeout(7200)
@pytest.mark.skipif(not BEFORE, reason="ASSAY_BENCH_BEFORE names the version to compare with")
def test_replay_time(tmp_path: Path) -> None:
    """Processor seconds of the newest changes of each repository, before and after, in alternating runs."""
    table = Table("repository", "change", "files", "before", "after", "ratio", "median of ratios")
    for path in REPOSITORIES:
        rows = []
        for commit in landed(path, NUM_TIMED_CHANGES):
            _timed_pair(path, commit, tmp_path)  # fills the caches
            pairs = [_timed_pair(path, commit, tmp_path) for _ in range(NUM_TIMED_RUNS)]
            before, after = (statistics.median(pair[side] for pair in pairs) for side in (0, 1))
            num_files = len(git(path, "ls-tree", "-r", "--name-only", commit).splitlines())
            rows.append((commit, num_files, before, after, statistics.median(pair[1] / pair[0] for pair in pairs)))
        middle = statistics.median(row[-1] for row in rows)
        for commit, num_files, before, after, ratio in rows:
            figures = (f"{before:.2f} s", f"{after:.2f} s", f"{ratio:.2f}")
            table.add_row(name_of(path), commit[:10], str(num_files), *figures, f"{middle:.2f}")
    Console(width=150).print(table)


def _timed_pair(path: Path, commit: str, folder: Path) -> tuple[float, float]:
    """Processor seconds of both versions; each keeps its own caches, which the other would discard."""
    output = folder / "report.json"
    wrong_before, before = _validate(str(BEFORE), path, commit, output, caches=folder / "before")
    wrong_after, after = _validate(ASSAY, path, commit, output, caches=folder / "after")
    assert (wrong_before, wrong_after) == ("", "")
    return before, after


def name_of(path: Path) -> str:
    """The repository's name; a folder called `repo` is named after its parent."""
    return path.parent.name if path.name == "repo" else path.name


def landed(path: Path, most: int) -> list[str]:
    """The newest first-parent commits that change more than documents."""
    spared = [":(exclude)*.md", ":(exclude)*.rst", ":(exclude)*.txt", ":(exclude)docs"]
    found = git(path, "log", "--first-parent", "--format=%H %P", f"-{most}", "HEAD", "--", ".", *spared)
    return [line.split()[0] for line in found.splitlines() if len(line.split()) > 1]


def git(path: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", str(path), *arguments], capture_output=True, text=True, check=True).stdout


def _replay(program: str, path: Path, commit: str, tally: Tally, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    output = folder / "report.json"
    markdown = folder / "report.md"
    complaint, seconds = _validate(program, path, commit, output, markdown=markdown, caches=folder / "caches")
    where = f"{name_of(path)} {commit[:10]}"
    if complaint:
        tally.trouble.append(f"{where}: {complaint}")
        return
    report = json.loads(output.read_text(encoding="utf-8"))
    tally.seconds.append(seconds)
    tally.levels[report["tiers"]["risk"]["level"]] += 1
    tally.rules.update(one["rule"] for one in report["tiers"]["quality"]["findings"] if one["introduced"])
    said = [
        one for tier in report["tiers"].values() if tier for one in (*tier["not_checked"], *tier.get("unknown", ()))
    ]
    tally.num_unknown += sum(one.get("question") is not None for one in said)
    tally.num_qualified += "unknown" in report["title"] or "could not be read" in report["title"]
    tally.trouble += _unaccounted(path, commit, report)
    _keep(f"{name_of(path)}-{commit[:10]}-{folder.name}", folder)


def _validate(
    program: str, path: Path, commit: str, output: Path, markdown: Path | None = None, caches: Path | None = None
) -> tuple[str, float]:
    """What went wrong, "" for nothing, and the processor seconds it took; `caches` is a folder for what a run keeps."""
    environment = dict(os.environ)
    if caches is not None:
        environment |= {"XDG_CACHE_HOME": str(caches), "PYTHONPYCACHEPREFIX": str(caches / "compiled")}
        for name in ("PYTHONDONTWRITEBYTECODE", "ASSAY_NO_CACHE"):
            environment.pop(name, None)
    command = [program, "validate", "--no-model", "--tiers", "quality,risk", "--base", f"{commit}^1", "--head", commit]
    command += ["-f", "json", "-o", str(output)]
    command += ["-f", "markdown", "-o", str(markdown)] if markdown else []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(
        [*command, str(path)], capture_output=True, text=True, check=False, timeout=600, env=environment
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return "" if run.returncode in (0, 1) else f"exit {run.returncode}: {run.stderr.strip()[-300:]}", seconds


def _unaccounted(path: Path, commit: str, report: dict[str, Any]) -> Iterator[str]:
    """Files git lists and the report does not, or the other way round."""
    listed = git(path, "diff", "--name-only", "-M", "-z", f"{commit}^1", commit).split("\0")
    for name in {str(file["path"]) for file in report["files"]} ^ {name for name in listed if name}:
        yield f"{name_of(path)} {commit[:10]}: {name!r} is not accounted for"


def _keep(name: str, folder: Path) -> None:
    kept = os.environ.get("ASSAY_BENCH_REPORTS")
    if kept:
        Path(kept).mkdir(parents=True, exist_ok=True)
        for form in ("md", "json"):
            Path(kept, f"{name}.{form}").write_bytes((folder / f"report.{form}").read_bytes())


def _table(tallies: dict[tuple[str, str], Tally]) -> Table:
    table = Table("repository", "version", "changes", *RiskLevel, "findings", "unknowns", "qualified", "CPU s, median")
    for (name, version), tally in tallies.items():
        table.add_row(
            name,
            version,
            str(len(tally.seconds)),
            *[str(tally.levels[level]) for level in RiskLevel],
            str(sum(tally.rules.values())),
            str(tally.num_unknown),
            str(tally.num_qualified),
            f"{statistics.median(tally.seconds):.2f}" if tally.seconds else "-",
        )
    return table
