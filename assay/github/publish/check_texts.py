"""What a Check Run says: the first screen (summary) and the report below it (text)."""

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
    markdown_details,
    markdown_summary,
    shown,
)

MOST_WAITED_FOR = 10
MOST_WAIVABLE = 20


def summary_of(report: ValidationReport, hold: HoldFacts | None, *, is_app: bool, num_without_note: int = 0) -> str:
    """The first screen of a judged head."""
    return joined(
        [
            markdown_summary(report),
            review_advice(report),
            hold_text(report, hold, is_app=is_app),
            waiver_text(report) if is_app else "",
            "\n".join(f"- {line}" for line in _worth_knowing(report, num_without_note)),
        ]
    )


def text_of(report: ValidationReport) -> str:
    """The three tiers and the folded rest."""
    return markdown_details(report)


def waiver_text(report: ValidationReport) -> str:
    """Return the ids of what blocks, which `fp` and `accept` ask for, and who may waive it; else ""."""
    blocking = [one for one in report.findings if one.id in frozenset(report.blocking)]
    if not blocking:
        return ""
    rows = [f"- `{one.id}` {as_code(one.rule, 120)}{_place(one)}" for one in blocking[:MOST_WAIVABLE]]
    if len(blocking) > MOST_WAIVABLE:
        rows.append(f"- and {len(blocking) - MOST_WAIVABLE} more, listed by `/assay explain`")
    told = (
        f"A finding is waived by {OTHERS}: `/assay fp ID REASON` where it is wrong, `/assay accept ID REASON` where it "
        "may stay."
    )
    return "\n".join(["**To waive a finding**", "", told, "", *rows])


def _place(finding: Finding) -> str:
    if not finding.file:
        return ""
    line = f":{finding.line}" if finding.line is not None else ""
    return f" in {as_code(f'{shown(finding.file)}{line}', 200)}"


def review_advice(report: ValidationReport) -> str:
    """From high risk on: that a thorough review is recommended, and where it should begin; else ""."""
    if report.risk is None or not report.risk.level.at_least(RiskLevel.high):
        return ""
    level = report.risk.level
    begin = f"“Why {level}”" + (" and “Blast radius”" if report.risk.dependents or report.risk.api_changes else "")
    return f"**{level.capitalize()} risk: a thorough review is recommended**, beginning with {begin} in the report."


def waiting_text(waiting_for: Sequence[str], until: datetime | None) -> str:
    """What Tier 1 waits for; names of checks are strangers' words."""
    named = ", ".join(as_code(name, 80) for name in waiting_for[:MOST_WAITED_FOR])
    more = f" and {len(waiting_for) - MOST_WAITED_FOR} more" if len(waiting_for) > MOST_WAITED_FOR else ""
    limit = f", until {until.astimezone(UTC):%H:%M} UTC at most" if until else ""
    return f"⏳ Waiting for {named}{more}{limit}. Tiers 2 and 3 stand; Tier 1 and the verdict may still change."


def begun_text(head_sha: str) -> str:
    """Before anything is known."""
    return f"Assay is looking at {as_code(head_sha[:7])}: what it breaks, how it is made, and whether its checks pass."


def stopped_text(head_sha: str, superseded_by: str | None, why: str) -> str:
    """The run was overtaken, or stopped for another reason."""
    head = as_code(head_sha[:7])
    if superseded_by:
        return f"{head} is no longer the head of this pull request: {as_code(superseded_by[:12])} is judged instead."
    return f"Judging {head} was stopped{f': {as_prose(why, 400)}' if why else ''}. There is no verdict about it."


def lost_text(incident: str | None, why: str, *, is_app: bool = True) -> str:
    """There is no verdict. Of the App that is nobody's fault who reads this; the Action's log is the reader's own."""
    number = f" It is filed as incident {as_code(incident, 80)} in Assay's log." if incident and is_app else ""
    again = "“Re-run” tries again."
    if not is_app:
        again = f"{again} The log of the workflow run says more."
    elif incident:
        again = f"{again} If it happens again, whoever runs Assay finds the details by that number."
    return joined(
        [
            f"Assay could not judge this commit, so it says neither good nor bad of it.{number}",
            f"Why: {as_prose(why, 1_000)}" if why else "",
            again,
        ]
    )


def joined(parts: Iterable[str]) -> str:
    """Paragraphs under each other, empty ones left out."""
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"


def _worth_knowing(report: ValidationReport, num_without_note: int) -> list[str]:
    told = []
    if report.tools is not None and report.tools.reported_by:
        told.append(f"Tier 1 was not run by Assay: reported by {as_prose(report.tools.reported_by, 200)}")
    if report.waivers:
        one = len(report.waivers) == 1
        told.append(f"{len(report.waivers)} finding{'' if one else 's'} waived by a person, with reasons further down")
    if num_without_note:
        one = num_without_note == 1
        told.append(
            f"{num_without_note} more finding{'' if one else 's'} without a note beside the code: in the report"
        )
    return told
