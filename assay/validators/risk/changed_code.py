"""The lines of a change that are code: no blank, comment, docstring or import, and no old line with other spaces."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

from assay.validators.change import ChangedFile, ChangeSet, SourceTree, decoded
from assay.validators.languages.language import Definition
from assay.validators.symbols import definitions as definitions_in

_COMMENT = re.compile(r"\s*(//|/\*|\*/|\*\s|\*$|<!--|--\s)")
_HASH_COMMENT = re.compile(r"\s*#")
_HASHED = frozenset("py pyi rb sh bash zsh yml yaml toml pl r ex exs jl tcl".split())
_IMPORT = re.compile(
    r"\s*(import\b|from\s+\S+\s+import\b|export\s+\*\s+from\b|export\s*\{[^}]*\}\s*from\b|use\s|require\b|#include\b|package\s)"
)

LONGEST_SOURCE = 1_000_000
"""Characters of a file whose docstrings are looked for; in a longer one they count as code."""


@dataclass(frozen=True, slots=True)
class ChangedCode:
    """The code a change adds (head line -> text) and removes (base line -> text) in one file."""

    added: dict[int, str]
    removed: dict[int, str]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


def changed_code(change: ChangeSet, file: ChangedFile) -> ChangedCode:
    """What of a file's changed lines is code. Lines that only moved within the file or got other spaces cancel out."""
    quiet_head = _docstrings(change.head, file.path) if file.exists else frozenset()
    quiet_base = _docstrings(change.base, file.base_path)
    suffix = file.path.rpartition(".")[2].lower()
    added = {line: text for line, text in file.added.items() if line not in quiet_head and _is_code(text, suffix)}
    removed = {line: text for line, text in file.removed.items() if line not in quiet_base and _is_code(text, suffix)}
    old, new = _squeezed(removed), _squeezed(added)
    return ChangedCode(_without(added, old), _without(removed, new))


def definitions(tree: SourceTree, path: str | None) -> list[Definition]:
    """The named pieces of a file in a tree; nothing for a language whose definitions are not read."""
    content = tree.read(path) if path is not None else None
    return definitions_in(path, decoded(content)) if path is not None and content is not None else []


def around(pieces: Collection[Definition], lines: Collection[int]) -> Iterator[Definition]:
    """The pieces that hold one of these lines."""
    for piece in pieces:
        if any(piece.line <= line <= piece.end_line for line in lines):
            yield piece


def _squeezed(lines: dict[int, str]) -> Counter[str]:
    return Counter("".join(text.split()) for text in lines.values())


def _without(lines: dict[int, str], others: Counter[str]) -> dict[int, str]:
    left = others.copy()
    kept = {}
    for number, text in lines.items():
        key = "".join(text.split())
        if left[key] > 0:
            left[key] -= 1
        else:
            kept[number] = text
    return kept


def _is_code(text: str, suffix: str) -> bool:
    if not text.strip():
        return False
    comment = _HASH_COMMENT if suffix in _HASHED else _COMMENT
    return comment.match(text) is None and _IMPORT.match(text) is None


def _docstrings(tree: SourceTree, path: str | None) -> frozenset[int]:
    """Lines of Python docstrings and other texts that stand alone."""
    if path is None or not path.endswith((".py", ".pyi")):
        return frozenset()
    content = tree.read(path)
    return _docstring_lines(decoded(content)) if content else frozenset()


@lru_cache(maxsize=64)
def _docstring_lines(source: str) -> frozenset[int]:
    if len(source) > LONGEST_SOURCE:
        return frozenset()
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    found: set[int] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return frozenset(found)
