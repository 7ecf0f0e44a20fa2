"""Parse a report from its JSON, as strictly as the published schema.

The JSON may be untrusted (a store, an artifact, an upload): its size is bounded, and an error is one line. What the
JSON does not hold, as a finding's `context` and the line coverage of Tier 1, the report lacks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from assay.escape import visible
from assay.validators.errors import ReportUnreadable
from assay.validators.io.strict_json import parsed_json
from assay.validators.report.model import SCHEMA_VERSION, ToolsResult, ValidationReport

MOST_BYTES = 32 * 1024 * 1024
"""Maximum size of a report in bytes: 25,000 findings take about 12 MB."""
adapter = cache(TypeAdapter)
"""Reader and writer of a type, made once: it takes longer to make than to read a report."""


def read_report(data: bytes | str | Mapping[str, Any]) -> ValidationReport:
    """Return the report rendered as this JSON (text, or already parsed); raise `ReportUnreadable`."""
    report: ValidationReport = _read(ValidationReport, data, "the report")
    return report


def read_tools(data: bytes | str | Mapping[str, Any]) -> ToolsResult:
    """Return Tier 1 alone, from the JSON under `tiers.tools`; raise `ReportUnreadable`."""
    tools: ToolsResult = _read(ToolsResult, data, "the result of Tier 1")
    return tools


def _read(kind: Any, data: bytes | str | Mapping[str, Any], what: str) -> Any:
    if isinstance(data, bytes | str) and len(data) > MOST_BYTES:
        raise ReportUnreadable(what, f"it is larger than {MOST_BYTES // 1024 // 1024} MiB")
    try:
        given = json.dumps(data) if isinstance(data, Mapping) else data
        text = given if isinstance(given, str) else given.decode("utf-8")
        parsed = parsed_json(text)  # pydantic accepts duplicate keys and NaN
        version = parsed.get("schema_version") if isinstance(parsed, dict) else SCHEMA_VERSION
        if kind is ValidationReport and version != SCHEMA_VERSION:
            why = f"its schema_version is {version!r}, this Assay reads {SCHEMA_VERSION!r}: validate the change again"
            raise ReportUnreadable(what, visible(why, 200))
        return adapter(kind).validate_json(text, strict=True, extra="forbid")
    except RecursionError:
        raise ReportUnreadable(what, "it is nested too deeply") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"])
        raise ReportUnreadable(what, visible(f"${place}: {first['msg']}", 200)) from None
    except ValueError as error:
        raise ReportUnreadable(what, visible(f"it is not JSON: {error}", 200)) from None
