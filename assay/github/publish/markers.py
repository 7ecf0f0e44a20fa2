"""The hidden first line by which what we wrote is found again. It proves nothing alone: see `github.identity`."""

from __future__ import annotations

import re

COMMENT = "comment"
REVIEW = "review"
FINDING = "finding"
OWN = "own"
REPEAT = "repeat"

_MARKER = re.compile(r"<!-- assay:([a-z]+)(?: ([0-9A-Za-z._:-]{1,120}))? -->")


def marker(kind: str, value: str = "") -> str:
    """The line: an HTML comment, which GitHub keeps and does not show."""
    line = f"<!-- assay:{kind}{' ' if value else ''}{value} -->"
    if not _MARKER.fullmatch(line):
        raise ValueError(f"no marker can hold {kind!r} {value!r}")
    return line


def read_marker(body: str) -> tuple[str, str] | None:
    """(kind, value) of a body that begins with a marker. Further down may stand words of strangers."""
    found = _MARKER.match(body.lstrip("\ufeff \t\r\n"))
    return (found[1], found[2] or "") if found else None
