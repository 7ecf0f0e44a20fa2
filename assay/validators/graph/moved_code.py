"""Definitions that a change moves from one file to another without changing them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.validators.changes.change import ChangeSet, FileKind, SourceTree, text_at
from assay.validators.graph.symbols import language_at

SMALLEST = 3
"""Lines of a definition; shorter ones are alike by chance."""


_Places = dict[tuple[str, int], list[tuple[str, range]]]
"""Name and shape of a definition -> its places."""


@dataclass(frozen=True, slots=True)
class MovedCode:
    """Lines of moved definitions: path of the head -> lines there, path of the base -> lines there."""

    head: Mapping[str, frozenset[int]] = field(default_factory=dict)
    base: Mapping[str, frozenset[int]] = field(default_factory=dict)


def moved_code(change: ChangeSet) -> MovedCode:
    """Return the definitions that one changed file loses and another gets, the same but for comments and layout."""
    went: _Places = defaultdict(list)
    came: _Places = defaultdict(list)
    for file in change.files:
        if file.kind is FileKind.text:
            old = _shapes(change.base, file.base_path)
            new = _shapes(change.head, file.path if file.exists else None)
            for key in old.keys() - new.keys():
                went[key].append((file.base_path or file.path, old[key]))
            for key in new.keys() - old.keys():
                came[key].append((file.path, new[key]))
    both = went.keys() & came.keys()
    return MovedCode(_lines(came, both), _lines(went, both))


def _lines(places: _Places, keys: set[tuple[str, int]]) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = defaultdict(set)
    for path, lines in (place for key in keys for place in places[key]):
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
