"""Hidden first line that identifies Assay's texts. It does not prove the author: see `client.identity`."""

from __future__ import annotations

import re

COMMENT = "comment"
REVIEW = "review"
FINDING = "finding"
OWN = "own"
REPEAT = "repeat"

_MARKER = re.compile(r"<!-- assay:([a-z]+)(?: ([0-9A-Za-z._:-]{1,120}))? -->")


def marker(kind: str, value: str = "") -> str:
    """Return the marker, an HTML comment that GitHub keeps and hides."""
    line = f"<!-- assay:{kind}{' ' if value else ''}{value} -->"
    if not _MARKER.fullmatch(line):
        raise ValueError(f"invalid marker: {kind!r} {value!r}")
    return line


def read_marker(body: str) -> tuple[str, str] | None:
    """Return (kind, value) of a body that begins with a marker; the text after it may be untrusted."""
    found = _MARKER.match(body.lstrip("\ufeff \t\r\n"))
    return (found[1], found[2] or "") if found else None
