"""Imports that a change adds, with their lines and the folders they connect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.validators.changes.change import ChangeSet, SourceTree, lines_of, text_at
from assay.validators.changes.classify import Nature
from assay.validators.graph.import_graph import ImportGraph


@dataclass(frozen=True, slots=True)
class NewImport:
    """Import of a file by another that the change adds.

    `is_top`: it runs when the importer is imported. `is_type_only`: it never runs, a type checker reads it.
    """

    importer: str
    target: str
    line: int
    is_top: bool
    is_type_only: bool


def folder_of(path: str) -> str:
    """Return the folder of a file, "" at the root."""
    return path.rpartition("/")[0]


def new_imports(change: ChangeSet, base: ImportGraph, head: ImportGraph) -> Iterator[NewImport]:
    """Yield the imports between source files that the head has and the base has not, on lines the change adds."""
    for file in change.files:
        if file.nature is not Nature.source or file.path not in head.graph:
            continue
        before = base.imported_by(file.base_path) if file.base_path is not None else set()
        lines: list[str] = []
        for target in sorted(head.imported_by(file.path) - before):
            line, is_top = place_of(head, file.path, target)
            if line in file.added and change.nature_of(target) is Nature.source:
                lines = lines or lines_of(text_at(change.head, file.path))
                yield NewImport(file.path, target, line, is_top, _is_type_only(lines, line))


def _is_type_only(lines: Sequence[str], line: int) -> bool:
    """Return whether an import is inside `if TYPE_CHECKING:`, or is a type import of TypeScript."""
    text = lines[line - 1] if line <= len(lines) else ""
    width = len(text) - len(text.lstrip())
    above = (one for one in reversed(lines[: line - 1]) if one.strip() and len(one) - len(one.lstrip()) < width)
    return bool(_TYPE_IMPORT.match(text)) or bool(width and _TYPE_CHECKING.match(next(above, "")))


_TYPE_IMPORT = re.compile(r"\s*(?:import|export)\s+type\b")
_TYPE_CHECKING = re.compile(r"\s*if\s+(?:\w+\.)*TYPE_CHECKING\b")


def is_late(tree: SourceTree, path: str, line: int) -> bool:
    """Return whether an import stands below the first definition of a Python file, where a cycle is safe on purpose."""
    lines = lines_of(text_at(tree, path))
    return any(_DEFINITION.match(text) for text in lines[: line - 1])


_DEFINITION = re.compile(r"(?:async\s+)?(?:def|class)\s")


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
