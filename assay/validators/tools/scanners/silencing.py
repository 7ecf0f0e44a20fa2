"""Comments that silence Assay's scanners: those in the base count, those a change adds do not.

The export changes the first letter of the added ones, so that scanners do not recognise them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from assay.validators.changes.change import ChangedFile, ChangeSet, Hunk

LONGEST_LINE = 2000
ALIKE = 0.6
"""Share of two texts that is the same (difflib's ratio; its documentation calls 0.6 a close match)."""
MOST_PAIRED = 50
"""Maximum removed lines of a place that an added one is compared with."""

_WORD = re.compile(
    r"\b(?:nosec|nosem(?:grep)?|squawk-ignore(?:-file)?|zizmor:\s*ignore|noqa(?!\s*:\s*[A-RT-Z])"
    r"|eslint-disable(?:-next)?(?:-line)?|type:\s*ignore\[S)\b",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"#|//|--|/\*|<!--|\{#")
_WHOLE_FILE = re.compile(r"squawk-ignore-file|eslint-disable(?!-)", re.IGNORECASE)


def added_silencers(change: ChangeSet, file: ChangedFile) -> frozenset[int]:
    """Return the head lines of the file whose silencing comment the base did not have."""
    hunks = [hunk for hunk in file.hunks if any(_words(line) for line in hunk.head_lines)]
    if not hunks:
        return frozenset()
    moved = {_squeezed(line) for other in change.files for line in other.removed.values() if _words(line)}
    return frozenset(line for hunk in hunks for line in _added(hunk, moved))


def awake(line: str) -> str:
    """Return the line with its silencing comments disabled, at the same length."""
    comment = _COMMENT.search(line)
    if comment is None:
        return line
    at = comment.start()
    return line[:at] + _WORD.sub(lambda match: f"x{match[0][1:]}", line[at:])


def is_for_whole_file(line: str) -> bool:
    """Return whether the comment on this line silences more than the adjacent lines."""
    return _WHOLE_FILE.search(line[:LONGEST_LINE]) is not None


def _added(hunk: Hunk, moved: set[str]) -> Iterator[int]:
    for number, line in enumerate(hunk.head_lines, hunk.head_start):
        words = _words(line)
        if not words or (_squeezed(line) in moved and not _is_comment_alone(line)):
            continue
        olds = [old for old in hunk.base_lines[:MOST_PAIRED] if words <= _words(old)]
        if not any(_is_alike(line, old) for old in olds):
            yield number


def _words(line: str) -> set[str]:
    comment = _COMMENT.search(line[:LONGEST_LINE])
    return set() if comment is None else {word.lower() for word in _WORD.findall(line[comment.start() : LONGEST_LINE])}


def _is_comment_alone(line: str) -> bool:
    return _COMMENT.match(line.strip()) is not None


def _is_alike(line: str, old: str) -> bool:
    if _is_comment_alone(line):
        return _squeezed(line) == _squeezed(old)
    return SequenceMatcher(None, line[:400], old[:400], autojunk=False).ratio() >= ALIKE


def _squeezed(line: str) -> str:
    return "".join(line.split())
