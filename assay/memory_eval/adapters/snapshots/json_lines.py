"""Untrusted JSON, by line or by file: unreadable parts are noted and skipped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.snapshots.reading import Reading, lines_of

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


def parsed(text: str) -> tuple[Any, str]:
    """Return a JSON value, or None and the error."""
    try:
        return json.loads(text), ""
    except json.JSONDecodeError as error:
        return None, f"no JSON: {error.msg.lower()} at character {error.pos + 1}"
    except _JSON_ERRORS as error:
        return None, "JSON nested too deep" if isinstance(error, RecursionError) else "a number with too many digits"


def first_line(text: str) -> str:
    """Return the first line that is not empty."""
    return next((line for line in lines_of(text) if line.strip()), "")
