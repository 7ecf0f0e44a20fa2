"""The names a Python module defines at its top level."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

LARGEST_PARSED = 2 * 1024 * 1024
_BINDING = re.compile(
    rb"^[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+([\w\x80-\xff]++)|^[ \t]*([\w\x80-\xff]++)[ \t]*+(?::[^=\n]*+)?=(?!=)",
    re.MULTILINE,
)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)


@dataclass(frozen=True, slots=True)
class ModuleNames:
    """What a module defines; `listed` is its `__all__` where that is written out."""

    defined: frozenset[str]
    listed: frozenset[str] | None

    def offers(self, name: str) -> bool:
        """Whether a star import brings the name."""
        return name in self.listed if self.listed is not None else not name.startswith("_")


def parsed(source: bytes | str) -> ast.Module | None:
    """The syntax tree of a module; None where Python cannot read it (broken, another version's, nested too deep, too long)."""
    if len(source) > LARGEST_PARSED:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def names_of(content: bytes) -> ModuleNames:
    """The names of a module's content; of a broken file whatever looks like a definition."""
    tree = parsed(content)
    if tree is None:
        found = {match.decode("utf-8", "replace") for pair in _BINDING.findall(content) for match in pair if match}
        return ModuleNames(frozenset(found), None)
    return ModuleNames(frozenset(bound_names(tree.body)), _listed(tree))


def bound_names(body: list[ast.stmt]) -> Iterator[str]:
    """The names that statements bind in the scope they stand in (in `if`, `try`, `with` and loops too), imports left out."""
    left = list(body)
    while left:
        node = left.pop()
        if isinstance(node, _SCOPES):
            yield node.name
        else:
            yield from assigned_names(node)
            left += inner_statements(node)


def assigned_names(node: ast.stmt) -> Iterator[str]:
    """The plain names a statement assigns to."""
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
    """The statements inside a compound statement that opens no scope of its own."""
    if isinstance(node, _SCOPES):
        return []
    found: list[ast.stmt] = []
    for field in ("body", "orelse", "finalbody"):
        found += getattr(node, field, [])
    for part in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
        found += part.body
    return found


def _listed(tree: ast.Module) -> frozenset[str] | None:
    """The names of a literal `__all__`; None where there is none, or one that is made up as the module runs."""
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
    """`__all__.extend(…)` and its like."""
    called = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    return isinstance(called, ast.Name) and called.id == "__all__"
