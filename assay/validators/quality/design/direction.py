"""First import against a direction that the tree itself holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.validators.changes.change import ChangeSet, shown
from assay.validators.changes.classify import Nature
from assay.validators.graph.import_graph import ImportGraph
from assay.validators.quality.design.finding import design_finding
from assay.validators.quality.design.imports import NewImport, folder_of, line_of
from assay.validators.report.model import Finding

LEAST_EDGES = 5
"""Imports in the other direction from which a direction counts as held."""
MOST_SHOWN = 5


def against_direction(change: ChangeSet, base: ImportGraph, new: Sequence[NewImport]) -> Iterator[Finding]:
    """Yield the first import from a folder to another, if the base has at least five the other way and none this way.

    Folders inside each other, and folders that the base lacks, have no direction.
    """
    seen: set[tuple[str, str]] = set()
    for one in new:
        ours, theirs = folder_of(one.importer), folder_of(one.target)
        if (ours, theirs) in seen or _are_nested(ours, theirs):
            continue
        seen.add((ours, theirs))
        if _edges(change, base, ours, theirs):
            continue
        others = _edges(change, base, theirs, ours)
        if len(others) < LEAST_EDGES:
            continue
        shown_edges = ", ".join(
            f"{shown(importer)}:{line_of(base, importer, target)}" for importer, target in others[:MOST_SHOWN]
        )
        message = (
            f"first import from {shown(ours)} to {shown(theirs)}: {len(others)} files import the other way, such as "
            f"{shown_edges}"
        )
        yield design_finding("direction", one.importer, one.line, message, f"{ours} -> {theirs}")


def _are_nested(one: str, other: str) -> bool:
    return not one or not other or f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def _edges(change: ChangeSet, graph: ImportGraph, importers: str, targets: str) -> list[tuple[str, str]]:
    """Return the imports of the base between source files of two folders, one for each importer."""
    return [
        (path, min(near))
        for path in graph.files
        if folder_of(path) == importers
        and change.nature_of(path) is Nature.source
        and (near := {one for one in graph.imported_by(path) if folder_of(one) == targets})
    ]
