"""Mapping of base lines to head lines."""

from __future__ import annotations

from assay.validators.changes.change import ChangedFile


def head_line(file: ChangedFile, line: int) -> int:
    """Return the head's line for a line of the base.

    For a removed line, it is the line that replaces it, or the next one.
    """
    shift = 0
    for hunk in file.hunks:
        first = hunk.base_start if hunk.base_lines else hunk.base_start + 1
        if line < first:
            break
        inside = line - first
        if inside < len(hunk.base_lines):
            return first + shift + min(inside, max(0, len(hunk.head_lines) - 1))
        shift += len(hunk.head_lines) - len(hunk.base_lines)
    return line + shift
