"""JSON inside other text: tools print it before, after or between other output."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

MOST_TRIES = 8
"""Maximum attempts to parse a value that spans lines; each may read the rest of the text."""

MOST_LINES = 200_000


def json_of(data: bytes | str) -> Any:
    """Parse a whole JSON document; return None for anything else."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def json_values(text: str) -> Iterator[Any]:
    """Yield the arrays and objects in a text: the whole of it, else one per line, else those that begin a line."""
    whole = json_of(text) if text.lstrip()[:1] in ("[", "{") else None
    if whole is not None:
        yield whole
        return
    position, tries = 0, 0
    decoder = json.JSONDecoder()
    for _ in range(MOST_LINES):
        if position >= len(text):
            return
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        if text[position] in "[{":
            value = json_of(text[position:end]) if text[end - 1] in "]}" else None
            if value is not None:
                yield value
            elif tries < MOST_TRIES:
                tries += 1
                try:
                    value, end = decoder.raw_decode(text, position)
                except (ValueError, RecursionError):
                    value = None
                if value is not None:
                    yield value
        position = end + 1
