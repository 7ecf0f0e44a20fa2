"""Imports that a change adds, with their lines and the folders they connect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.validators.changes.change import ChangeSet
from assay.validators.changes.classify import Nature
from assay.validators.graph.import_graph import ImportGraph


@dataclass(frozen=True, slots=True)
class NewImport:
    """Import of a file by another that the change adds; `is_top`: it runs when the importer is imported."""

    importer: str
    target: str
    line: int
    is_top: bool


def folder_of(path: str) -> str:
    """Return the folder of a file, "" at the root."""
    return path.rpartition("/")[0]


def new_imports(change: ChangeSet, base: ImportGraph, head: ImportGraph) -> Iterator[NewImport]:
    """Yield the imports between source files that the head has and the base has not, on lines the change adds."""
    for file in change.files:
        if file.nature is not Nature.source or file.path not in head.graph:
            continue
        before = base.imported_by(file.base_path) if file.base_path is not None else set()
        for target in sorted(head.imported_by(file.path) - before):
            line, is_top = place_of(head, file.path, target)
            if line in file.added and change.nature_of(target) is Nature.source:
                yield NewImport(file.path, target, line, is_top)


def place_of(graph: ImportGraph, importer: str, target: str) -> tuple[int, bool]:
    """Return the line of the first import of a file, and whether one is at the top level; (0, False) if none."""
    resolver = graph.resolvers.get(graph.sources.languages.get(importer, ""))
    found = (
        [item for item in graph.sources.scan(importer).imports if target in resolver.resolve(importer, item).files]
        if resolver is not None
        else []
    )
    return (found[0].line, any(item.is_top for item in found)) if found else (0, False)


def runs_on_import(graph: ImportGraph, importer: str) -> set[str]:
    """Return the files that the import of a Python file imports in turn, those in functions and conditions left out."""
    resolver = graph.resolvers.get(graph.sources.languages.get(importer, ""))
    if resolver is None:
        return set()
    tops = (item for item in graph.sources.scan(importer).imports if item.is_top)
    return {file for item in tops for file in resolver.resolve(importer, item).files} - {importer}
