"""JSON report for programs. `assay schema report` prints its schema; `schema_version` is the version."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from dataclasses import is_dataclass, replace
from typing import Any

from assay import __version__
from assay.escape import utf8
from assay.validators.changes.change import shown
from assay.validators.render.phrases import blocks
from assay.validators.report.document import Shape, converted, fields_of, value_of
from assay.validators.report.model import SCHEMA_VERSION, ToolsResult, ValidationReport

_UNUSUAL = re.compile(r"[^\x20-\x7e\n]")


def render(report: ValidationReport) -> str:
    """Render valid JSON in valid UTF-8; invisible characters become escapes."""
    text = json.dumps(document(report), indent=2, ensure_ascii=False, allow_nan=False)
    return _UNUSUAL.sub(_seen, text) + "\n"


def document(report: ValidationReport) -> dict[str, Any]:
    """Return the report as plain data, as the schema describes it."""
    if (risk := report.risk) is not None:
        total = max(risk.num_dependents_total, len(risk.dependents))
        report = replace(report, risk=replace(risk, num_dependents_total=total))
    data: dict[str, Any] = _clean(_written(ValidationReport, report, frozenset(report.blocking)))
    return {"schema_version": SCHEMA_VERSION, "assay_version": __version__, **data}


def tools_document(tools: ToolsResult) -> dict[str, Any]:
    """Return Tier 1 alone as plain data, as under `tiers.tools`; none of it is marked blocking."""
    data: dict[str, Any] = _clean(_written(ToolsResult, tools, frozenset()))
    return data


def _written(kind: Any, thing: Any, names: frozenset[str]) -> dict[str, Any]:
    def convert(shape: Shape, value: Any) -> Any:
        if is_dataclass(shape.kind):
            return _written(shape.kind, value, names)
        if shape.mark.is_path:
            return None if shape.mark.is_null_if_empty and not value else shown(value)
        if shape.mark.is_line:
            return value if value > 0 else None  # a tool reports line 0 for a whole file
        return value

    return {
        key: blocks(names, thing) if key == "blocks" else converted(shape, value_of(thing, kind, name), convert)
        for key, (name, shape) in fields_of(kind).items()
    }


def _clean(value: Any) -> Any:
    """Return data whose text is valid UTF-8 and whose numbers are valid JSON."""
    if isinstance(value, str):
        return utf8(str(value))
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {_clean(str(key)): _clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(item) for item in value]
    return value


def _seen(found: re.Match[str]) -> str:
    """Escape a control, bidi or zero-width character; it can only occur inside a JSON string."""
    char = found[0]
    return json.dumps(char)[1:-1] if unicodedata.category(char)[0] in "CZ" else char
