"""Imports that a change adds, with their lines and the folders they connect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.validators.changes.change import ChangeSet, lines_of, text_at
from assay.validators.changes.classify import Nature
from assay.validators.graph.import_graph import ImportGraph
from assay.validators.languages.language import Import
from assay.validators.languages.register import LANGUAGES

RUN_ON_IMPORT = tuple(name for name, one in LANGUAGES.items() if one.row.runs_on_import)
"""Languages in which an import runs a file: elsewhere a cycle is safe, and names lead to files within a package."""
_ANY_IMPORT = re.compile(r"import|require|from|define")
_TYPES = re.compile(r"\s*(?:el)?if\s+(?:\w+\.)?(?:TYPE_CHECKING|MYPY_CHECK_RUNNING)\s*:")
_TYPE_IMPORT = re.compile(r"\s*(?:import|export)\s+type\b")
_TYPE_NAMES = re.compile(r"\s*(?:import|export)\s*\{\s*type\s[^,}]*(?:,\s*type\s[^,}]*)*,?\s*\}")


@dataclass(frozen=True, slots=True)
class NewImport:
    """Import of a file by another that the change adds."""

    importer: str
    target: str
    line: int


def folder_of(path: str) -> str:
    """Return the folder of a file, "" at the root."""
    return path.rpartition("/")[0]


def adds_imports(change: ChangeSet) -> bool:
    """Return whether an added line of a source file may be an import: only then the graphs are needed."""
    return any(_ANY_IMPORT.search(line) for file in change.existing(Nature.source) for line in file.added.values())


def new_imports(change: ChangeSet, base: ImportGraph, head: ImportGraph) -> list[NewImport]:
    """Return the imports between source files that the head has and the base has not, on lines the change adds.

    Imports for type checkers alone are left out; they do not run.
    """
    former = {file.path: file.base_path for file in change.files if file.base_path is not None}
    found: list[NewImport] = []
    for file in change.files:
        if file.nature is not Nature.source or head.sources.languages.get(file.path) not in RUN_ON_IMPORT:
            continue
        before = base.imported_by(former.get(file.path, file.path))
        new = [one for one in sorted(head.imported_by(file.path)) if former.get(one, one) not in before]
        lines = lines_of(text_at(change.head, file.path)) if new else []
        for target in new:
            items = [one for one in _items_for(head, file.path, target) if not is_for_types(lines, one.line)]
            if items and items[0].line in file.added and change.nature_of(target) is Nature.source:
                found.append(NewImport(file.path, target, items[0].line))
    return found


def is_for_types(lines: Sequence[str], number: int) -> bool:
    """Return whether the import at a line is erased, or runs for type checkers alone."""
    line = lines[number - 1] if 0 < number <= len(lines) else ""
    if _TYPE_IMPORT.match(line) or _TYPE_NAMES.match(line):
        return True
    indent = _indent(line)
    for above in reversed(lines[: max(0, number - 1)]):
        if indent == 0:
            return False
        if above.strip() and _indent(above) < indent:
            if _TYPES.match(above):
                return True
            indent = _indent(above)
    return False


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _items_for(graph: ImportGraph, importer: str, target: str) -> Iterator[Import]:
    """Yield the imports of a file, as they are written, that lead to another file."""
    resolver = graph.resolvers.get(graph.sources.languages.get(importer, ""))
    for item in graph.sources.scan(importer).imports if resolver is not None else ():
        if resolver is not None and target in resolver.resolve(importer, item).files:
            yield item


def line_of(graph: ImportGraph, importer: str, target: str) -> int:
    """Return the line of the first import of a file; 0 if there is none."""
    return next((item.line for item in _items_for(graph, importer, target)), 0)
