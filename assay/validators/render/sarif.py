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
from assay.validators.render.risk_words import likelihood_in_words, lowering, rollback_in_words, set_by
from assay.validators.render.rule_help import documentation_site, help_address
from assay.validators.render.words import KINDS, OUTCOMES, blocks, not_checked, waiver_in_words
from assay.validators.report.gravity import KINDS as KINDS_OF
from assay.validators.report.model import (
    Conclusion,
    Finding,
    Outcome,
    RiskAssessment,
    Severity,
    Tier,
    ToolRun,
    ValidationReport,
)
from assay.validators.report.waiver import Waiver
from assay.validators.wording import plural

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MOST_RESULTS = 25_000
"""GitHub, "SARIF results exceed one or more limits": "Results per run: 25,000"; a file above it is rejected whole."""
MOST_NOTIFICATIONS = 1_000
FINGERPRINT = "assayFinding/v1"
CODE_SCANNING_FINGERPRINT = "primaryLocationLineHash"
LEVELS = {Severity.error: "error", Severity.warning: "warning", Severity.info: "note"}
TIERS = {
    Tier.tools: "Tier 1, tool validation",
    Tier.quality: "Tier 2, code quality",
    Tier.risk: "Tier 3, risk assessment",
}


def render(report: ValidationReport) -> str:
    """Render one run with every finding that has a file, worst first, at most `MOST_RESULTS`."""
    return json.dumps(document(report), indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def document(report: ValidationReport) -> dict[str, Any]:
    """Return the report as plain SARIF data."""
    names = frozenset(report.blocking)
    placed = sorted((one for one in report.findings if one.file), key=lambda one: -one.severity.rank)
    findings = placed[:MOST_RESULTS]
    examples = {_rule_id(finding): finding for finding in reversed(findings)}
    rules = list(dict.fromkeys(_rule_id(finding) for finding in findings))
    decided = {one.finding_id: one for one in report.waivers}
    index = {name: position for position, name in enumerate(rules)}
    notifications = [*_notifications(report), *_left_out(len(placed) - len(findings))][:MOST_NOTIFICATIONS]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "Assay",
                        "version": __version__,
                        "semanticVersion": __version__.replace(".dev", "-dev."),
                        "rules": [_rule(name, examples[name]) for name in rules],
                    }
                },
                "automationDetails": {"id": "assay/"},
                "columnKind": "unicodeCodePoints",
                "invocations": [
                    {
                        "executionSuccessful": report.conclusion is not Conclusion.incomplete,
                        "toolExecutionNotifications": notifications,
                    }
                ],
                "results": [
                    _result(names, finding, index[_rule_id(finding)], decided.get(finding.id)) for finding in findings
                ],
                "properties": {
                    "conclusion": str(report.conclusion),
                    "title": _text(report.title),
                    "riskLevel": str(report.risk.level) if report.risk else "unknown",
                },
            }
        ],
    }


def uri(path: str) -> str:
    """Return a path as a relative URI, percent-encoded so that it cannot be read as another kind of URI."""
    return quote(path.encode("utf-8", "surrogateescape"), safe="/-._~")


def _result(names: frozenset[str], finding: Finding, index: int, waiver: Waiver | None) -> dict[str, Any]:
    suggestion = f"\n\nWhat to do: {_text(finding.suggestion)}" if finding.suggestion else ""
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri(finding.file), "uriBaseId": "%SRCROOT%"}}
    if finding.line and finding.line > 0:
        physical["region"] = {"startLine": finding.line}
        if finding.end_line and finding.end_line >= finding.line:
            physical["region"]["endLine"] = finding.end_line
    result = {
        "ruleId": _rule_id(finding),
        "ruleIndex": index,
        "level": LEVELS[finding.severity],
        "message": {"text": (_text(finding.message) or "no message") + suggestion},
        "locations": [{"physicalLocation": physical}],
        "partialFingerprints": {FINGERPRINT: finding.id, CODE_SCANNING_FINGERPRINT: f"{finding.id}:1"},
        "baselineState": "new" if finding.introduced else "unchanged",
        "properties": {"tier": str(finding.tier), "blocks": blocks(names, finding)},
    }
    if waiver is not None:
        said = {"kind": "external", "status": "accepted", "justification": _text(waiver_in_words(waiver))}
        result["suppressions"] = [said]
    return result


