"""Parts of parsed JSON whose shape is not trusted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


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
