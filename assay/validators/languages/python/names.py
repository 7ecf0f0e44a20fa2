"""Names in Python source: those that a module binds at its top level, and parts of syntax trees."""

from __future__ import annotations

import ast
import re

_NAME = rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*+"
_BINDING = re.compile(
    rb"^(?:(?:(?:async[ \t]+)?def|class)[ \t]+(" + _NAME + rb")"
    rb"|(" + _NAME + rb"(?:[ \t]*+,[ \t]*+" + _NAME + rb")*+)[ \t]*+(?::[^=\n]*+)?=(?!=))",
    re.MULTILINE,
)
_LIST = re.compile(
    rb"^__all__[ \t]*\+?=[ \t]*[\[(]((?:[\s,]|\#[^\n]*+|\"\w*+\"|'\w*+')*+)[\])][ \t]*+(?=[\n#]|\Z)", re.MULTILINE
)
_QUOTED = re.compile(rb"[\"'](\w++)[\"']")
_COMMENT = re.compile(rb"\#[^\n]*+")


class ModuleNames:
    """Top-level names of one module, found without parsing it."""

    def __init__(self, content: bytes) -> None:
        found = (one or other for one, other in _BINDING.findall(content))
        self._bound = {name.strip().decode("utf-8", "replace") for each in found for name in each.split(b",")}
        lists = _LIST.findall(content)
        self._is_listed = bool(lists) and content.count(b"__all__") == len(lists)
        self._listed = {one.decode() for each in lists for one in _QUOTED.findall(_COMMENT.sub(b"", each))}

    def defines(self, name: str) -> bool:
        """Return whether the module binds a name other than by import, at the start of a line."""
        return name in self._bound

    def offers(self, name: str) -> bool:
        """Return whether a star import brings the name: it is in a plain `__all__`, or public if there is none."""
        return name in self._listed if self._is_listed else not name.startswith("_")


def last_name(node: ast.AST) -> str:
    """Return the last name of `a.b.c`; "" for anything but names and attributes."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def inner_statements(node: ast.stmt) -> list[ast.stmt]:
    """Return the statements inside a compound statement without a separate scope."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return []
    found: list[ast.stmt] = []
    for field in ("body", "orelse", "finalbody"):
        found += getattr(node, field, [])
    for part in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
        found += part.body
    return found
