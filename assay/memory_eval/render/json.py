"""Plain data as JSON that any reader accepts.

Agents' data is sanitized: no NaN, no lone surrogates, no unbounded nesting.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from assay.escape import utf8

MOST_DEPTH = 12
MOST_DIGITS = 300


def written(data: Mapping[str, Any]) -> str:
    """Serialize sanitized data to JSON."""
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def clean(data: Any, depth: int = 0) -> Any:
    """Return data that any JSON reader accepts."""
    if depth > MOST_DEPTH:
        return "(nested too deeply)"
    if isinstance(data, Mapping):
        return {utf8(str(key)): clean(value, depth + 1) for key, value in data.items()}
    if isinstance(data, (list, tuple, set, frozenset)):
        return [clean(item, depth + 1) for item in data]
    if data is None or isinstance(data, bool):
        return data
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, int):
        return data if abs(data) < 10**MOST_DIGITS else None
    return utf8(str(data))
