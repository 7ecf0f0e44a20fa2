"""What in a file makes it doubtful that a symbol is missing or that its absence does harm."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from assay.validators.languages.engine.reading import SourceReading
from assay.validators.languages.engine.spans import Spans
from assay.validators.languages.engine.written import text_of

if TYPE_CHECKING:
    import tree_sitter

_WORD = re.compile(r"[A-Za-z_]\w*")
_FORWARDS = re.compile(r"\bif\s+(?:not\s+)?\w+\s+(?:not\s+)?in\s+[A-Za-z_]|\b(?:has|get)attr\(|\bimport_module\b")
"""Names that a function finds in a table or another module."""


def may_add(reading: SourceReading, name: str) -> bool:
    """Return whether code may give the file a name that it does not define."""
    listed = reading.flat.get("open.listed", ())
    spans = Spans((node.start_byte, node.end_byte, True) for node in listed)
    if any(spans.around(node.start_byte) is None for node in reading.flat.get("open", ())):
        return True
    compared = re.compile(rf"(?:==|[\[({{,])\s*[\"']{re.escape(name)}[\"']")
    texts = [text_of(node) for node in listed]
    return any(_FORWARDS.search(text) or compared.search(text) for text in texts)


def open_types(reading: SourceReading, key: str) -> set[str]:
    """Return the types whose code may give them members: any by `open.type`, all but methods by `open.values`."""
    pieces = (reading.types.around(node.start_byte) for node in reading.flat.get(key, ()))
    found = {piece.name for piece in pieces if piece is not None}
    # `setattr(C, …)`, `C.prototype`
    return found | {text_of(node) for node in reading.flat.get("open.owner", ())} if key == "open.type" else found


def is_own_member(reading: SourceReading, name: str, node: tree_sitter.Node) -> bool:
    """Return whether a type around a node has a member of this name, which its body may use without a receiver."""
    owners = [piece.name for piece in reading.types.each_around(node.start_byte)]
    members = reading.declared()[1] if owners else set()
    return any((owner, name) in members for owner in owners)


def guards(reading: SourceReading, line: int) -> frozenset[str]:
    """Return the names of what code around a line is prepared for: exceptions that it catches, `TYPE_CHECKING`."""
    caught = (names for start, end, names in _guarded(reading) if start <= line <= end)
    return frozenset(name for names in caught for name in names)


def is_expected_to_fail(reading: SourceReading, line: int) -> bool:
    """Return whether the line before one says that a type checker refuses it."""
    lines = reading.content.split(b"\n")[max(0, line - 2) : line]
    return any(b"@ts-expect-error" in one or b"@ts-ignore" in one for one in lines)


@lru_cache(maxsize=16)
def _guarded(reading: SourceReading) -> list[tuple[int, int, frozenset[str]]]:
    found_guards = []
    for found in reading.matches:
        for node in found.get("guarded", ()):
            words = _WORD.findall(" ".join(text_of(one) for one in found.get("guard", ())))
            names = frozenset(words or ("BaseException",))
            found_guards.append((node.start_point.row + 1, node.end_point.row + 1, names))
    return found_guards
