"""Syntax trees of Python modules, cached for all analyzers of the same text."""

from __future__ import annotations

import ast
import re
import warnings
from collections import OrderedDict
from functools import lru_cache

LARGEST_PARSED = 2 * 1024 * 1024
MOST_KEPT = 600_000
"""Maximum characters of source whose trees are cached; a tree takes about fifty bytes for each."""
_DECLARED = re.compile(rb"\A(?:[^\n]*\n)?[^\n]*coding")
_PLAIN = frozenset("ctx op ops id attr arg asname module level kind type_comment simple conversion is_async".split())
"""Fields that hold no expression and no statement."""


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """Kind of node -> the fields that may hold other nodes."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        self[kind] = () if kind is ast.Constant else tuple(name for name in kind._fields if name not in _PLAIN)
        return self[kind]


_fields = _Fields()


class _Trees:
    """Cache of the last trees, by text."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes | str, ast.Module | None] = OrderedDict()
        self._size = 0

    def of(self, source: bytes | str) -> ast.Module | None:
        if source in self._kept:
            self._kept.move_to_end(source)
            return self._kept[source]
        tree = self._kept[source] = _tree(source)
        self._size += len(source)
        while self._size > MOST_KEPT and len(self._kept) > 2:
            oldest, _ = self._kept.popitem(last=False)
            self._size -= len(oldest)
        return tree


_trees = _Trees()


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
    return _trees.of(source)


@lru_cache(maxsize=4)
def nodes(tree: ast.Module) -> list[ast.AST]:
    """Return `walk` of a tree; cached for the last trees."""
    return walk(tree)


def walk(node: ast.AST) -> list[ast.AST]:
    """Return a node and all below it in the order of `ast.walk`, without contexts and operators."""
    found = [node]
    for one in found:
        for name in _fields[type(one)]:
            value = getattr(one, name, None)
            if isinstance(value, ast.AST):
                found.append(value)
            elif isinstance(value, list):
                found += [each for each in value if isinstance(each, ast.AST)]
    return found


def _tree(source: bytes | str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
