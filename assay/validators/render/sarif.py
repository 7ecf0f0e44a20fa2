"""SARIF 2.1.0 report for code scanning: findings as results, everything else as notifications.

Ids are stable (`partialFingerprints`), so an alert keeps its history over pushes: code scanning recognizes it by
`primaryLocationLineHash`, which it takes as it is. A result needs a place: findings about the change as a whole,
failing commands and what was not checked are notifications of the run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from assay import __version__
from assay.escape import visible
from assay.validators.render.sections import tiers, waiver_in_words
from assay.validators.report.model import Conclusion, Finding, Severity, Tier, ValidationReport
from assay.validators.wording import plural

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MOST_RESULTS = 25_000
"""GitHub, "SARIF results exceed one or more limits": "Results per run: 25,000"; a file above it is rejected whole."""
MOST_NOTIFICATIONS = 1_000
_LEVELS = {Severity.error: "error", Severity.warning: "warning", Severity.info: "note"}


def render(report: ValidationReport) -> str:
    """Render one run with every finding that has a file, worst first, at most `MOST_RESULTS`."""
    return json.dumps(document(report), indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def document(report: ValidationReport) -> dict[str, Any]:
    """Return the report as plain SARIF data."""
    placed = sorted((one for one in report.findings if one.file), key=lambda one: -one.severity.rank)
    findings = placed[:MOST_RESULTS]
    examples: dict[str, Finding] = {}
    for one in findings:
        examples.setdefault(_rule_id(one), one)
    index = {name: position for position, name in enumerate(examples)}
    driver = {
        "name": "Assay",
        "version": __version__,
        "semanticVersion": __version__.replace(".dev", "-dev."),
        "rules": [_rule(name, example) for name, example in examples.items()],
    }
    notes = [*_notifications(report)]
    if len(placed) > MOST_RESULTS:
        left = plural(len(placed) - MOST_RESULTS, "result")
        notes.append(f"{left} above the limit of {MOST_RESULTS} left out")
    invocation = {
        "executionSuccessful": report.conclusion is not Conclusion.incomplete,
        "toolExecutionNotifications": [
            {"level": "note", "message": {"text": _text(text)}} for text in notes[-MOST_NOTIFICATIONS:]
        ],
    }
    properties = {
        "conclusion": str(report.conclusion),
        "title": _text(report.title),
        "riskLevel": str(report.risk.level) if report.risk else "unknown",
    }
    waivers = {one.finding_id: waiver_in_words(one) for one in report.waivers}
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": "assay/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": [
            _result(one, index[_rule_id(one)], waivers.get(one.id), blocks=one.id in report.blocking)
            for one in findings
        ],
        "properties": properties,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def uri(path: str) -> str:
    """Return a path as a relative URI, percent-encoded so that it cannot be read as another kind of URI."""
    return quote(path.encode("utf-8", "surrogateescape"), safe="/-._~")


def _result(one: Finding, index: int, waiver: str | None, *, blocks: bool) -> dict[str, Any]:
    suggestion = f"\n\nWhat to do: {_text(one.suggestion)}" if one.suggestion else ""
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri(one.file), "uriBaseId": "%SRCROOT%"}}
    if one.line and one.line > 0:
        physical["region"] = {"startLine": one.line}
        if one.end_line and one.end_line >= one.line:
            physical["region"]["endLine"] = one.end_line
    result = {
        "ruleId": _rule_id(one),
        "ruleIndex": index,
        "level": _LEVELS[one.severity],
        "message": {"text": (_text(one.message) or "no message") + suggestion},
        "locations": [{"physicalLocation": physical}],
        "partialFingerprints": {"assayFinding/v1": one.id, "primaryLocationLineHash": f"{one.id}:1"},
        "baselineState": "new" if one.introduced else "unchanged",
        "properties": {"tier": str(one.tier), "blocks": blocks},
    }
    if waiver is not None:
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": _text(waiver)}]
    return result


def _rule(name: str, example: Finding) -> dict[str, Any]:
    is_own = example.tier is Tier.quality
    where = f"in Tier {2 if is_own else 1}, {example.tier.replace('-', ' ')}"
    found = f"Found{f' by {_text(example.tool)}' if example.tool else ''} {where}."
    title = name.replace("_", " ").replace(".", ": ", 1) if is_own else name.replace("/", ": ", 1)
    advice = f" What to do, for example: {_text(example.suggestion)}" if example.suggestion else ""
    return {
        "id": name,
        "shortDescription": {"text": title[:1].upper() + title[1:] if is_own else title},
        "fullDescription": {"text": f"{name}: {found}"},
        "help": {"text": found + advice},
        "defaultConfiguration": {"level": _LEVELS[example.severity]},
        "properties": {"tags": [str(example.tier)]},
    }


def _rule_id(one: Finding) -> str:
    """Return Assay's rules by name, a tool's rules with the tool's name in front."""
    rule = _text(one.rule, 200) or "unnamed"
    return f"{_text(one.tool, 80)}/{rule}" if one.tier is Tier.tools and one.tool else rule


def _notifications(report: ValidationReport) -> Iterator[str]:
    """Yield the rows of the three tiers, and what was not checked, without the findings that have a place."""
    for section in tiers(report):
        name = re.split(r" [—(]", section.title)[0]
        for row in section.rows:
            if not (row.rule and row.place):
                said = ": ".join(filter(None, (name, row.label, row.text.replace("**", ""))))
                yield f"{said} ({row.place})" if row.place else said


def _text(text: str | None, most: int = 1000) -> str:
    """Return plain text; `[words](target)` is a link even in a plain message, so its halves are separated."""
    return re.sub(r"\](?=\()", "] ", visible(text or "", most))
