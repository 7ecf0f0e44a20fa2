"""From the report's conclusion to the Check Run's, by the mode: the table of docs/app/publishing.md.

`neutral` satisfies a required check. So it is only ever said of a change that was looked at; what could not be looked
at is a failure in both modes.
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
    """How a Check Run ends, and its title."""

    conclusion: CheckConclusion
    title: str


def ending_of(report: ValidationReport, incident: str | None, *, can_hold: bool = True) -> Ending:
    """The end of a run that has its report (holds and waivers already in it).

    Without `can_hold` a change that is held, and at fault in nothing else, ends as in advisory mode. Where nothing at
    all could be judged, since the configuration cannot be read, it cannot have asked for advice alone.
    """
    is_only_held = report.conclusion is Conclusion.action_required and not report.configuration_at_fault
    is_judged = any(tier is not None for tier in (report.tools, report.quality, report.risk))
    is_unread = report.configuration_at_fault and not is_judged
    is_advice = (report.mode == ADVISORY and not is_unread) or (is_only_held and not can_hold)
    table = _ADVISED if is_advice else _ENFORCED
    return Ending(table[report.conclusion], as_visible(_title(report, incident, is_advice=is_advice)))


def could_not_run(incident: str | None) -> str:
    """The title of a run without a verdict."""
    return "Assay could not run" + (f" · incident {as_visible(incident, 80)}" if incident else "")


def _title(report: ValidationReport, incident: str | None, *, is_advice: bool) -> str:
    if report.conclusion is Conclusion.incomplete:
        return f"{could_not_run(incident)} · {report.title}"
    if not is_advice or report.conclusion is Conclusion.success:
        return report.title
    if report.conclusion is Conclusion.failure:
        return f"Would fail: {report.title}"
    return f"{'Would ask to be mended' if report.configuration_at_fault else 'Would be held'}: {report.title}"
