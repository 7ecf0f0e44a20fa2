"""Executable lines of a Python file, as coverage.py counts statements, found by compiling it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from types import CodeType

_EXCLUDED = re.compile(
    r"#\s*(?:pragma|PRAGMA)[:\s]?\s*(?:no|NO)\s*(?:cover|COVER)|^\s*(?:if (?:typing\.)?TYPE_CHECKING:|\.\.\.)\s*$"
    r"|^\s*(?:(?:async )?def .*|\)(?:\s*->.*)?):\s*\.\.\.\s*(?:#|$)"
)
_HAS_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def statement_lines(source: bytes) -> dict[int, int] | None:
    """Map every line that holds code to the first line of its statement; None where the source does not compile.

    Leaves out docstrings and what coverage.py excludes by default (`pragma: no cover`, `if TYPE_CHECKING:`).
    """
    try:
        tree = ast.parse(source)
        code = compile(source, "<measured>", "exec", dont_inherit=True, optimize=0)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    first = dict(_first_lines(tree))
    left_out = set(_docstrings(tree)) | set(_excluded(tree, source))
    return {line: first.get(line, line) for line in _code_lines(code) if first.get(line, line) not in left_out}


def _first_lines(tree: ast.AST) -> Iterator[tuple[int, int]]:
    """Map each line of a statement's own text (a compound one's head only) to the line the statement begins on."""
    for node in ast.walk(tree):
        for decorator in getattr(node, "decorator_list", ()):
            for line in range(decorator.lineno, (decorator.end_lineno or 0) + 1):
                yield line, decorator.lineno
        if isinstance(node, ast.stmt | ast.ExceptHandler):
            body = node.cases if isinstance(node, ast.Match) else getattr(node, "body", None)
            end = _start(body[0]) - 1 if isinstance(body, list) and body else node.end_lineno or node.lineno
            for line in range(node.lineno, max(end, node.lineno) + 1):
                yield line, node.lineno


def _start(node: ast.stmt | ast.match_case) -> int:
    if isinstance(node, ast.match_case):
        return node.pattern.lineno
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _code_lines(code: CodeType) -> Iterator[int]:
    waiting = [code]
    while waiting:
        current = waiting.pop()
        yield from (line for _, _, line in current.co_lines() if line)
        waiting += [constant for constant in current.co_consts if isinstance(constant, CodeType)]


def _docstrings(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, _HAS_DOCSTRING) and node.body and ast.get_docstring(node, clean=False) is not None:
            yield node.body[0].lineno


def _excluded(tree: ast.AST, source: bytes) -> Iterator[int]:
    """Return the lines a comment excludes; on the head of a compound statement it excludes the whole body."""
    text = source.decode("utf-8", "replace").split("\n")
    marked = {number for number, line in enumerate(text, 1) if len(line) < 2000 and _EXCLUDED.search(line)}
    yield from marked
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.stmt | ast.ExceptHandler) and isinstance(body, list) and body:
            start = _start(node) if isinstance(node, ast.stmt) else node.lineno
            end = _start(body[0])
            # In `def f(): ...` the body is on the same line as the head.
            end += bool(text[end - 1].encode()[: body[0].col_offset].strip()) if end <= len(text) else 0
            if marked.intersection(range(start, end)) or node.lineno in marked:
                yield from range(start, (body[-1].end_lineno or body[-1].lineno) + 1)
        elif isinstance(node, ast.stmt) and marked.intersection(range(node.lineno, (node.end_lineno or 0) + 1)):
            yield node.lineno
