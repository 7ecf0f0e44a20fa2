"""Changed lines that are code: no blank line, comment, docstring, import or change of white space."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from assay.validators.changes.change import ChangedFile, ChangeSet, SourceTree, decoded
from assay.validators.changes.language_table import is_in, languages
from assay.validators.graph.symbols import definitions as definitions_in
from assay.validators.graph.symbols import quiet_lines
from assay.validators.languages.language import Definition
from assay.validators.languages.source_text import SourceText, split_source

_PYTHON = languages("python")
_INERT_COMMENT = re.compile(r"(?://|#|/\*|--)[^(){}<>=;`$]*\Z")
"""Comment that has no effect even if it is misread as code."""
_OPENS = re.compile(r"\s*(?://|/\*|\*|#|<!--|--\s|--\Z)")
_IMPORT = re.compile(
    r"\s*(?![^;]*;\s*\S)(import\b|from\s+\S+\s+import\b|export\s+\*\s+from\b|export\s*\{[^}]*\}\s*from\b|use\s|require\b|#include\b|package\s)"
)


@dataclass(frozen=True, slots=True)
class ChangedCode:
    """Code a change adds (head line -> text) and removes (base line -> text) in one file."""

    added: dict[int, str]
    removed: dict[int, str]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


def changed_code(change: ChangeSet, file: ChangedFile) -> ChangedCode:
    """Return the code among a file's changed lines.

    Lines that only moved within the file, or whose white space or trailing comment changed, cancel out.
    """
    added, new = _code_in(change.head, file.path, file.added) if file.exists else ({}, {})
    removed, old = _code_in(change.base, file.base_path, file.removed) if file.base_path is not None else ({}, {})
    return ChangedCode(_without(added, new, old.values()), _without(removed, old, new.values()))


def _code_in(tree: SourceTree, path: str, lines: dict[int, str]) -> tuple[dict[int, str], dict[int, str]]:
    """Return the code lines as written, and normalized for comparison."""
    content = tree.read(path) if lines else None
    if content is None:
        code = {number: text for number, text in lines.items() if text.strip() and not _IMPORT.match(text)}
        return code, {number: "".join(text.split()) for number, text in code.items()}
    text = decoded(content)
    source = split_source(text, path)
    found = quiet_lines(path, text)
    quiet = found if found is not None else _quiet_lines(source)
    code = {number: line for number, line in lines.items() if number not in quiet and line.strip()}
    ends = {comment.line: comment for comment in source.comments if comment.line in code}
    is_python = is_in(path, _PYTHON)
    bare = {}
    for number, line in code.items():
        comment = ends.get(number)
        if comment is not None and (is_python or _INERT_COMMENT.match(comment.text)):
            line = line.removesuffix(comment.text)  # noqa: PLW2901  for comparison only
        bare[number] = "".join(line.split())
    return code, bare


def _quiet_lines(source: SourceText) -> set[int]:
    """Return imports and comments of a language without a reader; comments count only on lines that begin with one."""
    quiet = {number for number, line in enumerate(source.lines, 1) if _IMPORT.match(line)}
    begun = 0
    for comment in source.comments:
        opens = _OPENS.match(source.lines[comment.line - 1]) is not None or begun == comment.line - 1
        if opens and comment.line in source.comment_lines:
            quiet.add(comment.line)
            begun = comment.line
    return quiet


def definitions(tree: SourceTree, path: str | None) -> list[Definition]:
    """Return the definitions of a file in a tree; empty for an unsupported language."""
    content = tree.read(path) if path is not None else None
    return definitions_in(path, decoded(content)) if path is not None and content is not None else []


def around(pieces: Collection[Definition], lines: Collection[int]) -> Iterator[Definition]:
    """Yield the definitions that contain one of these lines."""
    ordered = sorted(lines)
    for piece in pieces:
        at = bisect_left(ordered, piece.line)
        if at < len(ordered) and ordered[at] <= piece.end_line:
            yield piece


def innermost(pieces: Iterable[Definition], line: int) -> Definition | None:
    """Return the definition around a line that begins last; None if there is none."""
    return max((one for one in pieces if one.line <= line <= one.end_line), key=lambda one: one.line, default=None)


def _without(lines: dict[int, str], keys: dict[int, str], others: Iterable[str]) -> dict[int, str]:
    left = Counter(others)
    kept = {}
    for number, text in lines.items():
        if left[keys[number]] > 0:
            left[keys[number]] -= 1
        else:
            kept[number] = text
    return kept
