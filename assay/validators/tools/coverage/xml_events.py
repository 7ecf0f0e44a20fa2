"""Streaming reader for untrusted XML reports of any size."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import ParseError, iterparse


def xml_events(data: bytes) -> Iterator[tuple[str, str, Any]]:
    """Yield (start or end, tag without namespace, element); empty an element after its end is processed.

    Raises:
        ValueError: The document is damaged or holds entities.
    """
    try:
        for event, element in iterparse(io.BytesIO(data), events=("start", "end")):
            yield event, str(element.tag).rpartition("}")[2], element
            if event == "end":
                element.clear()
    except (ParseError, DefusedXmlException, LookupError) as error:
        raise ValueError(f"not readable as XML: {error}") from None


def root_tag(head: bytes) -> bytes:
    """Return the name of the outermost element; b"" where the first bytes do not show it."""
    rest = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    while rest.startswith((b"<?", b"<!")):
        end = rest.find(b"-->" if rest.startswith(b"<!--") else b">")
        if end < 0:
            return b""
        rest = rest[end + (3 if rest.startswith(b"<!--") else 1) :].lstrip()
    name = rest[1:200].split(b">")[0].split() if rest.startswith(b"<") else []
    return name[0].rpartition(b":")[2].rstrip(b"/") if name else b""


def whole(value: str | None) -> int | None:
    """Parse a count or line of a report; None for anything else."""
    return int(value) if value and value.isascii() and value.isdigit() and len(value) < 19 else None
