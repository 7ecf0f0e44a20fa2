"""Formats that any tool may write: JUnit XML, SARIF, TAP, golangci's JSON, workflow commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from assay.validators.report.model import Finding, Severity
from assay.validators.tools.readers.json_text import dicts, inner, json_of, json_values, number, text
from assay.validators.tools.readers.junit_xml import Case, junit_reading, parse_junit
from assay.validators.tools.readers.output import Output, finding, lint_reading, severity_of, together
from assay.validators.tools.readers.places import Places
from assay.validators.tools.readers.tap import look_tap
from assay.validators.tools.tool import Reading

_COMMAND = re.compile(r"::(error|warning|notice) ([^:]{0,1500}?)::(.*)")


def look_any_format(output: Output) -> Reading | None:
    """Return the results in the run's report files, or in its output; None where there are none."""
    cases: list[Case] = []
    found: list[Reading] = []
    for name, content in output.reports:
        if name.lower().endswith((".xml", ".trx")):
            cases += parse_junit(content) or ()
        elif name.lower().endswith((".json", ".sarif")) and b'"runs"' in content:
            value = json_of(content)
            found += [_sarif_reading(value, output.places)] if _is_sarif(value) else []
    cases = cases or _printed_junit(output.text)
    if cases:
        found.append(junit_reading(cases, "junit", output.places))
    if '"runs"' in output.text:
        found += [_sarif_reading(value, output.places) for value in json_values(output.text) if _is_sarif(value)]
    if not cases:
        found += [reading for reading in (look_tap(output),) if reading is not None]
    if not found:
        found += [reading for look in (_look_golangci_json, _look_annotations) if (reading := look(output)) is not None]
    return together(found) if found else None


def _printed_junit(text: str) -> list[Case]:
    start = text.find("<testsuite")
    if start < 0:
        return []
    end = max(text.rfind("</testsuite>") + len("</testsuite>"), text.rfind("</testsuites>") + len("</testsuites>"))
    return parse_junit(text[start:end].encode()) or []


def _look_annotations(output: Output) -> Reading | None:
    """Return the errors and warnings of workflow commands (`::error file=a.py,line=3::words`) with a place, or None."""
    findings = list(_annotations(output)) if "::error " in output.text or "::warning " in output.text else []
    return lint_reading(findings) if findings else None


def _annotations(output: Output) -> Iterator[Finding]:
    for line in output.lines:
        match = _COMMAND.match(line)
        if match is None or match[1] == "notice":
            continue
        settings = dict(part.split("=", 1) for part in match[2].split(",") if "=" in part)
        file = output.places.file(unquote(settings.get("file", "")))
        if file is None:
            continue
        first, last = (number(settings.get(key)) for key in ("line", "endLine"))
        title = settings.get("title", "")
        code = re.search(r"\(([\w./-]{2,60})\)", title[:200])
        severity: Severity = severity_of(match[1])
        message = unquote(match[3]).split("\n")[0]
        rule = code[1] if code else title or "annotation"
        yield finding("annotations", rule, message, (file, first), severity, end_line=last)


def _is_sarif(value: Any) -> bool:
    """Return whether a JSON value is a SARIF 2.1.0 log."""
    return (
        isinstance(value, dict) and isinstance(value.get("runs"), list) and text(value.get("version")).startswith("2.")
    )


def _sarif_reading(value: Any, places: Places) -> Reading:
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


def _look_golangci_json(output: Output) -> Reading | None:
    """Return the issues of golangci-lint's JSON; None if there is no such report."""
    if '"Issues"' not in output.text or '"FromLinter"' not in output.text:
        return None
    return lint_reading(_golangci_findings(output))


def _golangci_findings(output: Output) -> Iterator[Finding]:
    for value in json_values(output.text):
        for issue in dicts(inner(value, "Issues")):
            file = output.places.file(text(inner(issue, "Pos", "Filename")))
            if file is not None:
                place = (file, number(inner(issue, "Pos", "Line")))
                severity = severity_of(issue.get("Severity") or "error")
                yield finding("golangci-lint", text(issue.get("FromLinter")), text(issue.get("Text")), place, severity)
