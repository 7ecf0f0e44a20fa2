"""Texts of a Check Run: first screen (summary) and report (text)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from assay.github.authority import OTHERS
from assay.github.publish.hold import HoldFacts, hold_text
from assay.validators import (
    Finding,
    RiskLevel,
    ValidationReport,
    as_code,
    as_prose,
    first_screen,
    markdown_details,
    markdown_summary,
    risk_lowering,
    risk_set_by,
    shown,
)

MOST_WAITED_FOR = 10
MOST_WAIVABLE = 20


def summary_of(report: ValidationReport, hold: HoldFacts | None, *, is_app: bool, num_without_note: int = 0) -> str:
    """Return the first screen for a validated head."""
    return joined(
        [
            markdown_summary(report),
            source_text(report),
            review_advice(report),
            hold_text(report, hold, is_app=is_app),
            waiver_text(report) if is_app else "",
            "\n".join(f"- {line}" for line in _worth_knowing(report, num_without_note)),
        ]
    )


def text_of(report: ValidationReport) -> str:
    """Return the three tiers and the folded rest."""
    return markdown_details(report)


def source_text(report: ValidationReport) -> str:
    """Return which results of Tier 1 are external; else ""."""
    source = report.tools.reported_by if report.tools is not None else None
    return f"Tier 1 has results that Assay did not produce, from {as_prose(source, 200)}." if source else ""


def waiver_text(report: ValidationReport) -> str:
    """Return the ids of blocking findings and how to waive them; else ""."""
    blocking = [one for one in report.findings if one.id in frozenset(report.blocking)]
    if not blocking:
        return ""
    rows = [f"- `{one.id}` {as_code(one.rule, 120)}{_place(one)}" for one in blocking[:MOST_WAIVABLE]]
    if len(blocking) > MOST_WAIVABLE:
        rows.append(f"- and {len(blocking) - MOST_WAIVABLE} more, listed by `/assay explain`")
    how = (
        f"A finding is waived by {OTHERS}: `/assay fp ID REASON` for a false positive, `/assay accept ID REASON` to "
        "accept it."
    )
    return "\n".join(["**To waive a finding**", "", how, "", *rows])


def _place(finding: Finding) -> str:
    if not finding.file:
        return ""
    line = f":{finding.line}" if finding.line is not None else ""
    return f" in {as_code(f'{shown(finding.file)}{line}', 200)}"


def review_advice(report: ValidationReport) -> str:
    """Return the advice to review thoroughly, and where to start, for high or critical risk; else "".

    It leaves out what the first screen says to do about a statement.
    """
    if report.risk is None or not report.risk.level.at_least(RiskLevel.high):
        return ""
    risk = report.risk
    begin = "“Tier 3”" + (" and “Blast radius”" if risk.dependents or risk.api_changes else "")
    advised = {row.advice for section in first_screen(report) for row in section.rows}
    lowering = "; ".join(one for one in risk_lowering(risk) if one not in advised)
    return (
        f"**{risk.level.capitalize()} risk, set by {risk_set_by(risk)}: a thorough review is recommended**, "
        f"starting with {begin} in the report.{f' What would lower it: {as_prose(lowering, 300)}.' if lowering else ''}"
    )


def waiting_text(waiting_for: Sequence[str], until: datetime | None) -> str:
    """Return the checks Tier 1 waits for; their names are untrusted. Checks that pass do not update it."""
    named = ", ".join(as_code(name, 80) for name in waiting_for[:MOST_WAITED_FOR])
    more = f" and {len(waiting_for) - MOST_WAITED_FOR} more" if len(waiting_for) > MOST_WAITED_FOR else ""
    limit = f", until {until.astimezone(UTC):%H:%M} UTC at most" if until else ""
    return (
        f"⏳ Waiting for other checks of this commit{limit}; at the last update for {named}{more}. The next update is"
        " when the verdict so far changes or all have ended. Tiers 2 and 3 are final; Tier 1 and the verdict may still"
        " change."
    )


def begun_text(head_sha: str) -> str:
    """Return the text before any result."""
    return f"Assay is validating {as_code(head_sha[:7])}: its checks, its quality and its risk."


def delayed_text(until: datetime | None) -> str:
    """Return why the validation began late; else ""."""
    if until is None:
        return ""
    return f"Began late: GitHub's hourly limit of requests was nearly used up until {until.astimezone(UTC):%H:%M} UTC."


def stopped_text(head_sha: str, superseded_by: str | None, why: str) -> str:
    """Return the text of a run that was superseded or stopped."""
    head = as_code(head_sha[:7])
    if superseded_by:
        return f"{head} is no longer the head of this pull request: {as_code(superseded_by[:12])} is validated instead."
    return f"The validation of {head} was stopped{f': {as_prose(why, 400)}' if why else ''}. There is no verdict."


def lost_text(incident: str | None, why: str, *, is_app: bool = True) -> str:
    """Return the text of a run without a verdict; the log is with the App's operator, or in the Action's run."""
    number = f" Incident in Assay's log: {as_code(incident, 80)}." if incident and is_app else ""
    again = "“Re-run” tries again."
    if not is_app:
        again = f"{again} The log of the workflow run has details."
    elif incident:
        again = f"{again} If it fails again, give the incident number to the operator of Assay."
    return joined(
        [
            f"Assay could not validate this commit; no verdict.{number}",
            f"Reason: {as_prose(why, 1_000)}" if why else "",
            again,
        ]
    )


def joined(parts: Iterable[str]) -> str:
    """Join paragraphs, without empty ones."""
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"


def _worth_knowing(report: ValidationReport, num_without_note: int) -> list[str]:
    notes = []
    if report.waivers:
        one = len(report.waivers) == 1
        notes.append(f"{len(report.waivers)} finding{'' if one else 's'} waived, with reasons in the report")
    if num_without_note:
        one = num_without_note == 1
        notes.append(f"{num_without_note} more finding{'' if one else 's'} without an annotation: in the report")
    return notes
