"""Measures of a change's text: the lines of source it adds, by count, control flow and depth.

They depend on the patch alone. Lines are classified by their beginning: a patch shows too little of a file to find
the ends of its comments and strings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from assay.validators.changes.classify import Nature
from assay.validators.changes.landed import FilePatch
from assay.validators.changes.language_table import language_of

MOST_CHARACTERS = 2000
"""Bytes of a line that are read: a longer one is data."""
MOST_LINES = 5_000
"""Added lines whose control flow, calls, assignments and indents are read; a larger change ranks above all others."""
TAB_COLUMNS = 4
CONTROL_FLOW = re.compile(
    rb"\b(?:if|elif|for|while|case|catch|except|switch|match|when|select|and|or)\b|&&|\|\|",
)
"""Keywords and operators at which execution branches, in any language."""
CALL = re.compile(rb"\w\(")
ASSIGNMENT = re.compile(rb"[^=!<>]=(?!=)")
_COMMENT_STARTS = {
    "c": (b"//", b"/*", b"*"),
    "go": (b"//", b"/*", b"*"),
    "rust": (b"//", b"/*", b"*"),
    "javascript": (b"//", b"/*", b"*", b"<!--"),
    "php": (b"//", b"/*", b"*", b"#"),
    "python": (b"#", b'"""', b"'''"),
    "ruby": (b"#",),
    "shell": (b"#",),
    "settings": (b"#",),
    "sql": (b"--", b"/*", b"*"),
    "markup": (b"<!--",),
}
_ANY_COMMENT = (b"//", b"/*", b"*", b"#", b"--", b"<!--", b";")
_IMPORT = re.compile(rb"(?:import|from|using|use|require|include|package|export \* from|export \{)\b|#\s*include\b")


class TextMeasures(NamedTuple):
    """Measures of all source files of one change.

    `added` and `removed` are lines with code; `control_flow`, `calls` and `assignments` count those of the added lines,
    `indent` the columns before the deepest one. `churn` is all changed lines of files with a source suffix, tests and
    comments included.
    """

    added: int = 0
    removed: int = 0
    control_flow: int = 0
    calls: int = 0
    assignments: int = 0
    indent: int = 0
    churn: int = 0


def measure_text(patches: Iterable[FilePatch], nature_of: Callable[[str], Nature]) -> TextMeasures:
    """Return the measures of a change; only files that `nature_of` calls source count, except in `churn`."""
    added: list[bytes] = []
    removed = churn = 0
    for patch in patches:
        churn += sum(len(hunk.added) + len(hunk.removed) for hunk in patch.hunks)
        if nature_of(patch.path) is Nature.source:
            added += code_lines((line for hunk in patch.hunks for line in hunk.added), patch.path)
            removed += sum(1 for _ in code_lines((line for hunk in patch.hunks for line in hunk.removed), patch.path))
    first = added[:MOST_LINES]
    text = b"\n".join(first)
    return TextMeasures(
        added=len(added),
        removed=removed,
        control_flow=len(CONTROL_FLOW.findall(text)),
        calls=len(CALL.findall(text)),
        assignments=len(ASSIGNMENT.findall(text)),
        indent=max(map(_columns, first), default=0),
        churn=churn,
    )


def code_lines(lines: Iterable[bytes], path: str) -> Iterator[bytes]:
    """Yield the lines that are neither blank nor begin as a comment, without what exceeds `MOST_CHARACTERS`."""
    language = language_of(path)
    comments = _COMMENT_STARTS.get((language.comments if language is not None else None) or "", _ANY_COMMENT)
    for line in lines:
        text = line[:MOST_CHARACTERS].lstrip()
        if text and not text.startswith(comments):
            yield line[:MOST_CHARACTERS]


def is_import(line: bytes) -> bool:
    """Return whether a line begins as an import in one of the common languages."""
    return _IMPORT.match(line.lstrip()) is not None


def _columns(line: bytes) -> int:
    blank = line[: len(line) - len(line.lstrip())]
    return len(blank) + (TAB_COLUMNS - 1) * blank.count(b"\t")
