"""Findings in JSON that tools print or write: SARIF, and the formats of single tools, a row each."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any
from urllib.parse import unquote

from assay.validators.io.json_parts import dicts, inner, number, text
from assay.validators.report.model import Finding, Severity
from assay.validators.tools.readers.json_text import json_values
from assay.validators.tools.readers.output import Output, finding, lint_reading, severity_of
from assay.validators.tools.readers.places import Places
from assay.validators.tools.tool import Reading

_SHAPES = (
    ("eslint", ("filePath",), ("line",), ("ruleId",)),
    ("ruff", ("filename",), ("location", "row"), ("code",)),
    ("cargo", ("file_name",), ("line_start",), ("code", "code")),
    ("golangci-lint", ("Pos", "Filename"), ("Pos", "Line"), ("FromLinter",)),
    ("pyright", ("file",), ("range", "start", "line"), ("rule",)),
    ("mypy", ("file",), ("line",), ("code",)),
)
"""Tool, and where an object has its file, line and rule. The rest has common names, or is the parent's."""
_ENDS = (("endLine",), ("end_location", "row"), ("end_line",))
_INHERITED = ("filePath", "message", "code", "level")
_COUNTED_FROM_0 = "pyright"
_NAMED_BY_NUMBER = {2: "error", 1: "warning"}
MOST_OBJECTS = 200_000


def json_diagnostics(output: Output, tools: Collection[str]) -> Iterator[Finding]:
    """Yield the findings in the JSON that the given tools printed, without notes."""
    shapes = [shape for shape in _SHAPES if shape[0] in tools and f'"{shape[1][-1]}"' in output.text]
    for value in json_values(output.text) if shapes else ():
        for entry in _objects(value):
            found = next(filter(None, (_found(shape, entry, output.places) for shape in shapes)), None)
            if found is not None and found.severity is not Severity.info:
                yield found


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects in a value, each with what it inherits from those around it."""
    waiting: list[tuple[Any, dict[str, Any]]] = [(value, {})]
    left = MOST_OBJECTS
    while waiting and left:
        left -= 1
        entry, above = waiting.pop()
        if isinstance(entry, list):
            waiting += [(child, above) for child in reversed(entry)]
        elif isinstance(entry, dict):
            whole = {**above, **entry}
            yield whole
            inherited = {key: whole[key] for key in _INHERITED if key in whole}
            waiting += [(child, inherited) for child in reversed(entry.values()) if isinstance(child, dict | list)]


def _found(
    shape: tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]], entry: dict[str, Any], places: Places
) -> Finding | None:
    tool, file_at, line_at, rule_at = shape
    message, line = text(entry.get("message") or entry.get("Text")), number(inner(entry, *line_at))
    if not message or line is None or entry.get("is_primary") is False:
        return None
    file = places.file(text(inner(entry, *file_at)))
    if file is None:
        return None
    end = next((value for at in _ENDS if (value := number(inner(entry, *at))) is not None), None)
    severity = entry.get("severity") or entry.get("level") or entry.get("Severity") or "error"
    rule = text(inner(entry, *rule_at)) or {"eslint": "parse", "ruff": "invalid-syntax", "cargo": "rustc"}.get(
        tool, tool
    )
    return finding(
        tool,
        rule,
        message.split("\n")[0],
        (file, line + (tool == _COUNTED_FROM_0)),
        severity_of(_NAMED_BY_NUMBER.get(severity, severity) if isinstance(severity, int) else severity),
        end_line=end,
        suggestion=text(inner(entry, "fix", "message")) or None,
    )


def is_sarif(value: Any) -> bool:
    """Return whether a JSON value is a SARIF 2 log."""
    return (
        isinstance(value, dict) and isinstance(value.get("runs"), list) and text(value.get("version")).startswith("2.")
    )


def sarif_reading(value: Any, places: Places) -> Reading:
    """Return the results of a SARIF log, without suppressed and absent ones and places outside the repository."""
    runs = list(dicts(value.get("runs")))
    findings = [found for run in runs for found in _results(run, places)]
    ended = [one.get("executionSuccessful") for run in runs for one in dicts(run.get("invocations"))]
    reason = "the tool reports that it did not run to its end" if False in ended else None
    return lint_reading(findings, looked=reason is None, reason=reason)


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
        message = text(inner(result, "message", "text")) or text(inner(rules.get(rule), "shortDescription", "text"))
        yield finding(
            tool.lower()[:60],
            rule or "result",
            message or rule,
            (file, number(inner(location, "region", "startLine"))),
            severity_of(level),
            end_line=number(inner(location, "region", "endLine")),
        )
