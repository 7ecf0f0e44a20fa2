"""Values out of JSON that anybody may have written: each is what is asked for, within bounds, or None."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from assay.github_app.observability import redact
from assay.validators import as_visible

MOST_ABOUT = 200
MOST_SAID = 300
MOST_NAME = 100
MOST_COUNT = 2**50
_LOOKED_AT = 4000
"""Characters of a long text that are looked at for its first words."""


def mapping(value: object) -> Mapping[str, Any]:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> Iterator[Mapping[str, Any]]:
    """The objects in a list; what is no object is passed over."""
    if isinstance(value, list):
        yield from (one for one in value if isinstance(one, dict))


def short(value: object) -> str | None:
    """One short line, or None where there is no text."""
    return as_visible(value, MOST_NAME) or None if isinstance(value, str) else None


def about(value: object) -> str:
    """A command, path or query on one line, without credentials."""
    return as_visible(redact(value[:_LOOKED_AT]), MOST_ABOUT) if isinstance(value, str) else ""


def said(value: object) -> str:
    """The first words of an error on one line, without credentials."""
    return as_visible(redact(value[:_LOOKED_AT]), MOST_SAID) if isinstance(value, str) else ""


def count(value: object) -> int | None:
    """A count of something: not negative, and no number of a size nobody has."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
        value = int(value)
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_COUNT
    return value if is_count and isinstance(value, int) else None


def seconds(value: object, *, per_second: float = 1.0) -> float | None:
    """A time span in seconds, of a number that counts `per_second` of them."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    span = value / per_second if abs(value) < MOST_COUNT * 1e9 else math.nan
    return span if 0 <= span < 10**9 else None


def moment(value: object) -> datetime | None:
    """An aware time of an ISO text (UTC where it names no zone); None for one nobody could have meant."""
    if not isinstance(value, str) or len(value) > 64:
        return None
    try:
        at = datetime.fromisoformat(value)
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return at if 2000 <= at.year < 2200 else None


def moment_of_ns(value: object) -> datetime | None:
    """An aware time of nanoseconds since 1970, as a number or, for what JSON's numbers cannot hold, as a text."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 21:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 2**63:
        return None
    at = datetime.fromtimestamp(value // 1000 / 1_000_000, UTC)
    return at if 2000 <= at.year < 2200 else None


def text_of(content: object) -> str:
    """The text of a message's content: itself, or the texts of its parts."""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in items(content) if isinstance(part.get("text"), str))


def summary_of(given: object) -> str:
    """What a tool's input is about: its command, path, query or address, else the names of what it was given."""
    if isinstance(given, str):
        return about(given)
    values = mapping(given)
    for key in ("command", "cmd", "file_path", "path", "pattern", "query", "url", "description", "script"):
        value = values.get(key)
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            value = " ".join(value[:50])
        if isinstance(value, str) and value.strip():
            return about(value)
    return about(", ".join(sorted(str(key) for key in list(values)[:20])))
