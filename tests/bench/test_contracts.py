"""How many planted breaks `contracts` finds, and what it says about changes that were merged.

    ASSAY_BENCH_REPOSITORIES=/path/click:/path/core make bench PYTEST_ARGS="-k contracts"

Breaks are drawn by `ASSAY_BENCH_SEED` (1), `ASSAY_BENCH_PLANTS` (16) per repository, over all kinds alike. Merged code
is nearly always right, so each error about one of the last `ASSAY_BENCH_CHANGES` (100) changes on the first-parent line
is printed to be read.
"""

from __future__ import annotations

import os
import random
import subprocess
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from assay.validators.changes.change import ChangeSet
from assay.validators.configuration.model import ValidationConfig
from assay.validators.graph.import_graph import Graphs
from assay.validators.graph.scan_cache import default_cache
from assay.validators.progress import Deadline
from assay.validators.quality.contracts.contracts import Contracts
from assay.validators.quality.rule import QualityContext
from assay.validators.report.model import Finding, Severity
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.bench import planted_javascript, planted_python
from tests.bench.planted import Garden, Plant

REPOSITORIES = [Path(part) for part in os.environ.get("ASSAY_BENCH_REPOSITORIES", "").split(":") if part]
NUM_PLANTS = int(os.environ.get("ASSAY_BENCH_PLANTS", "16"))
NUM_CHANGES = int(os.environ.get("ASSAY_BENCH_CHANGES", "100"))
SEED = int(os.environ.get("ASSAY_BENCH_SEED", "1"))
LEAST_RECALL = 0.9
MOST_ERRORS = 0.01
"""Errors per merged change: above this share, some are certainly false."""
_SUFFIXES = (".py", ".ts", ".tsx", ".js", ".jsx", ".mts", ".mjs")

pytestmark = [
    pytest.mark.bench,
    pytest.mark.timeout(7200),
    pytest.mark.skipif(not REPOSITORIES, reason="ASSAY_BENCH_REPOSITORIES names the repositories to plant breaks in"),
]


def test_contracts_of_planted_breaks(tmp_path: Path) -> None:
    console = Console(width=180)
    planted: Counter[str] = Counter()
    found: dict[Severity, Counter[str]] = {severity: Counter() for severity in Severity}
    per_repository = Table("repository", "planted", "as error", "as warning", "missed")
    for source in REPOSITORIES:
        garden = Garden(source, tmp_path / source.name)
        counts: Counter[str] = Counter()
        for plant in _drawn(garden):
            planted[plant.kind] += 1
            with garden.planted(plant) as change:
                severity = _severity(plant, _findings(change))
            counts[str(severity)] += 1
            if severity is not None:
                found[severity][plant.kind] += 1
            else:
                console.print(escape(f"missed: {source.name} {plant.kind} {plant.path} {plant.symbol}"))
        total = counts.total()
        per_repository.add_row(source.name, *map(str, (total, counts["error"], counts["warning"], counts["None"])))
    console.print(per_repository)
    per_kind = Table("kind", "planted", "as error", "as warning", "recall of errors")
    for kind, count in sorted(planted.items()):
        errors, warnings = found[Severity.error][kind], found[Severity.warning][kind]
        per_kind.add_row(kind, str(count), str(errors), str(warnings), f"{errors / count:.2f}")
    console.print(per_kind)
    recall = found[Severity.error].total() / max(1, planted.total())
    console.print(f"{planted.total()} planted, recall of errors {recall:.3f}")
    assert planted.total() > 0
    assert recall >= LEAST_RECALL


def test_contracts_of_merged_changes() -> None:
    console = Console(width=180)
    table = Table("repository", "changes", "errors", "warnings")
    errors: list[str] = []
    num_changes = 0
    for path in REPOSITORIES:
        severities: Counter[str] = Counter()
        commits = _merged(path)
        with Repository(path) as repository:
            for commit in commits:
                for finding in _findings(read_change(repository, f"{commit}^", commit)):
                    severities[str(finding.severity)] += 1
                    text = f"{path.name} {commit[:10]} {finding.severity} {finding.rule}: {finding.message}"
                    console.print(escape(text))
                    errors += [text] if finding.severity is Severity.error else []
        num_changes += len(commits)
        table.add_row(path.name, str(len(commits)), str(severities["error"]), str(severities["warning"]))
    console.print(table)
    assert len(errors) <= MOST_ERRORS * num_changes, errors


def _drawn(garden: Garden) -> list[Plant]:
    """As many breaks of each kind as there are, in turn."""
    sources = garden.sources(_SUFFIXES)
    by_kind: dict[str, list[Plant]] = defaultdict(list)
    for plant in (*planted_python.plants(sources), *planted_javascript.plants(sources)):
        by_kind[plant.kind].append(plant)
    chance = random.Random(SEED)
    for each in by_kind.values():
        chance.shuffle(each)
    drawn: list[Plant] = []
    while len(drawn) < NUM_PLANTS and any(by_kind.values()):
        drawn += [each.pop() for _, each in sorted(by_kind.items()) if each]
    return drawn[:NUM_PLANTS]


def _findings(change: ChangeSet) -> list[Finding]:
    graphs = Graphs(change, default_cache())
    context = QualityContext(change, ValidationConfig(), Deadline(120), graphs)
    return [found for found in Contracts().check(context) if isinstance(found, Finding)]


def _severity(plant: Plant, findings: Sequence[Finding]) -> Severity | None:
    """The severity of the finding about a planted break; None where there is none."""
    about = [
        found for found in findings if f"`{plant.symbol}`" in found.message or f".{plant.symbol}`" in found.message
    ]
    return max((found.severity for found in about), key=lambda severity: severity.rank, default=None)


def _merged(path: Path) -> list[str]:
    command = [
        "git",
        "-C",
        str(path),
        "log",
        "--first-parent",
        "--format=%H",
        f"--max-count={NUM_CHANGES}",
        "--min-parents=1",
    ]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
