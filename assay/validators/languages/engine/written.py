"""What is written in a node: the value of a type, and a definition without what a formatter may change."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.validators.languages.engine.row import Row
from assay.validators.languages.values import UNKNOWN, How, Value

if TYPE_CHECKING:
    import tree_sitter

LONGEST_TYPE = 500
"""Maximum characters of a written type; a longer one is unknown."""
DEEPEST_TYPE = 20
_MAPPINGS = ("dict", "map", "mapping")
_DIRECTIVE = re.compile(rb"\s{0,100}#\s{0,100}(if\w*|elif\w*|else|endif)\b")
_PUNCTUATION = frozenset("( ) [ ] { } , ; : \" ' `".split())


def first_branches(text: bytes) -> bytes:
    """Return a source with the first branch of each `#if` alone; the rest of it is blank."""
    lines, is_kept = text.split(b"\n"), [True]
    for at, line in enumerate(lines):
        match = _DIRECTIVE.match(line)
        if match is not None and match[1].startswith(b"if"):
            is_kept.append(is_kept[-1])
        elif match is not None and len(is_kept) > 1:
            is_kept.pop() if match[1] == b"endif" else is_kept.__setitem__(-1, False)
        if match is not None or not is_kept[-1]:
            lines[at] = b" " * len(line)
    return b"\n".join(lines)


def text_of(node: tree_sitter.Node) -> str:
    """Return the text of a node."""
    return (node.text or b"").decode("utf-8", "surrogateescape")


def written_value(row: Row, text: str, parameterized: set[Value], depth: int = 0) -> Value:
    """Return the value expression of an instance of a written type, and add to `parameterized` those with arguments."""
    if len(text) > LONGEST_TYPE or depth > DEEPEST_TYPE:
        return UNKNOWN
    parts = split_type(text, "|")
    if len(parts) > 1:
        found = (written_value(row, part, parameterized, depth + 1) for part in parts)
        return next((one for one in found if one.is_known), UNKNOWN)
    if parts and parts[0].endswith("[]"):
        return Value(How.container, "", written_value(row, parts[0].removesuffix("[]"), parameterized, depth + 1))
    match = row.written_type.match(parts[0]) if parts else None
    if match is None:
        return UNKNOWN
    name = match[1].replace(row.separator, ".")
    last = name.rpartition(".")[2]
    inner = [written_value(row, one, parameterized, depth + 1) for one in split_type(match[2] or "", ",")]
    if last in row.vague:
        return UNKNOWN
    if last in row.wrappers:
        return next((one for one in inner if one.is_known), UNKNOWN)
    if last in row.containers and inner:
        return Value(How.container, "", inner[-1 if last.lower().endswith(_MAPPINGS) else 0])
    value = Value(How.instance, name)
    if inner:
        parameterized.add(value)
    return value


def full_namespace(node: tree_sitter.Node) -> str:
    """Return a namespace with those around it."""
    names, outer = [text_of(node)], node.parent
    while outer is not None and len(names) <= DEEPEST_TYPE:
        outer = outer.parent
        name = (
            outer.child_by_field_name("name") if outer is not None and outer.type == "namespace_declaration" else None
        )
        names += [text_of(name)] if name is not None else []
    return ".".join(reversed(names))


def split_type(text: str, mark: str) -> list[str]:
    """Split a written type at a mark outside brackets, without quotes and empty parts."""
    text = text.strip(" \"'")
    found, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "([{<") - (char in ")]}>")
        if char == mark and depth == 0:
            found.append(text[start:at])
            start = at + 1
    return [part.strip() for part in (*found, text[start:]) if part.strip()]


def shape(node: tree_sitter.Node) -> str:
    """Return what a node says, without comments, and without quotes, brackets and commas that only lay it out."""
    found: list[str] = []
    left: list[tree_sitter.Node | None] = [node]
    while left:
        one = left.pop()
        if one is None:
            found.append(")")
        elif one.child_count == 0:
            if one.type not in _PUNCTUATION and not one.is_extra:
                found.append(text_of(one) if one.type not in ("string_start", "string_end") else "")
        elif not one.is_extra:
            if one.type != "parenthesized_expression":
                found.append(f"({one.type}")
                left.append(None)
            left += reversed(one.children)
    return " ".join(found)
