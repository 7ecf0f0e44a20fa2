"""Helpers for single nodes of a script's syntax tree: names, texts, arguments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST_NAME = 1000
"""Maximum bytes of an expression whose text is read."""
_ESCAPE = re.compile(r"\\u\{?([0-9a-fA-F]{1,6})\}?")
_CASTS = frozenset(
    "parenthesized_expression non_null_expression as_expression satisfies_expression type_assertion await_expression "
    "sequence_expression".split()
)


def bare(node: Node | None) -> Node | None:
    """Return the expression inside brackets, casts and `await`; for a sequence, its last part."""
    while node is not None and node.type in _CASTS and node.named_children:
        is_last = node.type in ("sequence_expression", "type_assertion")
        node = node.named_children[-1 if is_last else 0]
    return node


def folded(node: Node | None) -> str | None:
    """Return the text of a string, a plain template, or several joined by `+`; else None."""
    node = bare(node)
    if node is None:
        return None
    if node.type == "string":
        return text_of(node)[1:-1]
    if node.type == "template_string":
        is_plain = all(child.type != "template_substitution" for child in node.children)
        return text_of(node)[1:-1] if is_plain else None
    if node.type == "binary_expression" and is_short(node) and any(child.type == "+" for child in node.children):
        left, right = folded(node.child_by_field_name("left")), folded(node.child_by_field_name("right"))
        return None if left is None or right is None else left + right
    return None


def is_short(node: Node) -> bool:
    """Return whether an expression is short enough to read its text."""
    return node.end_byte - node.start_byte <= LONGEST_NAME


def text_of(node: Node | None) -> str:
    """Return the text of a node short enough to be a name, else ""."""
    if node is None or not is_short(node):
        return ""
    text = (node.text or b"").decode("utf-8", "replace")
    return _ESCAPE.sub(lambda match: chr(min(int(match[1], 16), 0x10FFFF)), text) if "\\u" in text else text


def property_of(node: Node | None) -> str | None:
    """Return the name of the accessed member, written either way."""
    if node is None:
        return None
    if node.type == "member_expression":
        return text_of(node.child_by_field_name("property"))
    return folded(node.child_by_field_name("index")) if node.type == "subscript_expression" else None


def arguments(node: Node) -> list[Node]:
    """Return the arguments of a call."""
    given = node.child_by_field_name("arguments")
    return [one for one in given.named_children if one.type != "comment"] if given is not None else []
