"""SARIF 2.1.0, the output format of many scanners and linters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from assay.validators.report.model import Finding
from assay.validators.tools.readers.json_text import dicts, inner, number, text
from assay.validators.tools.readers.output import finding, lint_reading, severity_of
from assay.validators.tools.readers.places import Places
from assay.validators.tools.tool import Reading


def is_sarif(value: Any) -> bool:
    """Return whether a JSON value is a SARIF log."""
    return (
        isinstance(value, dict) and isinstance(value.get("runs"), list) and text(value.get("version")).startswith("2.")
    )


def sarif_reading(value: Any, places: Places) -> Reading:
    """Return the results of a SARIF log, without suppressed and absent ones and places outside the repository."""
    findings = [found for run in dicts(value.get("runs")) for found in _results(run, places)]
    broken = [
        note
        for run in dicts(value.get("runs"))
        for invocation in dicts(run.get("invocations"))
        if invocation.get("executionSuccessful") is False
        for note in ("the tool says it did not run to its end",)
    ]
    return lint_reading(findings, looked=not broken, reason=broken[0] if broken else None)


def _results(run: dict[str, Any], places: Places) -> Iterator[Finding]:
    tool = text(inner(run, "tool", "driver", "name")) or "sarif"
    rules = {text(rule.get("id")): rule for rule in dicts(inner(run, "tool", "driver", "rules"))}
    for result in dicts(run.get("results")):
        if result.get("suppressions") or result.get("baselineState") == "absent" or result.get("kind") == "pass":
            continue
        rule = text(result.get("ruleId")) or text(inner(result, "rule", "id"))
        level = result.get("level") or inner(rules.get(rule), "defaultConfiguration", "level") or "warning"
        location = inner(result, "locations", 0, "physicalLocation")
        file = places.file(unquote(text(inner(location, "artifactLocation", "uri"))))
        if file is None:
            continue
        yield finding(
            tool.lower()[:60],
            rule or "result",
            text(inner(result, "message", "text")) or text(inner(rules.get(rule), "shortDescription", "text")) or rule,
            (file, number(inner(location, "region", "startLine"))),
            severity_of(level),
            end_line=number(inner(location, "region", "endLine")),
        )
