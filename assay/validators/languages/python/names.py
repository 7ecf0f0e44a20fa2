"""Top-level names of a Python module."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property

from assay.validators.languages.python.trees import parsed

_DEFINED = (
    rb"(?:(?:async[ \t]+)?def|class)[ \t]+([A-Za-z_\x80-\xff][\w\x80-\xff]*+)"
    rb"|([A-Za-z_\x80-\xff][\w\x80-\xff]*+)[ \t]*+(?::[^=\n]*+)?=(?!=)"
)
_PLAIN_BINDING = re.compile(rb"^(?:" + _DEFINED + rb")", re.MULTILINE)
_BINDING = re.compile(rb"^[ \t]*+(?:" + _DEFINED + rb")", re.MULTILINE)
_SIMPLE_LIST = re.compile(
    rb"^__all__[ \t]*=[ \t]*[\[(]((?:[\s,]|\#[^\n]*+|\"\w*+\"|'\w*+')*+)[\])][ \t]*(?:\#[^\n]*+)?$", re.MULTILINE
)
_QUOTED = re.compile(rb"\"(\w++)\"|'(\w++)'")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)


class ModuleNames:
    """Top-level names of one module; it is parsed only if a search of its text is inconclusive."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def defines(self, name: str) -> bool:
        """Return whether the module binds a name other than by import; for a broken module, whether it seems to."""
        return name in self._plain or (name in self._anywhere and name in self._bound)

    def offers(self, name: str) -> bool:
        """Return whether a star import brings the name: it is in `__all__`, or public if there is none."""
        return name in self._listed if self._listed is not None else not name.startswith("_")

    @cached_property
    def _plain(self) -> frozenset[str]:
        """The names bound at the start of a line."""
        return frozenset(_matches(_PLAIN_BINDING, self._content))

    @cached_property
    def _anywhere(self) -> frozenset[str]:
        """The names bound on any line, in any scope."""
        return frozenset(_matches(_BINDING, self._content))

    @cached_property
    def _bound(self) -> frozenset[str]:
        tree = parsed(self._content)
        return frozenset(bound_names(tree.body)) if tree is not None else self._anywhere

    @cached_property
    def _listed(self) -> frozenset[str] | None:
        if b"__all__" not in self._content:
            return None
        simple = _SIMPLE_LIST.search(self._content) if self._content.count(b"__all__") == 1 else None
        if simple is not None:
            return frozenset(_matches(_QUOTED, simple[1]))
        tree = parsed(self._content)
        return _listed(tree) if tree is not None else None


def _matches(pattern: re.Pattern[bytes], content: bytes) -> Iterator[str]:
    return (one.decode("utf-8", "replace") for pair in pattern.findall(content) for one in pair if one)


def last_name(node: ast.AST) -> str:
    """Return the last name of `a.b.c`; "" for anything but names and attributes."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def bound_names(body: list[ast.stmt]) -> Iterator[str]:
    """Yield the names that statements bind in their scope (also in `if`, `try`, `with` and loops), except imports."""
    left = list(body)
    while left:
        node = left.pop()
        if isinstance(node, _SCOPES):
            yield node.name
        else:
            yield from assigned_names(node)
            left += inner_statements(node)


def assigned_names(node: ast.stmt) -> Iterator[str]:
    """Yield the plain names a statement assigns to."""
    if isinstance(node, ast.Assign):
        targets: list[ast.expr] = node.targets
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.For, ast.AsyncFor)):
        targets = [node.target]
    else:
        targets = []
    for target in targets:
        for inner in [target, *(target.elts if isinstance(target, (ast.Tuple, ast.List)) else [])]:
            if isinstance(inner, ast.Name):
                yield inner.id


def inner_statements(node: ast.stmt) -> list[ast.stmt]:
    """Return the statements inside a compound statement without a separate scope."""
    if isinstance(node, _SCOPES):
        return []
    found: list[ast.stmt] = []
    for field in ("body", "orelse", "finalbody"):
        found += getattr(node, field, [])
    for part in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
        found += part.body
    return found


def _listed(tree: ast.Module) -> frozenset[str] | None:
    """Return the names of a literal `__all__`; None if there is none or it is computed."""
    found: set[str] = set()
    is_there = False
    for node in tree.body:
        if isinstance(node, _ASSIGNMENTS) and "__all__" in assigned_names(node):
            value = node.value
            items = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [None]
            strings = [i.value for i in items if isinstance(i, ast.Constant) and isinstance(i.value, str)]
            if len(strings) != len(items):
                return None
            is_there = True
            found.update(strings)
        elif isinstance(node, ast.Expr) and _is_called_on_all(node.value):
            return None
    return frozenset(found) if is_there else None


def _is_called_on_all(node: ast.expr) -> bool:
    """Return whether a call is on `__all__`, such as `__all__.extend(…)`."""
    called = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    return isinstance(called, ast.Name) and called.id == "__all__"
