"""The blast radius by truth: symbols broken on purpose, and the test files that fail because of each.

    ASSAY_BENCH_REPOSITORIES=/path/click:/path/immer make bench PYTEST_ARGS="-k blast_radius -s"

Each checkout needs its environment (`broken_symbols.py`) and a row in `blast_radius.yml`. `ASSAY_BENCH_TRUTH` names a
folder that keeps the failing files, so that a second run measures without breaking anything again. With coverage, a
Python suite is run once more under `coverage` with a context for each test.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from assay.validators.graph.blast_radius import Affected, blast_radius
from assay.validators.graph.contexts import contexts_of
from assay.validators.graph.import_graph import build_graph
from assay.validators.report.risk_facts import LineContexts
from assay.validators.tools.coverage.contexts import read_contexts
from assay.validators.vcs.repository import Repository
from tests.bench.broken_symbols import Suite, Truth, truth_of
from tests.tables import read_yaml

REPOSITORIES = [Path(part) for part in os.environ.get("ASSAY_BENCH_REPOSITORIES", "").split(":") if part]
SUITES = read_yaml(Path(__file__).with_name("blast_radius.yml"))
COUNT = 20
SEED = 1


@dataclass(frozen=True, slots=True)
class Measured:
    """One broken symbol: the failing test files, and the ranked ones with their standing."""

    failed: frozenset[str]
    ranked: Sequence[Affected]

    @property
    def first(self) -> set[str]:
        return {one.path for one in self.ranked if one.runs_first}

    @property
    def every(self) -> set[str]:
        return {one.path for one in self.ranked}

    def fails_within(self, most: int) -> bool:
        """Return whether a failing test is among the first ones."""
        return bool({one.path for one in self.ranked[:most]} & self.failed)


@pytest.mark.bench
@pytest.mark.timeout(36_000)
@pytest.mark.skipif(not REPOSITORIES, reason="ASSAY_BENCH_REPOSITORIES names the checkouts")
def test_blast_radius_by_truth(tmp_path: Path) -> None:
    columns = "repository,breaks,files,all: recall,precision,run first: recall,precision,mean per break,top 5,top 1"
    table = Table(title="run first, all: recall and precision over all breaks together, then the mean of each break's")
    for title in (*columns.split(","), "half: recall", "of time"):
        table.add_column(title)
    results: list[list[Measured]] = []
    for root in REPOSITORIES:
        truth = _truth(root)
        for title, contexts in _kinds(root, tmp_path):
            measured = _measured(root, truth, contexts)
            table.add_row(f"{root.name}{title}", *_row(measured, truth))
            results.append(measured)
    Console(width=190).print(table)
    every = [one for measured in results for one in measured]
    assert _recall(every, lambda one: one.every) >= 0.97
    assert sum(one.fails_within(5) for one in every) >= 0.9 * len(every)


def _truth(root: Path) -> Truth:
    kept = os.environ.get("ASSAY_BENCH_TRUTH")
    file = Path(kept) / f"{root.name}.json" if kept else None
    if file is not None and file.exists():
        return Truth.read(file)
    row = SUITES[root.name]
    truth = truth_of(root, Suite(row["sources"], row.get("arguments", ())), COUNT, SEED)
    if file is not None:
        truth.write(file)
    return truth


def _kinds(root: Path, scratch: Path) -> list[tuple[str, LineContexts | None]]:
    """Return the ways to measure a checkout: from its code alone and, for Python, with coverage."""
    kinds: list[tuple[str, LineContexts | None]] = [("", None)]
    if (root / ".venv").exists():
        data = _coverage(root, scratch)
        with Repository(root) as repository:
            kinds.append((" with coverage", read_contexts(data, repository.tree("HEAD").paths)))
    return kinds


def _coverage(root: Path, scratch: Path) -> Path:
    """Run the suite with a context for each test, and return coverage.py's data file."""
    row = SUITES[root.name]
    kept = os.environ.get("ASSAY_BENCH_TRUTH")
    data = Path(kept or scratch) / f"{root.name}.coverage"
    if not data.exists():
        options = [f"--cov={source}" for source in row["sources"]]
        options += ["--cov-context=test", "--cov-report=", "--cov-config=/dev/null", "-q", "-p", "no:cacheprovider"]
        command = ["nice", ".venv/bin/python", "-m", "pytest", *options, "--rootdir=.", *row.get("arguments", ())]
        environment = os.environ | {"COVERAGE_FILE": str(data)}
        environment.pop("PYTHONPATH", None)
        subprocess.run(command, cwd=root, env=environment, check=False, capture_output=True)
    return data


def _measured(root: Path, truth: Truth, lines: LineContexts | None) -> list[Measured]:
    found: list[Measured] = []
    with Repository(root) as repository:
        tree = repository.tree("HEAD")
        graph = build_graph(tree)
        for broken in truth.broken:
            symbols = {broken.path: (broken.name,)}
            contexts = contexts_of(lines, tree, symbols) if lines is not None else None
            affected = blast_radius(graph, symbols, [broken.path], contexts=contexts).affected
            tests = [one for one in affected if one.path in truth.seconds]
            found.append(Measured(frozenset(broken.failed), tests))
    return found


def _row(measured: Sequence[Measured], truth: Truth) -> list[str]:
    size = len(measured)
    each = [(len(one.first & one.failed), len(one.first), len(one.failed)) for one in measured]
    means = f"{sum(h / f for h, _, f in each) / size:.2f}, {sum(h / max(1, n) for h, n, _ in each) / size:.2f}"
    halves = [{test.path for test in one.ranked[: (len(one.ranked) + 1) // 2]} for one in measured]
    time = sum(truth.seconds.values())
    spent = [sum(truth.seconds[path] for path in half) / time for half in halves]
    caught = sum(bool(half & one.failed) for half, one in zip(halves, measured, strict=True))
    return [
        str(size),
        str(len(truth.seconds)),
        f"{_recall(measured, lambda one: one.every):.2f}",
        f"{_precision(measured, lambda one: one.every):.2f}",
        f"{_recall(measured, lambda one: one.first):.2f}",
        f"{_precision(measured, lambda one: one.first):.2f}",
        means,
        f"{sum(one.fails_within(5) for one in measured)}",
        f"{sum(one.fails_within(1) for one in measured)}",
        f"{caught} of {size}",
        f"{sum(spent) / size:.2f}",
    ]


def _recall(measured: Sequence[Measured], chosen: Callable[[Measured], Collection[str]]) -> float:
    hits = sum(len(one.failed & set(chosen(one))) for one in measured)
    return hits / sum(len(one.failed) for one in measured)


def _precision(measured: Sequence[Measured], chosen: Callable[[Measured], Collection[str]]) -> float:
    hits = sum(len(one.failed & set(chosen(one))) for one in measured)
    return hits / max(1, sum(len(chosen(one)) for one in measured))
