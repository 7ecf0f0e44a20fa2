"""Properties of expressions in Python source."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.validators.languages.python import names
from assay.validators.languages.python.trees import parsed

if TYPE_CHECKING:
    from assay.validators.quality.contracts.python.scopes import Scope

_SAFE_MODULES = frozenset(
    "abc argparse ast asyncio builtins collections collections.abc contextlib dataclasses datetime enum functools io "
    "json logging string threading types typing unittest".split()
)
"""Modules of the standard library whose classes are inspected; importing them has no side effects."""


def names_given(node: ast.AST) -> frozenset[str] | None:
    """Return the names a `__getattr__` provides, from its conditions; None if it may provide others."""
    if not isinstance(node, ast.FunctionDef) or not node.args.args or not isinstance(node.body[-1], ast.Raise):
        return None
    own = node.args.args[0].arg
    for part in node.body[:-1]:
        if isinstance(part, ast.If) and _compares(part.test, own) and not part.orelse:
            continue
        if any(isinstance(inner, (ast.Return, ast.Yield)) for inner in ast.walk(part)):
            return None
    texts = (inner.value for inner in ast.walk(node) if isinstance(inner, ast.Constant))
    return frozenset(text for text in texts if isinstance(text, str))


def _compares(test: ast.expr, name: str) -> bool:
    """Return whether a condition is `name == "text"` or `name in {"text", …}`."""
    if not isinstance(test, ast.Compare) or last_name(test.left) != name or len(test.comparators) != 1:
        return False
    other = test.comparators[0]
    items = other.elts if isinstance(other, (ast.Tuple, ast.Set, ast.List)) else [other]
    return isinstance(test.ops[0], (ast.Eq, ast.In)) and all(isinstance(item, ast.Constant) for item in items)


def caught_names(node: ast.expr | None) -> Iterator[str]:
    """Yield the last names of the exceptions in an `except` clause; `BaseException` if it has none."""
    if node is None:
        yield "BaseException"
    for part in node.elts if isinstance(node, ast.Tuple) else [node] if node is not None else []:
        yield last_name(part)


def is_namespace(node: ast.expr) -> bool:
    """Return whether an expression is an object's attribute dictionary."""
    return last_name(node) == "__dict__" or (isinstance(node, ast.Call) and last_name(node.func) == "vars")


def is_update(node: ast.Call) -> bool:
    """Return whether a call sets attributes of an object, except from an object like it."""
    is_update = isinstance(node.func, ast.Attribute) and node.func.attr == "update" and is_namespace(node.func.value)
    return is_update and not all(map(is_namespace, node.args))


def last_name(node: ast.expr) -> str:
    """Return the last name of `a.b.c` or of a call of it."""
    return names.last_name(node.func if isinstance(node, ast.Call) else node)


def declared_class(annotation: ast.expr | None) -> ast.expr | None:
    """Return the only class of an annotation: `C`, `"C"`, `C | None`, `Optional[C]`."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str) and len(annotation.value) < 200:
        tree = parsed(f"_: {annotation.value}")
        inner = tree.body[0].annotation if tree is not None and isinstance(tree.body[0], ast.AnnAssign) else None
        return None if isinstance(inner, ast.Constant) else declared_class(inner)
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        sides = [annotation.left, annotation.right]
        named = [one for one in sides if not (isinstance(one, ast.Constant) and one.value is None)]
        return declared_class(named[0]) if len(named) == 1 else None
    if isinstance(annotation, ast.Subscript) and last_name(annotation.value) == "Optional":
        return declared_class(annotation.slice)
    return annotation if isinstance(annotation, (ast.Name, ast.Attribute)) else None


def known_class(node: ast.expr, scope: Scope) -> type | None:
    """Return the class if it is a built-in or from the standard library, else None."""
    dotted = _dotted(node, scope)
    module, _, name = dotted.rpartition(".")
    if module not in _SAFE_MODULES:
        return None
    found = getattr(importlib.import_module(module), name, None)
    if name in ("Generic", "Protocol"):
        return object
    if name == "NamedTuple":
        return tuple
    return found if isinstance(found, type) else None


def _dotted(node: ast.expr, scope: Scope) -> str:
    """Return the full name of an imported or built-in name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    found = scope.find(node.id)
    if not found:
        first = f"builtins.{node.id}"
    elif len(found) == 1 and found[0].kind == "from":
        first = f"{found[0].target}.{found[0].original}"
    elif len(found) == 1 and found[0].kind == "import":
        first = found[0].target
    else:
        return ""
    return ".".join([first.replace("typing_extensions.", "typing."), *reversed(parts)])
