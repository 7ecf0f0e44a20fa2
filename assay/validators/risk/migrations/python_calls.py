"""Literal arguments of calls in Python migrations, read from the syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from assay.validators.io.structured_files import Unreadable
from assay.validators.risk.migrations.migration import Effect, Operation
from assay.validators.risk.migrations.sql_statements import statement_operations
from assay.validators.wording import shortened

LIMIT_CHARACTERS = 250_000
"""Characters; a crafted megabyte takes up to 20 seconds to parse, and no real migration is near this limit."""


def parsed(text: str) -> ast.Module:
    """Return the syntax tree; raise `Unreadable` for invalid Python."""
    if len(text) > LIMIT_CHARACTERS:
        raise Unreadable("longer than a migration can be")
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unreadable(f"not valid Python: {type(error).__name__}") from None


def called(node: ast.Call) -> str:
    """Return the last name of a called function: `drop_table` for `op.drop_table(...)`."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    if isinstance(node.func, ast.Call) and called(node.func) == "getattr" and len(node.func.args) > 1:
        return _folded(node.func.args[1]) or ""
    return node.func.id if isinstance(node.func, ast.Name) else ""


def keyword(node: ast.Call, name: str) -> ast.expr | None:
    """Return the value of a keyword argument."""
    return next((one.value for one in node.keywords if one.arg == name), None)


def text_of(node: ast.expr | None) -> str | None:
    """Return a literal text, or joined ones, also inside `text("...")`; None for a computed one."""
    if isinstance(node, ast.Call) and called(node) == "text" and node.args:
        node = node.args[0]
    return _folded(node) if node is not None else None


def _folded(node: ast.expr) -> str | None:
    """Return a literal text, or several joined by `+`; None for a computed one."""
    texts: list[str] = []
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add):
            waiting += [one.right, one.left]
        elif isinstance(one, ast.JoinedStr):
            waiting += reversed(one.values)
        elif isinstance(one, ast.Constant) and isinstance(one.value, str):
            texts.append(one.value)
        else:
            return None
    return "".join(texts)


def in_words(node: ast.Call) -> str:
    """Return a call as a short line."""
    return shortened(ast.unparse(node), 100)


def executed(node: ast.Call, sql: ast.expr | None) -> Iterator[Operation]:
    """Yield the effects of SQL that a call runs; unclear if it is computed."""
    text = text_of(sql)
    if text is None:
        yield Operation(Effect.unclear, in_words(node), node.lineno)
    for operation in statement_operations(text or ""):
        yield replace(operation, line=node.lineno)
