"""JSON report for programs. `assay schema report` prints its schema; `schema_version` is the version."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from typing import Any

from assay.escape import utf8
from assay.validators.report.model import ToolsResult, ValidationReport
from assay.validators.report.read import adapter

_UNUSUAL = re.compile(r"[^\x20-\x7e\n]")


def render(report: ValidationReport) -> str:
    """Render valid JSON in valid UTF-8; invisible characters become escapes."""
    text = json.dumps(document(report), indent=2, ensure_ascii=False, allow_nan=False)
    return _UNUSUAL.sub(_seen, text) + "\n"


def document(part: ValidationReport | ToolsResult) -> dict[str, Any]:
    """Return the report, or Tier 1 alone, as plain data in the form of the published schema."""
    kind: Any = type(part)
    data: dict[str, Any] = _clean(adapter(kind).dump_python(part, mode="json", warnings=False))
    return data


def _clean(value: Any) -> Any:
    """Return data whose text is valid UTF-8 and whose numbers are valid JSON."""
    if isinstance(value, str):
        return utf8(value)
    if isinstance(value, dict):
        return {utf8(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _seen(found: re.Match[str]) -> str:
    """Escape a control, bidi or zero-width character; it can only occur inside a JSON string."""
    char = found[0]
    return json.dumps(char)[1:-1] if unicodedata.category(char)[0] in "CZ" else char
