"""First import against a direction that the tree itself holds."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.changes.change import ChangedFile, ChangeSet, shown
from assay.validators.changes.classify import Nature
from assay.validators.graph.import_graph import ImportGraph
from assay.validators.languages.language import Import
from assay.validators.languages.register import LANGUAGES, language_at

RUN_ON_IMPORT = tuple(name for name, one in LANGUAGES.items() if one.row.runs_on_import)
"""Languages in which an import runs a file: elsewhere names lead to files within a package."""
LEAST_EDGES = 5
"""Imports in the other direction from which a direction counts as held."""
MOST_SHOWN = 5

Departure = tuple[str, str, int, str, str]
"""(Part of the rule, path, line, message, what makes the finding's id)."""


def against_direction(change: ChangeSet, base: ImportGraph, head: ImportGraph) -> Iterator[Departure]:
    """Yield the first import from a folder to another, if the base has at least five the other way and none this way.

    Folders inside each other, and folders that the base lacks, have no direction. Imports for types alone do not run.
    """
    former = {file.path: file.base_path for file in change.files if file.base_path is not None}
    seen: set[tuple[str, str]] = set()
    for file in change.existing(Nature.source):
        before = base.imported_by(former.get(file.path, file.path))
        is_followed = head.sources.languages.get(file.path) in RUN_ON_IMPORT
        for target in sorted(head.imported_by(file.path)) if is_followed else ():
            ours, theirs = folder_of(file.path), folder_of(target)
            is_known = former.get(target, target) in before or change.nature_of(target) is not Nature.source
            items = [one for one in head.imports_of(file.path, target) if not is_for_types(change, file, one)]
            if is_known or (ours, theirs) in seen or not items or items[0].line not in file.added:
                continue
            seen.add((ours, theirs))
            is_nested = not ours or not theirs or f"{ours}/".startswith(f"{theirs}/") or theirs.startswith(f"{ours}/")
            others = [] if is_nested or _edges(change, base, ours, theirs) else _edges(change, base, theirs, ours)
            if len(others) >= LEAST_EDGES:
                message = (
                    f"first import from {shown(ours)} to {shown(theirs)}: {len(others)} files import the other way, "
                    f"such as {places(base, others[:MOST_SHOWN])}"
                )
                yield "direction", file.path, items[0].line, message, f"{ours} -> {theirs}"


def _edges(change: ChangeSet, graph: ImportGraph, importers: str, targets: str) -> list[tuple[str, str]]:
    """Return the imports of the base between source files of two folders, one for each importer."""
    return [
        (path, min(near))
        for path in graph.files
        if folder_of(path) == importers
        and change.nature_of(path) is Nature.source
        and (near := {one for one in graph.imported_by(path) if folder_of(one) == targets})
    ]


def folder_of(path: str) -> str:
    """Return the folder of a file, "" at the root."""
    return path.rpartition("/")[0]


def is_for_types(change: ChangeSet, file: ChangedFile, item: Import) -> bool:
    """Return whether an import is erased, or runs for type checkers alone."""
    language = language_at(file.path)
    reading = language.reading(file.path, change.head.read(file.path) or b"") if language is not None else None
    return item.is_type or (reading is not None and "TYPE_CHECKING" in reading.guards(item.line))


def places(graph: ImportGraph, edges: list[tuple[str, str]]) -> str:
    """Return where files import others: `path:line`, …."""
    lines = (next((one.line for one in graph.imports_of(path, target)), 0) for path, target in edges)
    return ", ".join(f"{shown(path)}:{line}" for (path, _), line in zip(edges, lines, strict=True))
