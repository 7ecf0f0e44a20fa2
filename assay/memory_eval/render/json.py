"""The report as JSON. The schema is published: `assay schema memory-report`; `schema_version` is its version.

Agents' data is sanitized: no NaN, no lone surrogates, no unbounded nesting.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from assay import __version__
from assay.escape import utf8
from assay.memory_eval.render.figures import not_graded
from assay.memory_eval.report.model import EvalReport

MOST_DEPTH = 12
MOST_DIGITS = 300


def render(report: EvalReport) -> str:
    """Serialize the report to valid JSON in valid UTF-8."""
    return written(document(report))


def document(report: EvalReport) -> dict[str, Any]:
    """Return the report as plain data, as in the schema."""
    data = {
        **report.to_dict(),
        "assay_version": __version__,
        "not_graded": [{"question_id": name, "why": why} for name, why in not_graded(report)],
    }
    cleaned: dict[str, Any] = clean(data)
    return cleaned


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
