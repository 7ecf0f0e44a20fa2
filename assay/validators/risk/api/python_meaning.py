"""Behavior of a Python definition in comparable form: without annotations, documentation and log lines."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

LIMIT_CHARACTERS = 1_000_000
_LOGS = frozenset("logger log logging _logger _log LOGGER LOG".split())


def meanings(source: str) -> Mapping[str, str]:
    """Return `name` or `Class.method` -> text, equal for equal behavior; {} for invalid Python."""
    if len(source) > LIMIT_CHARACTERS:
        return {}
    try:
        return dict(_named(_Bare().visit(ast.parse(source)), ""))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}


def _named(holder: ast.Module | ast.ClassDef, above: str) -> Iterator[tuple[str, str]]:
    for node in holder.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield f"{above}{node.name}", ast.dump(node)
            if isinstance(node, ast.ClassDef):
                yield from _named(node, f"{above}{node.name}.")


class _Bare(ast.NodeTransformer):
    """Transformer that removes nodes without effect on behavior."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        is_text = isinstance(node.value, ast.Constant)
        return None if is_text or _is_log(node.value) else self.generic_visit(node)


def _is_log(node: ast.expr) -> bool:
    """Return whether an expression is a call like `logger.debug(...)`."""
    function = node.func if isinstance(node, ast.Call) else None
    owner = function.value if isinstance(function, ast.Attribute) else None
    return isinstance(owner, ast.Name) and owner.id in _LOGS
