"""First import against a direction that the tree itself holds, and new import cycles that run."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import pairwise

from assay.validators.changes.change import ChangeSet, shown
from assay.validators.changes.classify import Nature
from assay.validators.graph.import_graph import ImportGraph
from assay.validators.quality.design.finding import design_finding
from assay.validators.quality.design.imports import (
    NewImport,
    folder_of,
    is_late,
    new_imports,
    place_of,
    runs_on_import,
)
from assay.validators.report.model import Finding

LEAST_EDGES = 5
"""Imports in the other direction from which a direction counts as held."""
MOST_SHOWN = 5
MOST_STEPS = 5_000


def against_direction(change: ChangeSet, base: ImportGraph, head: ImportGraph) -> Iterator[Finding]:
    """Yield the first import from a folder to another, if the base has at least five the other way and none this way.

    Folders inside each other, and folders that the base lacks, have no direction.
    """
    seen: set[tuple[str, str]] = set()
    for one in new_imports(change, base, head):
        ours, theirs = folder_of(one.importer), folder_of(one.target)
        if one.is_type_only or (ours, theirs) in seen or _are_nested(ours, theirs):
            continue
        seen.add((ours, theirs))
        if _edges(change, base, ours, theirs):
            continue
        others = _edges(change, base, theirs, ours)
        if len(others) < LEAST_EDGES:
            continue
        shown_edges = ", ".join(
            f"{shown(importer)}:{place_of(base, importer, target)[0]}" for importer, target in others[:MOST_SHOWN]
        )
        message = (
            f"first import from {shown(ours)} to {shown(theirs)}: {len(others)} files import the other way, such as "
            f"{shown_edges}"
        )
        yield design_finding("direction", one.importer, one.line, message, f"{ours} -> {theirs}")


def _are_nested(one: str, other: str) -> bool:
    return not one or not other or f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def _edges(change: ChangeSet, graph: ImportGraph, importers: str, targets: str) -> list[tuple[str, str]]:
    """Return the imports between source files of two folders, one for each importer."""
    return [
        (path, min(near))
        for path in graph.files
        if folder_of(path) == importers
        and change.nature_of(path) is Nature.source
        and (near := {one for one in graph.imported_by(path) if folder_of(one) == targets})
    ]


def new_cycles(change: ChangeSet, base: ImportGraph, head: ImportGraph) -> Iterator[Finding]:
    """Yield import cycles of Python modules that the change closes, by imports at the top level alone.

    A cycle through a package's `__init__.py` and a module inside it is usual, and is left out; so are one whose files
    were in a cycle before, and one with an import below the definitions of its file. One is reported for each file.
    """
    reported: set[str] = set()
    for one in new_imports(change, base, head):
        if not one.is_top or not one.importer.endswith(".py") or reported & {one.importer, one.target}:
            continue
        way = _way(head, one.target, one.importer)
        if way is None or _goes_through_package(way) or _was_cycle(base, one):
            continue
        edges = pairwise((one.importer, *way))
        if any(is_late(change.head, importer, place_of(head, importer, target)[0]) for importer, target in edges):
            continue
        reported |= set(way)
        names = " -> ".join(map(shown, (one.importer, *way)))
        yield design_finding("cycle", one.importer, one.line, f"closes an import cycle: {names}", " ".join(sorted(way)))


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
    packages = [folder_of(path) for path in way if path.endswith("/__init__.py")]
    return any(f"{folder_of(path)}/".startswith(f"{folder}/") for folder in packages for path in way)


def _was_cycle(base: ImportGraph, one: NewImport) -> bool:
    """Return whether both files imported each other before, by any chain."""
    there, back = _way(base, one.target, one.importer), _way(base, one.importer, one.target)
    return there is not None and back is not None
