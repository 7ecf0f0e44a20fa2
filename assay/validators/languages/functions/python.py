"""The functions of a Python file: cyclomatic by radon, cognitive by complexipy, nesting by a walk of our own.

A function inside a function is counted by itself; only complexipy counts it with the one around it too.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

from complexipy import code_complexity
from radon.complexity import cc_visit_ast
from radon.visitors import Class as RadonClass

from assay.validators.languages.functions.function import Function

_NESTING = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.TryStar, ast.Match)
_Definition = ast.FunctionDef | ast.AsyncFunctionDef


def functions_of(text: str, _language: str = "python") -> list[Function]:
    """Every function and method; raises SyntaxError for what does not parse."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    cyclomatic = _cyclomatic(tree)
    cognitive = {
        (each.name.rpartition("::")[2], each.line_end): each.complexity for each in code_complexity(text).functions
    }
    return [
        Function(
            name=name,
            start=node.lineno,
            end=node.end_lineno or node.lineno,
            cyclomatic=cyclomatic.get(node.lineno, 1),
            cognitive=cognitive.get((node.name, node.end_lineno or 0)),
            nesting=_depth(node),
        )
        for name, node in _definitions(tree)
        if not _is_stub(node)
    ]


def _is_stub(node: _Definition) -> bool:
    """Whether it only declares: `...` for a body, as overloads and protocols have it."""
    return all(isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) for each in node.body) and any(
        isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) and each.value.value is ...
        for each in node.body
    )


def _cyclomatic(tree: ast.Module) -> dict[int, int]:
    """Line of a `def` -> its complexity. Asserts are no paths: a test that asserts much is not complex."""
    found: dict[int, int] = {}
    blocks = list(cc_visit_ast(tree, no_assert=True))
    while blocks:
        block = blocks.pop()
        if isinstance(block, RadonClass):
            blocks += [*block.methods, *block.inner_classes]
        else:
            found[block.lineno] = block.complexity
            blocks += block.closures
    return found


def _definitions(tree: ast.Module) -> Iterator[tuple[str, _Definition]]:
    """(qualified name, node) of every function, top to bottom as far as they are nested alike."""
    waiting: list[tuple[str, ast.AST]] = [("", tree)]
    while waiting:
        prefix, node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, _Definition):
                yield prefix + child.name, child
            if isinstance(child, (_Definition, ast.ClassDef)):
                waiting.append((f"{prefix}{child.name}.", child))
            elif not isinstance(child, ast.expr):
                waiting.append((prefix, child))


def _depth(definition: _Definition) -> int:
    """How deep control flow stands inside control flow; an `elif` is no deeper than its `if`.

    A closure is not looked into: it is measured by itself.
    """
    deepest = 0
    waiting: list[tuple[int, ast.AST]] = [(0, definition)]
    while waiting:
        depth, node = waiting.pop()
        deepest = max(deepest, depth)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.expr, _Definition)):
                continue
            if isinstance(child, _NESTING):
                waiting.append((depth if _is_elif(node, child) else depth + 1, child))
            else:
                waiting.append((depth, child))
    return deepest


def _is_elif(parent: ast.AST, child: ast.AST) -> bool:
    return (
        isinstance(parent, ast.If)
        and isinstance(child, ast.If)
        and parent.orelse == [child]
        and child.col_offset == parent.col_offset
    )
