"""Literal arguments of `setup(...)` in a setup.py. Nothing is run."""

from __future__ import annotations

import ast
from typing import Any

from assay.validators.io.structured_files import Unreadable
from assay.validators.languages.python.names import last_name

LIMIT_CHARACTERS = 100_000
"""Bytes; a crafted megabyte takes up to 20 seconds to parse, and no real setup.py is near this limit."""


def setup_arguments(text: str) -> dict[str, Any]:
    """Return keyword -> its value, None if it is computed; names bound once at the top to a literal are resolved.

    Raises `Unreadable` for invalid Python.
    """
    if len(text) > LIMIT_CHARACTERS:
        raise Unreadable("larger than a setup.py can be")
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unreadable(f"not valid Python: {type(error).__name__}") from None
    literals = _top_literals(module)
    found: dict[str, Any] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and last_name(node.func) == "setup":
            for keyword in node.keywords:
                if keyword.arg is not None:
                    found[keyword.arg] = _value(keyword.value, literals)
    return found


def _top_literals(module: ast.Module) -> dict[str, Any]:
    """Return names bound exactly once, at the top level, to a literal."""
    bound: dict[str, list[ast.expr]] = {}
    for node in ast.walk(module):
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    bound.setdefault(target.id, []).append(node.value)
    return {name: _literal(values[0]) for name, values in bound.items() if len(values) == 1}


def _value(node: ast.expr, literals: dict[str, Any]) -> Any:
    if isinstance(node, ast.Name):
        return literals.get(node.id)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _value(node.left, literals), _value(node.right, literals)
        return left + right if isinstance(left, list) and isinstance(right, list) else None
    if isinstance(node, ast.Dict):
        keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
        values = [_value(value, literals) for value in node.values]
        return {key: value for key, value in zip(keys, values, strict=True) if isinstance(key, str)}
    return _literal(node)


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
