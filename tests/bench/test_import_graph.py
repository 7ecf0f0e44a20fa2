"""Our import graph against others', on the same checkout in one run: which edges, and how long.

    ASSAY_BENCH_REPOSITORIES=/path/flask:/path/core make bench PYTEST_ARGS="-k import_graph"

Without the variable this repository itself serves. dependency-cruiser is installed by npm into a temporary folder.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from assay.validators.graph.import_graph import ImportGraph, build_graph
from assay.validators.graph.scan_cache import ScanCache
from assay.validators.vcs.repository import Repository
from tests.bench import import_graph_peers as peers
from tests.bench.import_graph_peers import Drawn, Edges, Seconds, best, run

ROOT = Path(__file__).resolve().parents[2]
REPOSITORIES = [Path(part) for part in os.environ.get("ASSAY_BENCH_REPOSITORIES", str(ROOT)).split(":") if part]
MOST_SHOWN = 12


@pytest.mark.bench
@pytest.mark.timeout(3600)
def test_import_graph_against_its_peers(tmp_path: Path) -> None:
    edges = _columns("edges", "repository", "files", "peer", "both", "only we", "of these: supplier", "only they")
    ours = ("graph cold", "graph warm", "second tree", "command cold", "command warm")
    times = _columns(
        "seconds by the clock / of the processors, best of three", "repository", *ours, "peer", "cold", "warm"
    )
    differences: list[str] = []
    missed: Edges = set()
    for path in REPOSITORIES:
        name = path.name
        graph, seconds = _ours(path, tmp_path / name)
        for peer in (peers.grimp, peers.ruff, peers.dependency_cruiser):
            drawn = peer(path, graph.files, tmp_path / name if peer is not peers.dependency_cruiser else tmp_path)
            if drawn is None:
                continue
            mine = _edges(graph, drawn)
            both, only_we, only_they = mine & drawn.edges, mine - drawn.edges, drawn.edges - mine
            suppliers = {edge for edge in only_we if _is_supplier(graph, edge, both)}
            row = (len(both), len(only_we), len(suppliers), len(only_they))
            edges.add_row(name, str(len(graph.files)), drawn.name, *map(str, row))
            times.add_row(name, *map(str, seconds), drawn.name, str(drawn.cold), str(drawn.warm or ""))
            differences += _shown(f"{name}: only {drawn.name}", only_they)
            differences += _shown(f"{name}: only we, against {drawn.name}", only_we - suppliers)
            missed |= only_they if drawn.name == "grimp" else set()
    console = Console(width=170)
    console.print(edges)
    console.print(times)
    for line in differences:
        console.print(line, highlight=False, soft_wrap=True)
    assert missed == set()


def _ours(path: Path, scratch: Path) -> tuple[ImportGraph, list[Seconds]]:
    """The graph of a checkout, and the seconds each way of getting it takes."""
    with Repository(path) as repository:
        folder, commit = repository.folder(), repository.tree("HEAD")
        assert folder.paths
        cold, graph = best(lambda: build_graph(folder))
        cache = ScanCache(scratch / "scans.sqlite")
        build_graph(folder, store=cache)
        warm, _ = best(lambda: build_graph(folder, store=cache))
        base = build_graph(commit)
        second, _ = best(lambda: build_graph(commit, known=base))
    environment = os.environ | {"XDG_CACHE_HOME": str(scratch), "ASSAY_NO_CACHE": ""}
    command = [str(Path(sys.executable).with_name("assay")), "graph", str(path)]
    without = environment | {"ASSAY_NO_CACHE": "1"}
    cold_command, _ = best(lambda: run(command, scratch, without), own=False)
    run(command, scratch, environment)
    warm_command, _ = best(lambda: run(command, scratch, environment), own=False)
    return graph, [cold, warm, second, cold_command, warm_command]


def _edges(graph: ImportGraph, drawn: Drawn) -> Edges:
    """Our edges between the files a peer looked at (of dependency-cruiser's importers, to whatever they import)."""
    if drawn.name == "dependency-cruiser":
        return {edge for edge in graph.graph.edges if edge[0] in drawn.files and not edge[0].endswith(".py")}
    return {edge for edge in graph.graph.edges if edge[0] in drawn.files and edge[1] in drawn.files}


def _is_supplier(graph: ImportGraph, edge: tuple[str, str], agreed: Edges) -> bool:
    """Whether an edge leads to the file that supplies a name, behind the module that both agree is imported."""
    importer, supplier = edge
    asked = {module for module in graph.imported_by(importer) if (importer, module) in agreed}
    behind = {one.path for one in graph.dependents([supplier])}
    return bool(asked & behind)


def _shown(title: str, found: Edges) -> list[str]:
    lines = [f"  {one} -> {other}" for one, other in sorted(found)[:MOST_SHOWN]]
    return [f"{title}: {len(found)}", *lines] if found else []


def _columns(title: str, *names: str) -> Table:
    table = Table(title=title)
    for at, name in enumerate(names):
        table.add_column(name, justify="left" if at == 0 or name == "peer" else "right")
    return table
