"""Bounded conversions of untrusted JSON values; each returns None or an empty value for the wrong type."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from assay.github_app.ops.observability import redact
from assay.validators import as_visible

MOST_ABOUT = 200
MOST_SAID = 300
MOST_NAME = 100
MOST_COUNT = 2**50
_LOOKED_AT = 4000
"""Characters of a long text that are searched for its first words."""


def mapping(value: object) -> Mapping[str, Any]:
    """Return the object, or an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a list, skipping other values."""
    if isinstance(value, list):
        yield from (one for one in value if isinstance(one, dict))


def short(value: object) -> str | None:
    """Return one short line, or None without text."""
    return as_visible(value, MOST_NAME) or None if isinstance(value, str) else None


def about(value: object) -> str:
    """Return a command, path or query on one line, without credentials."""
    return as_visible(redact(value[:_LOOKED_AT]), MOST_ABOUT) if isinstance(value, str) else ""


def said(value: object) -> str:
    """Return the first words of an error on one line, without credentials."""
    return as_visible(redact(value[:_LOOKED_AT]), MOST_SAID) if isinstance(value, str) else ""


def count(value: object) -> int | None:
    """Return a count: not negative and of a plausible size."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
        value = int(value)
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_COUNT
    return value if is_count and isinstance(value, int) else None


def seconds(value: object, *, per_second: float = 1.0) -> float | None:
    """Return a duration in seconds from a number with `per_second` units a second."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    span = value / per_second if abs(value) < MOST_COUNT * 1e9 else math.nan
    return span if 0 <= span < 10**9 else None


def moment(value: object) -> datetime | None:
    """Return an aware time from ISO text (UTC without a zone); None for an implausible one."""
    if not isinstance(value, str) or len(value) > 64:
        return None
    try:
        at = datetime.fromisoformat(value)
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return at if 2000 <= at.year < 2200 else None


def moment_of_ns(value: object) -> datetime | None:
    """Return an aware time from nanoseconds since 1970, a number or, beyond JSON's precision, a text."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 21:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 2**63:
        return None
    at = datetime.fromtimestamp(value // 1000 / 1_000_000, UTC)
    return at if 2000 <= at.year < 2200 else None


def text_of(content: object) -> str:
    """Return the text of a message's content: itself, or the texts of its parts."""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in items(content) if isinstance(part.get("text"), str))


def summary_of(given: object) -> str:
    """Summarize a tool's input: its command, path, query or address, else the names of its arguments."""
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
