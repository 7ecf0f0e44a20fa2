"""TOML reader with line numbers: `tomllib` gives the values, a syntax tree their lines."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from assay.validators.configuration.place import (
    MOST_DEPTH,
    Bounds,
    Entry,
    Lines,
    Mapping,
    Place,
    Problem,
    Scalar,
    Unusable,
)
from assay.validators.io.structured_files import Unreadable, toml

if TYPE_CHECKING:
    from tree_sitter import Node

Keys: TypeAlias = tuple[str | int, ...]
_AT_LINE = re.compile(r"\(at line (\d+)")


def read_toml(text: str, below: Sequence[str] = ()) -> tuple[Place | None, list[Problem]]:
    """Return the table at the dotted name `below` (None if absent); raise `Unusable` for invalid TOML."""
    try:
        value: Any = toml(text)
    except Unreadable as error:
        found = _AT_LINE.search(str(error))
        at_end = len(Lines(text)) if str(error).endswith("(at end of document)") else None
        raise Unusable(int(found[1]) if found else at_end, str(error), "config.invalid-syntax") from None
    for name in below:
        value = value.get(name) if isinstance(value, dict) else None
    if value is None:
        return None, []
    return _PlaceBuilder(_lines(text)).build(value, tuple(below))


class _PlaceBuilder:
    """Builder that joins the values with their lines."""

    def __init__(self, lines: dict[Keys, int]) -> None:
        self._lines = lines
        self._bounds = Bounds()
        self._problems: list[Problem] = []

    def build(self, value: Any, keys: Keys) -> tuple[Place, list[Problem]]:
        return self._place(value, keys, self._lines.get(keys, 1)), self._problems

    def _place(self, value: Any, keys: Keys, line: int) -> Place:
        self._bounds.count(line, len(keys))
        if isinstance(value, dict):
            return Place(line, Mapping(tuple(self._entry(name, value[name], keys, line) for name in value)))
        if isinstance(value, list):
            return Place(line, tuple(self._item(i, item, keys, line) for i, item in enumerate(value)))
        return Place(line, self._scalar(value, line))

    def _entry(self, name: str, value: Any, keys: Keys, line: int) -> Entry:
        own = self._lines.get((*keys, name), line)
        return Entry(name, own, self._place(value, (*keys, name), own))

    def _item(self, index: int, value: Any, keys: Keys, line: int) -> Place:
        return self._place(value, (*keys, index), self._lines.get((*keys, index), line))

    def _scalar(self, value: Any, line: int) -> Scalar:
        if isinstance(value, float) and not math.isfinite(value):
            self._problems.append(Problem(line, f"{value} is not a finite number", "config.invalid-value"))
            return 0.0
        if isinstance(value, (str, bool, int, float)):
            return value
        self._problems.append(
            Problem(line, "dates and times are not supported; quote the text", "config.invalid-value")
        )
        return None


def _lines(text: str) -> dict[Keys, int]:
    """Return the line of each key and of each array element."""
    import tree_sitter_toml
    from tree_sitter import Language, Parser

    root = Parser(Language(tree_sitter_toml.language())).parse(text.encode("utf-8", "surrogatepass")).root_node
    lines: dict[Keys, int] = {}
    counts: dict[Keys, int] = {}
    for child in root.named_children:
        if child.type == "pair":
            _note_pair(child, (), lines)
        elif child.type in ("table", "table_array_element"):
            header = _names(child.named_children[0])
            keys = _resolved(header, counts, is_new=child.type == "table_array_element")
            for depth in range(1, len(keys) + 1):
                lines.setdefault(keys[:depth], child.start_point.row + 1)
            for pair in child.named_children[1:]:
                _note_pair(pair, keys, lines)
    return lines


def _resolved(header: Sequence[str], counts: dict[Keys, int], *, is_new: bool) -> Keys:
    """Return a header's names with the current index of each array of tables; `[[x]]` begins a new element."""
    keys: Keys = ()
    for position, name in enumerate(header):
        keys = (*keys, name)
        if is_new and position == len(header) - 1:
            counts[keys] = counts.get(keys, -1) + 1
        if keys in counts:
            keys = (*keys, counts[keys])
    return keys


def _note_pair(pair: Node, above: Keys, lines: dict[Keys, int]) -> None:
    if pair.type != "pair" or len(pair.named_children) < 2:
        return
    key, value = pair.named_children[0], pair.named_children[-1]
    keys = above
    for name in _names(key):
        keys = (*keys, name)
        lines.setdefault(keys, pair.start_point.row + 1)
    _note_value(value, keys, lines)


def _note_value(value: Node, keys: Keys, lines: dict[Keys, int]) -> None:
    if len(keys) > MOST_DEPTH:
        return
    if value.type == "inline_table":
        for pair in value.named_children:
            _note_pair(pair, keys, lines)
    elif value.type == "array":
        items = [child for child in value.named_children if child.type != "comment"]
        for index, item in enumerate(items):
            lines[*keys, index] = item.start_point.row + 1
            _note_value(item, (*keys, index), lines)


def _names(key: Node) -> list[str]:
    return list(_parts(key))


def _parts(key: Node) -> Iterator[str]:
    if key.type == "dotted_key":
        for child in key.named_children:
            yield from _parts(child)
        return
    text = (key.text or b"").decode("utf-8", "replace")
    if key.type == "quoted_key":
        (text,) = tomllib.loads(f"{text} = 0")
    yield text
