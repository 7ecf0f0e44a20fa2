"""Import cycles of Python modules that a change closes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import pairwise

from assay.validators.changes.change import ChangeSet, shown
from assay.validators.graph.import_graph import ImportGraph
from assay.validators.languages.python.module_files import is_module, is_package
from assay.validators.quality.design.finding import design_finding
from assay.validators.quality.design.former_paths import FormerPaths
from assay.validators.quality.design.imports import NewImport, folder_of, is_late, line_of, runs_on_import
from assay.validators.report.model import Finding

MOST_STEPS = 5_000


def new_cycles(
    change: ChangeSet, base: ImportGraph, head: ImportGraph, new: Sequence[NewImport], former: FormerPaths
) -> Iterator[Finding]:
    """Yield import cycles of Python modules that the change closes, by imports at the top level alone.

    A cycle through a package's `__init__.py` and a module inside it is usual, and is left out; so are one whose files,
    or the files they were split from, were in a cycle before, and one with an import below the definitions of its file.
    Of cycles with common files the shortest is reported.
    """
    found: list[tuple[NewImport, tuple[str, ...]]] = []
    for one in new:
        if not one.is_top or not is_module(one.importer):
            continue
        way = _way(head, one.target, one.importer)
        if way is not None and not _goes_through_package(way) and not _was_cycle(base, way, former):
            edges = pairwise((one.importer, *way))
            if any(is_late(change.head, path, line_of(head, path, target)) for path, target in edges):
                continue
            found.append((one, way))
    reported: set[str] = set()
    for one, way in sorted(found, key=lambda each: (len(each[1]), each[0].importer, each[0].line)):
        if reported.isdisjoint(way):
            reported.update(way)
            names = " -> ".join(map(shown, (one.importer, *way)))
            context = " ".join(sorted(way))
            yield design_finding("cycle", one.importer, one.line, f"closes an import cycle: {names}", context)


def _way(graph: ImportGraph, start: str, end: str) -> tuple[str, ...] | None:
    """Return the shortest chain of imports that run from a file to another, both included; None without one."""
    before: dict[str, str | None] = {start: None}
    queue = deque([start])
    while queue and len(before) < MOST_STEPS:
        path = queue.popleft()
        if path == end:
            way = [path]
            while (previous := before[way[-1]]) is not None:
                way.append(previous)
            return tuple(reversed(way))
        for other in sorted(runs_on_import(graph, path)):
            if other not in before:
                before[other] = path
                queue.append(other)
    return None


def _goes_through_package(way: tuple[str, ...]) -> bool:
    packages = [folder_of(path) for path in way if is_package(path)]
    return any(f"{folder_of(path)}/".startswith(f"{folder}/") for folder in packages for path in way)


def _was_cycle(base: ImportGraph, way: tuple[str, ...], former: FormerPaths) -> bool:
    """Return whether the files, or those they were split from, imported each other before, by any chain."""
    before = list(dict.fromkeys(map(former.part_of, way)))
    return len(before) > 1 and all(
        _way(base, one, other) is not None for one, other in zip(before, [*before[1:], before[0]], strict=True)
    )
