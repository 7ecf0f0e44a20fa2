"""Definitions that a change moves from one file to another without changing them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.validators.changes.change import ChangeSet, FileKind, SourceTree, text_at
from assay.validators.graph.symbols import language_at

SMALLEST = 3
"""Lines of a definition; shorter ones are alike by chance."""


@dataclass(frozen=True, slots=True)
class MovedCode:
    """Lines of moved definitions: path of the head -> lines there, path of the base -> lines there."""

    head: Mapping[str, frozenset[int]] = field(default_factory=dict)
    base: Mapping[str, frozenset[int]] = field(default_factory=dict)


def moved_code(change: ChangeSet) -> MovedCode:
    """Return the definitions that one changed file loses and another gets, the same but for comments and layout."""
    files = [file for file in change.files if file.kind is FileKind.text]
    went, came = _Places(), _Places()
    for file in files:
        old = _shapes(change.base, file.base_path)
        new = _shapes(change.head, file.path if file.exists else None)
        went.add(file.base_path or file.path, {key: lines for key, lines in old.items() if key not in new})
        came.add(file.path, {key: lines for key, lines in new.items() if key not in old})
    both = went.at.keys() & came.at.keys()
    return MovedCode(came.lines(both), went.lines(both))


class _Places:
    """Definitions by name and shape, with their places."""

    def __init__(self) -> None:
        self.at: dict[tuple[str, int], list[tuple[str, range]]] = defaultdict(list)

    def add(self, path: str, found: Mapping[tuple[str, int], range]) -> None:
        for key, lines in found.items():
            self.at[key].append((path, lines))

    def lines(self, keys: set[tuple[str, int]]) -> dict[str, frozenset[int]]:
        found: dict[str, set[int]] = defaultdict(set)
        for key in keys:
            for path, lines in self.at[key]:
                found[path].update(lines)
        return {path: frozenset(lines) for path, lines in found.items()}


def _shapes(tree: SourceTree, path: str | None) -> dict[tuple[str, int], range]:
    """Return (name, shape) -> lines of the definitions of a file."""
    language = language_at(path) if path is not None else None
    if path is None or language is None:
        return {}
    outline = language.outline(path, text_at(tree, path).encode("utf-8", "surrogateescape"))
    return {
        (one.name, outline.shapes[one.name]): range(one.line, one.end_line + 1)
        for one in outline.definitions
        if one.name in outline.shapes and one.end_line - one.line + 1 >= SMALLEST
    }
