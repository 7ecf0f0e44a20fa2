"""Functions of a Python file: cyclomatic by radon, cognitive by complexipy, nesting by a walk of the tree.

A nested function is measured separately; its branches do not count for the outer one.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from complexipy import code_complexity
from radon.complexity import cc_visit_ast
from radon.visitors import Class as RadonClass

from assay.validators.languages.functions.function import Function

_NESTING = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.TryStar, ast.Match)
_Definition = ast.FunctionDef | ast.AsyncFunctionDef


def functions_of(text: str, _language: str = "python") -> list[Function]:
    """Return every function and method; raise SyntaxError for invalid source."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    cyclomatic = _cyclomatic(tree)
    lines = re.split(r"\r\n?|\n", text)
    return [
        Function(
            name=name,
            start=node.lineno,
            end=node.end_lineno or node.lineno,
            cyclomatic=cyclomatic.get(node.lineno, 1),
            cognitive=_cognitive(lines, node),
            nesting=_depth(node),
        )
        for name, node in _definitions(tree)
        if not _is_stub(node)
    ]


def _is_stub(node: _Definition) -> bool:
    """Return whether a function only declares: its body is `...`, as in overloads and protocols."""
    return all(isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) for each in node.body) and any(
        isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) and each.value.value is ...
        for each in node.body
    )


def _cyclomatic(tree: ast.Module) -> dict[int, int]:
    """Return line of a `def` -> complexity, asserts excluded: many asserts do not make a test complex."""
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


def _cognitive(lines: list[str], definition: _Definition) -> int | None:
    """Return the complexity of a function alone, its nested functions replaced by `pass`."""
    first = definition.lineno - 1
    own = lines[first : definition.end_lineno]
    for _, inner in reversed(list(_definitions(definition))):
        start = min([inner.lineno, *(each.lineno for each in inner.decorator_list)]) - 1
        for number in range(start, inner.end_lineno or inner.lineno):
            own[number - first] = f"{lines[inner.lineno - 1][: inner.col_offset]}pass"
    # A class around it allows any indentation.
    found = code_complexity("\n".join(["class _:" if definition.col_offset else "", *own])).functions
    return found[0].complexity if found else None


def _definitions(tree: ast.AST) -> Iterator[tuple[str, _Definition]]:
    """Yield (qualified name, node) of every function, by depth and position."""
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
    """Return the depth of nested control flow; an `elif` is as deep as its `if`.

    A closure is skipped: it is measured separately.
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
