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


def dicts(value: Any) -> Iterator[dict[str, Any]]:
    """Return the objects of a list, nothing else."""
    if isinstance(value, list):
        yield from (entry for entry in value if isinstance(entry, dict))


def inner(value: Any, *keys: str | int) -> Any:
    """Return the value at a path of keys, None where the path ends early."""
    for key in keys:
        if isinstance(value, dict) and isinstance(key, str):
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int) and -len(value) <= key < len(value):
            value = value[key]
        else:
            return None
    return value


def number(value: Any) -> int | None:
    """Return a plausible line or count, None for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        value = int(value)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 <= value < 10**9 else None


def text(value: Any) -> str:
    """Return a string, "" for anything else."""
    return value if isinstance(value, str) else ""
