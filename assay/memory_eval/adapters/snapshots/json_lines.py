"""Untrusted JSON, by line or by file: unreadable parts are noted and skipped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.snapshots.reading import Reading, lines_of

MOST_VALUES = 8_000_000
"""Commas and opening brackets of one value: an empty list of two characters takes 64 bytes."""

_JSON_ERRORS = (ValueError, RecursionError)


def objects_of(reading: Reading, path: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line, object) of a text with one JSON object per line; other lines are noted."""
    for number, line in enumerate(lines_of(text), start=1):
        if not line.strip():
            continue
        value, why = parsed(line)
        if isinstance(value, dict):
            yield number, value
        else:
            reading.leave(path, number, why or "a JSON value, but no object")


def whole_of(text: str) -> tuple[Any, str, bool]:
    """Return (JSON value, error, False) of a text, or (None, "", True) if its first line is an object of many."""
    first = first_line(text)
    value, why = parsed(first)
    if first.strip() == text.strip():
        return value, why, False
    return (None, "", True) if isinstance(value, dict) else (*parsed(text), False)


def listed(whole: Any, lists: Sequence[str]) -> list[Any]:
    """Return the items of a list, of the lists under the names in `lists`, or the value itself as the only one."""
    if isinstance(whole, dict) and (found := [whole[name] for name in lists if isinstance(whole.get(name), list)]):
        return [item for one in found for item in one]
    return whole if isinstance(whole, list) else [whole]


def objects_in(reading: Reading, path: Path, items: Iterable[Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (number, object); other values are noted."""
    for number, item in enumerate(items, start=1):
        if isinstance(item, dict):
            yield number, item
        else:
            reading.leave(path, number, "a JSON value, but no object")


def parsed(text: str) -> tuple[Any, str]:
    """Return a JSON value, or None and the error."""
    if len(text) > MOST_VALUES and sum(map(text.count, ",[{")) > MOST_VALUES:
        return None, f"JSON of more than {MOST_VALUES:,} values"
    try:
        return json.loads(text), ""
    except json.JSONDecodeError as error:
        return None, f"no JSON: {error.msg.lower()} at character {error.pos + 1}"
    except _JSON_ERRORS as error:
        return None, "JSON nested too deep" if isinstance(error, RecursionError) else "a number with too many digits"


def first_line(text: str) -> str:
    """Return the first line that is not empty."""
    return next((line for line in lines_of(text) if line.strip()), "")
