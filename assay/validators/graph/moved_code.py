"""Definitions that a change moves from one file to another without changing them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from assay.validators.changes.change import ChangeSet, FileKind, SourceTree, text_at
from assay.validators.graph.symbols import definitions, shapes_of

SMALLEST = 3
"""Lines of a definition; shorter ones are alike by chance."""


_Places = dict[tuple[str, str], list[tuple[str, range]]]
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
            old = _touched(change.base, file.base_path, file.removed)
            new = _touched(change.head, file.path if file.exists else None, file.added)
            before, after = shapes_of(change, file, frozenset((*old, *new)))
            for name in old.keys() & before.keys():
                if before[name] != after.get(name):
                    went[name, before[name]].append((file.base_path or file.path, old[name]))
            for name in new.keys() & after.keys():
                if after[name] != before.get(name):
                    came[name, after[name]].append((file.path, new[name]))
    both = went.keys() & came.keys()
    return MovedCode(_lines(came, both), _lines(went, both))


def _lines(places: _Places, keys: set[tuple[str, str]]) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = defaultdict(set)
    for path, lines in (place for key in keys for place in places[key]):
        found[path].update(lines)
    return {path: frozenset(lines) for path, lines in found.items()}


def _touched(tree: SourceTree, path: str | None, lines: Collection[int]) -> dict[str, range]:
    """Return the definitions of a file that have one of these lines, and their lines."""
    if path is None or not lines:
        return {}
    return {
        one.name: range(one.line, one.end_line + 1)
        for one in definitions(path, text_at(tree, path))
        if one.end_line - one.line + 1 >= SMALLEST and any(line in lines for line in range(one.line, one.end_line + 1))
    }
