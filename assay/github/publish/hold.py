"""A hold as it is published: a head that waits for a person, or was let go by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from assay.github.authority import OTHERS
from assay.validators import Conclusion, RiskLevel, ValidationReport, as_code, as_prose

HELD = "approval required"
"""The words of the verdict; they end the title of a report whose risk asks for a hold."""


@dataclass(frozen=True, slots=True)
class HoldFacts:
    """A hold of one head. `placed_by` is None where the risk placed it; the rest is set once it is released."""

    level: str
    reasons: tuple[str, ...] = ()
    placed_by: str | None = None
    released_by: str | None = None
    release_reason: str = ""

    @property
    def is_active(self) -> bool:
        return self.released_by is None


def with_hold(report: ValidationReport, hold: HoldFacts | None) -> ValidationReport:
    """The report as the hold makes it: what a person let go is not held, what a person held is."""
    if hold is None:
        return report
    if not hold.is_active:
        return _released(report, hold)
    return report if report.hold else _held(report, hold)


def takes_words(report: ValidationReport, hold: HoldFacts | None) -> bool:
    """Return whether a release needs a reason, so that no button can do it: critical risk is accepted by name."""
    level = hold.level if hold is not None else report.risk.level if report.risk is not None else None
    return level == RiskLevel.critical


def hold_text(report: ValidationReport, hold: HoldFacts | None, *, is_app: bool) -> str:
    """What the hold means and who may end it, as Markdown; "" where nothing is held or was."""
    if hold is not None and not hold.is_active:
        reason = f": {as_prose(hold.release_reason, 400)}" if hold.release_reason else ""
        return f"**Hold released.** {as_code(hold.released_by or '', 60)} let this commit go{reason}."
    if not report.hold:
        return ""
    return "**Approval required.** " + " ".join(_how(report, hold, is_app=is_app))


def _how(report: ValidationReport, hold: HoldFacts | None, *, is_app: bool) -> Iterator[str]:
    if not is_app:
        if report.mode == "advisory":
            yield "Holding a change, and letting it go, takes Assay's GitHub App. Here the risk is only said."
        else:
            yield "Letting it go takes Assay's GitHub App; with `fail-on: failure` the risk is only said."
        return
    if hold is not None and hold.placed_by:
        why = f": {as_prose('; '.join(hold.reasons), 400)}" if hold.reasons else ""
        yield f"{as_code(hold.placed_by, 60)} holds this commit{why}."
    if takes_words(report, hold):
        what = "the comment `/assay release SIGNALS: REASON`, which names each critical signal"
    else:
        what = "the button **Release hold** of the check, or the comment `/assay release REASON`"
    yield f"{OTHERS.capitalize()} releases it, by {what}."
    yield "A new push is held again."
    if report.mode == "advisory":
        yield "In advisory mode this blocks nothing."


def _released(report: ValidationReport, hold: HoldFacts) -> ValidationReport:
    reasons = tuple(reason for reason in report.reasons if HELD not in reason)
    only_held = report.conclusion is Conclusion.action_required and not report.configuration_at_fault
    title = " · ".join(
        [*(part for part in report.title.split(" · ") if part != HELD), f"released by {hold.released_by}"]
    )
    conclusion = Conclusion.success if only_held else report.conclusion
    return replace(report, hold=False, reasons=reasons, conclusion=conclusion, title=title)


def _held(report: ValidationReport, hold: HoldFacts) -> ValidationReport:
    reason = f"held by {hold.placed_by}" if hold.placed_by else f"{hold.level} risk: {HELD}"
    conclusion = Conclusion.action_required if report.conclusion is Conclusion.success else report.conclusion
    title = f"{report.title} · {HELD}"
    return replace(report, hold=True, reasons=(*report.reasons, reason), conclusion=conclusion, title=title)
