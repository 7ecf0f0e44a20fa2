"""JSON that a stranger wrote, read without surprises: what Python's own reader forgives is refused here.

Two values for one key, numbers without an end, half characters and depth for its own sake: no program of ours writes
them, and each means something else to the next program that reads it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

MOST_DEPTH = 12
MOST_NUMBER = 2**53
"""JSON's numbers are exact up to here, for every reader."""


class NotStrict(ValueError):
    """What is wrong, in our words alone."""


def read_strict_json(body: bytes) -> Any:
    """What the JSON says; raises `NotStrict`. Numbers are checked by `strict_values` too, for data that is parsed."""
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
    """What the JSON says, as Python's reader has it; raises `ValueError` (`NotStrict` for NaN, infinities and a key
    that stands twice) and `RecursionError`.
    """
    return json.loads(text, parse_constant=_no_number, object_pairs_hook=_distinct)


def strict_values(data: Any, fractions: frozenset[str] = frozenset()) -> None:
    """Raises `NotStrict` where a value is none that we would write.

    `fractions`, where given, are the only keys whose numbers may have a fraction: to a schema `1e5` is a whole number,
    and to Python a float.
    """
    for key, value, depth in _values(data):
        if depth > MOST_DEPTH:
            raise NotStrict("it is nested too deeply")
        if isinstance(value, str) and not _is_text(value):
            raise NotStrict("a text holds half a character")
        if isinstance(value, float) and (not math.isfinite(value) or (fractions and key not in fractions)):
            raise NotStrict("a number is none we would write")
        if isinstance(value, int | float) and abs(value) > MOST_NUMBER:
            raise NotStrict("a number is too large")


def _values(data: Any) -> Iterator[tuple[str, Any, int]]:
    """Each value with the key it stands under (of an item, its list's) and its depth; keys are values too."""
    waiting: list[tuple[str, Any, int]] = [("", data, 1)]
    while waiting:
        key, value, depth = waiting.pop()
        yield key, value, depth
        if depth > MOST_DEPTH:
            continue
        if isinstance(value, dict):
            waiting += [("", name, depth) for name in value]
            waiting += [(name, one, depth + 1) for name, one in value.items()]
        elif isinstance(value, list):
            waiting += [(key, one, depth + 1) for one in value]


def _is_text(text: str) -> bool:
    return text.isascii() or not any(0xD800 <= ord(char) <= 0xDFFF for char in text)


def _no_number(word: str) -> float:
    raise NotStrict(f"{word} is no number")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotStrict("a key stands twice in one object")
    return found
