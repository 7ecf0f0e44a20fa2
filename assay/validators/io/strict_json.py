"""Strict reader of untrusted JSON: it refuses what Python's reader accepts beyond the standard.

Duplicate keys, numbers without an end, lone surrogates and deep nesting: Assay writes none of them, and readers
disagree on their meaning.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

MOST_DEPTH = 12
MOST_NUMBER = 2**53
"""Largest integer that every JSON reader represents exactly."""


class NotStrict(ValueError):
    """Invalid JSON; the message holds no text of the input."""


def read_strict_json(body: bytes) -> Any:
    """Return the parsed JSON; raise `NotStrict`. `strict_values` checks its numbers, also for data parsed elsewhere."""
    try:
        data = parsed_json(body.decode("utf-8"))
    except NotStrict:
        raise
    except RecursionError:
        raise NotStrict("it is nested too deeply") from None
    except UnicodeDecodeError:
        raise NotStrict("it is not UTF-8 text") from None
    except ValueError:
        raise NotStrict("it is not JSON") from None
    strict_values(data)
    return data


def parsed_json(text: str) -> Any:
    """Return the JSON as Python's reader parses it.

    Raises `NotStrict` for NaN, infinities and duplicate keys, `ValueError` for invalid JSON, and `RecursionError`.
    """
    return json.loads(text, parse_constant=_no_number, object_pairs_hook=_distinct)


def strict_values(data: Any) -> None:
    """Raise `NotStrict` for a value Assay would not write."""
    for value, depth in _values(data):
        if depth > MOST_DEPTH:
            raise NotStrict("it is nested too deeply")
        if isinstance(value, str) and not _is_text(value):
            raise NotStrict("a text holds a lone surrogate")
        if isinstance(value, float) and not math.isfinite(value):
            raise NotStrict("a number is not finite")
        if isinstance(value, int | float) and abs(value) > MOST_NUMBER:
            raise NotStrict("a number is too large")


def _values(data: Any) -> Iterator[tuple[Any, int]]:
    """Yield each value with its depth; keys are values too."""
    waiting: list[tuple[Any, int]] = [(data, 1)]
    while waiting:
        value, depth = waiting.pop()
        yield value, depth
        if depth > MOST_DEPTH:
            continue
        if isinstance(value, dict):
            waiting += [(name, depth) for name in value]
            waiting += [(one, depth + 1) for one in value.values()]
        elif isinstance(value, list):
            waiting += [(one, depth + 1) for one in value]


def _is_text(text: str) -> bool:
    return text.isascii() or not any(0xD800 <= ord(char) <= 0xDFFF for char in text)


def _no_number(word: str) -> float:
    raise NotStrict(f"{word} is not a number")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotStrict("an object has a duplicate key")
    return found