def _rule(name: str, example: Finding) -> dict[str, Any]:
    by = f" by {_text(example.tool)}" if example.tool else ""
    help_text = f"Found{by} in {TIERS[example.tier]}."
    if example.suggestion:
        help_text += f" What to do, for example: {_text(example.suggestion)}"
    address = help_address(example, documentation_site())
    return {
        "id": name,
        **({"helpUri": address} if address else {}),
        "shortDescription": {"text": _title(name, example)},
        "fullDescription": {"text": f"{name}, found{by} in {TIERS[example.tier]}"},
        "help": {"text": help_text},
        "defaultConfiguration": {"level": LEVELS[example.severity]},
        "properties": {"tags": [str(example.tier)]},
    }


def _title(name: str, example: Finding) -> str:
    """Return a rule's title: `Test integrity: removed assertion`; of a tool, `ruff: F401`."""
    if example.tier is Tier.tools and example.tool:
        return name.replace("/", ": ", 1)
    words = re.sub(r"[_-]+", " ", name).replace(".", ": ", 1)
    return words[:1].upper() + words[1:]


def _rule_id(finding: Finding) -> str:
    """Return Assay's rules by name, a tool's rules with the tool's name in front."""
    rule = _text(finding.rule, 200) or "unnamed"
    return f"{_text(finding.tool, 80)}/{rule}" if finding.tier is Tier.tools and finding.tool else rule


def _notifications(report: ValidationReport) -> Iterator[dict[str, Any]]:
    names = frozenset(report.blocking)
    for finding in report.findings:
        if not finding.file:
            yield _notification(LEVELS[finding.severity], f"{_rule_id(finding)}: {_text(finding.message)}")
    for run in report.tools.runs if report.tools else ():
        if run.outcome is not Outcome.passed:
            yield _notification("error" if blocks(names, run) else "note", _said(run))
    if report.risk is not None:
        yield _notification("note", f"Risk, {report.risk.level}, set by {_text('; '.join(_statements(report.risk)))}")
    for one in report.risk.statements if report.risk else ():
        where = f" ({_text(one.file)}{f':{one.line}' if one.line else ''})" if one.file else ""
        yield _notification("note", f"Risk, {one.gravity}, {KINDS_OF[one.kind].label}: {_text(one.text)}{where}")
    for what, why in not_checked(report, has_coverage=False):
        yield _notification("note", f"Not checked: {_text(what)}: {_text(why)}")


def _statements(risk: RiskAssessment) -> Iterator[str]:
    yield set_by(risk)
    yield from filter(None, (likelihood_in_words(risk), rollback_in_words(risk)))
    yield from (f"would lower it: {one}" for one in lowering(risk))


def _said(run: ToolRun) -> str:
    reason = f": {_text(run.reason)}" if run.reason else ""
    return f"{KINDS[run.kind]}, {_text(run.command)}: {OUTCOMES[run.outcome].lower()}{reason}"


def _left_out(count: int) -> Iterator[dict[str, Any]]:
    if count > 0:
        yield _notification("warning", f"{plural(count, 'result')} above the limit of {MOST_RESULTS} left out")


def _notification(level: str, text: str) -> dict[str, Any]:
    return {"level": level, "message": {"text": text}}


def _text(text: str | None, most: int = 1000) -> str:
    """Return plain text; `[words](target)` is a link even in a plain message, so its halves are separated."""
    return re.sub(r"\](?=\()", "] ", visible(text or "", most))
