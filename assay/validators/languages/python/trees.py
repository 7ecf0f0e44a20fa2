"""Syntax trees of Python modules, cached for all analyzers of the same text."""

from __future__ import annotations

import ast
import re
import warnings
from functools import lru_cache

LARGEST_PARSED = 2 * 1024 * 1024
MOST_KEPT = 8
"""Maximum cached trees: all analyzers of a file read it about the same time, and a tree takes fifty times its text."""
_DECLARED = re.compile(rb"\A(?:[^\n]*\n)?[^\n]*coding")


def parsed(source: bytes | str) -> ast.Module | None:
    """Return the syntax tree of a module; None if Python cannot read it (broken, too old, too deep, too long).

    The last trees are cached and shared: do not modify one.
    """
    if len(source) > LARGEST_PARSED:
        return None
    if isinstance(source, bytes) and not source.startswith(b"\xef\xbb\xbf") and not _DECLARED.match(source):
        try:
            source = source.decode()
        except UnicodeDecodeError:
            return None
    return _tree(source)


@lru_cache(maxsize=4)
def nodes(tree: ast.Module) -> list[ast.AST]:
    """Return `walk` of a tree; cached for the last trees."""
    return walk(tree)


def walk(node: ast.AST) -> list[ast.AST]:
    """Return a node and all below it, in the order of `ast.walk`."""
    return list(ast.walk(node))


@lru_cache(maxsize=MOST_KEPT)
def _tree(source: bytes | str) -> ast.Module | None:
    with warnings.catch_warnings(action="ignore"):
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
