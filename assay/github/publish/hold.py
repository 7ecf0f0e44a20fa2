"""Publication of a hold: a head that requires approval, or was released."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.github.authority import OTHERS
from assay.validators import MODEL, Conclusion, HoldOn, Missing, RiskLevel, ValidationReport, as_code, as_prose

HELD = "approval required"
"""Last part of the title of a held report."""
LIKELIHOOD = "likelihood"
"""Name of the likelihood among the signals of a hold."""


@dataclass(frozen=True, slots=True)
class HoldFacts:
    """Hold of one head. `placed_by` is None if its risk placed it; `released_by` is set on release."""

    level: str
    reasons: tuple[str, ...] = ()
    placed_by: str | None = None
    released_by: str | None = None
    release_reason: str = ""

    @property
    def is_active(self) -> bool:
        return self.released_by is None


def with_hold(report: ValidationReport, hold: HoldFacts | None) -> ValidationReport:
    """Apply a hold or its release to a report."""
    if hold is None:
        return report
    if not hold.is_active:
        return _released(report, hold)
    return report if report.hold else _held(report, hold)


def without_missing(report: ValidationReport) -> ValidationReport:
    """Return the report as if no result were missing."""
    if report.missing is None:
        return report
    reasons = tuple(one for one in report.reasons if not one.startswith(report.missing))
    conclusion = report.conclusion if reasons else Conclusion.success
    return replace(report, missing=None, hold=bool(reasons), reasons=reasons, conclusion=conclusion)


def missing_in(reasons: Sequence[str]) -> list[str]:
    """Return the reasons that are missing results."""
    return [one for one in reasons if one.partition(":")[0] in frozenset(Missing)]


def is_for_missing(reasons: Sequence[str]) -> bool:
    """Return whether a hold with these reasons is for missing results alone."""
    return len(missing_in(reasons)) == len(reasons) > 0


def held_for(level: str, reasons: Sequence[str]) -> str:
    """Return what a hold is for: `critical risk`, `tests missing`, or `critical risk and tests missing`."""
    names = [one.partition(":")[0] for one in missing_in(reasons)]
    return " and ".join(names if is_for_missing(reasons) else [f"{level} risk", *names])


def held_level(report: ValidationReport) -> RiskLevel:
    """Return the level that decides about a hold: the policy floor, or by `tier3.holdOn` the level itself."""
    if report.risk is None:
        return RiskLevel.low
    return report.risk.computed if holds_on_level(report) else report.risk.floor


def holds_on_level(report: ValidationReport) -> bool:
    """Return whether the likelihood holds a change too (`tier3.holdOn`)."""
    return report.settings.get("hold_on") in (HoldOn.level, HoldOn.unknown)


def is_held_for_likelihood(report: ValidationReport) -> bool:
    """Return whether the likelihood is among what holds the change."""
    return report.risk is not None and holds_on_level(report) and LIKELIHOOD in report.risk.set_by


def critical_signals(report: ValidationReport | None) -> tuple[str, ...]:
    """Return the names of the signals that make the risk critical."""
    if report is None or report.risk is None:
        return ()
    found = [one.signal for one in report.risk.statements if one.level is RiskLevel.critical and one.signal != MODEL]
    is_likely = report.risk.level is RiskLevel.critical and is_held_for_likelihood(report)
    return tuple(dict.fromkeys([*found, *([LIKELIHOOD] if is_likely else [])]))


def takes_words(report: ValidationReport, hold: HoldFacts | None) -> bool:
    """Return whether a release needs a reason, so that a button is not enough: critical risks are accepted by name."""
    return (hold.level if hold is not None else held_level(report)) == RiskLevel.critical


def hold_text(report: ValidationReport, hold: HoldFacts | None, *, is_app: bool) -> str:
    """Return the hold and who may release it as Markdown; "" without a hold."""
    if hold is not None and not hold.is_active:
        reason = f": {as_prose(hold.release_reason, 400)}" if hold.release_reason else ""
        what = held_for(hold.level, hold.reasons)
        return f"**Hold released.** {as_code(hold.released_by or '', 60)} approved this commit ({what}){reason}."
    if not report.hold:
        return ""
    if not is_app:
        if report.mode == "advisory":
            return "Nothing is blocked: holds need Assay's GitHub App, and the Action only reports the risk."
        return "A release needs Assay's GitHub App; with `fail-on: failure` the risk is only reported."
    return "**Approval required.** " + " ".join(_how(report, hold))


def _how(report: ValidationReport, hold: HoldFacts | None) -> Iterator[str]:
    if hold is not None and hold.placed_by:
        why = f": {as_prose('; '.join(hold.reasons), 400)}" if hold.reasons else ""
        yield f"{as_code(hold.placed_by, 60)} holds this commit{why}."
    if takes_words(report, hold):
        names = ", ".join(critical_signals(report))
        example = as_code(f"/assay release {names}{': ' if names else ''}REASON", 0)
        what = f"the comment {example}{', which names each critical signal' if names else ''}"
    else:
        what = "the button **Release hold** of the check, or the comment `/assay release REASON`"
    yield f"{OTHERS.capitalize()} releases it, by {what}."
    yield "A new push is held again."
    if report.mode == "advisory":
        yield "In advisory mode this does not block."


def _released(report: ValidationReport, hold: HoldFacts) -> ValidationReport:
    report = without_missing(report)
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
