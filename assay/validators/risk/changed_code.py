"""The lines of a change that are code: no blank, comment, docstring or import, and no old line with other spaces."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from assay.validators.change import ChangedFile, ChangeSet, SourceTree, decoded
from assay.validators.languages import LANGUAGES
from assay.validators.languages.language import Definition
from assay.validators.symbols import definitions as definitions_in

_COMMENT = re.compile(r"\s*(//|/\*|\*/|\*\s|\*$|<!--|--\s)")
_HASH_COMMENT = re.compile(r"\s*#")
_HASHED = frozenset("py pyi rb sh bash zsh yml yaml toml pl r ex exs jl tcl".split())
_IMPORT = re.compile(
    r"\s*(import\b|from\s+\S+\s+import\b|export\s+\*\s+from\b|export\s*\{[^}]*\}\s*from\b|use\s|require\b|#include\b|package\s)"
)


@dataclass(frozen=True, slots=True)
class ChangedCode:
    """The code a change adds (head line -> text) and removes (base line -> text) in one file."""

    added: dict[int, str]
    removed: dict[int, str]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


def changed_code(change: ChangeSet, file: ChangedFile) -> ChangedCode:
    """What of a file's changed lines is code. Lines that only moved within the file or got other spaces cancel out."""
    added = _code_in(change.head, file.path, file.added) if file.exists else {}
    removed = _code_in(change.base, file.base_path, file.removed) if file.base_path is not None else {}
    old, new = _squeezed(removed), _squeezed(added)
    return ChangedCode(_without(added, old), _without(removed, new))


def _code_in(tree: SourceTree, path: str, lines: dict[int, str]) -> dict[int, str]:
    language = next((one for one in LANGUAGES.values() if one.dialect(path) is not None), None)
    content = tree.read(path) if language is not None and lines else None
    if language is None or content is None:
        suffix = path.rpartition(".")[2].lower()
        return {number: text for number, text in lines.items() if _looks_like_code(text, suffix)}
    quiet = set(language.quiet_lines(path, decoded(content)))
    return {number: text for number, text in lines.items() if number not in quiet and text.strip()}


def definitions(tree: SourceTree, path: str | None) -> list[Definition]:
    """The named pieces of a file in a tree; nothing for a language whose definitions are not read."""
    content = tree.read(path) if path is not None else None
    return definitions_in(path, decoded(content)) if path is not None and content is not None else []


def around(pieces: Collection[Definition], lines: Collection[int]) -> Iterator[Definition]:
    """The pieces that hold one of these lines."""
    ordered = sorted(lines)
    for piece in pieces:
        at = bisect_left(ordered, piece.line)
        if at < len(ordered) and ordered[at] <= piece.end_line:
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


def _looks_like_code(text: str, suffix: str) -> bool:
    """Whether a line of a language Assay does not read is more than a comment or an import."""
    comment = _HASH_COMMENT if suffix in _HASHED else _COMMENT
    return bool(text.strip()) and comment.match(text) is None and _IMPORT.match(text) is None
