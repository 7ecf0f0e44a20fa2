"""Conclusion of the Check Run by the report's conclusion and mode: the table of docs/app/publishing.md.

`neutral` satisfies a required check, so only validated changes get it; a change that could not be validated fails in
both modes.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.github.client import CheckConclusion
from assay.validators import Conclusion, ValidationReport, as_visible

ADVISORY = "advisory"

_ENFORCED = {
    Conclusion.success: CheckConclusion.success,
    Conclusion.failure: CheckConclusion.failure,
    Conclusion.action_required: CheckConclusion.action_required,
    Conclusion.incomplete: CheckConclusion.failure,
}
_ADVISED = _ENFORCED | {
    Conclusion.failure: CheckConclusion.neutral,
    Conclusion.action_required: CheckConclusion.neutral,
}


@dataclass(frozen=True, slots=True)
class Ending:
    """Conclusion and title of a Check Run."""

    conclusion: CheckConclusion
    title: str


def ending_of(report: ValidationReport, incident: str | None, *, can_hold: bool = True) -> Ending:
    """Return the ending of a run with a report that includes holds and waivers.

    Without `can_hold` a change that is only held ends as in advisory mode. An unreadable configuration cannot have set
    advisory mode, so it is enforced.
    """
    is_only_held = report.conclusion is Conclusion.action_required and not report.configuration_at_fault
    is_validated = any(tier is not None for tier in (report.tools, report.quality, report.risk))
    is_unread = report.configuration_at_fault and not is_validated
    is_advice = (report.mode == ADVISORY and not is_unread) or (is_only_held and not can_hold)
    table = _ADVISED if is_advice else _ENFORCED
    title = _title(report, incident, is_advice=is_advice, is_validated=is_validated)
    return Ending(table[report.conclusion], as_visible(title))


def could_not_run(incident: str | None) -> str:
    """Return the title of a run without a verdict."""
    return "Assay could not run" + _numbered(incident)


def _numbered(incident: str | None) -> str:
    return f" · incident {as_visible(incident, 80)}" if incident else ""


def _title(report: ValidationReport, incident: str | None, *, is_advice: bool, is_validated: bool) -> str:
    if report.conclusion is Conclusion.incomplete:
        if is_validated:
            return f"Incomplete: {report.title}{_numbered(incident)}"
        return f"{could_not_run(incident)} · {report.title}"
    if not is_advice or report.conclusion is Conclusion.success:
        return report.title
    if report.conclusion is Conclusion.failure:
        return f"Would fail: {report.title}"
    return f"{'Would require a fix' if report.configuration_at_fault else 'Would be held'}: {report.title}"
