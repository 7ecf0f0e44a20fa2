"""Words on the level: what set it, how likely a fix is, and what would lower it."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.report.gravity import KINDS
from assay.validators.report.likelihood import ObservedRate
from assay.validators.report.model import MODEL, Likelihood, RiskAssessment, RiskLevel, Statement, ValidationReport
from assay.validators.wording import plural

LEAST_OBSERVED = 50
"""Past changes from which a rate is given; with fewer, it says little."""
MOST_CONTRIBUTIONS = 4
"""Features shown per likelihood; the others move the score less. The JSON report has all."""
LEAST_ROLLBACK_TIMES = 1.5
"""Rate of reverts, relative to the average, from which rollback flags are shown: one flag alone has 1.2 times."""
LEAST_TO_SPLIT = 50
"""Added lines from which smaller changes are advised: one review takes fewer than these."""
NO_SOURCE = "no source code changed"
_HERE = "this repository"
_OF_SIZE = frozenset({"added", "control_flow", "calls", "assignments", "indent"})
"""Features of the likelihood that a smaller change has less of."""


def leading(risk: RiskAssessment) -> list[Statement]:
    """Return the statements that set the level."""
    by_model, by_policy = MODEL in risk.set_by, "policy" in risk.set_by
    return [
        one for one in risk.statements if one.level is risk.level and (by_model if one.signal == MODEL else by_policy)
    ]


def is_compared(likelihood: Likelihood) -> bool:
    """Return whether the likelihood compares the change with others: not without source."""
    return likelihood.basis == "size" or likelihood.num_compared > 0


def likelihood_in_words(risk: RiskAssessment) -> str:
    """Return how likely the change is to need a fix, compared with others; "" if it was not compared.

    It says both sides: at or below the average it does not name a level above it.
    """
    likelihood = risk.likelihood
    if likelihood is None or not is_compared(likelihood):
        return ""
    rate = likelihood.rate
    if rate is not None and rate.num >= LEAST_OBSERVED:
        return f"Changes like this one needed a fix within a year {times(rate)}"
    what = "size" if likelihood.basis == "size" else "score"
    above = likelihood.percentile
    side, share = ("above", above) if above >= 50 else ("below", 100 - above)
    num = likelihood.num_compared
    others = f"the last {num} source changes" if num else "source changes of public repositories"
    return f"Likelihood of a fix: its {what} is {side} that of {min(99, int(share))} % of {others}"


def set_by(risk: RiskAssessment) -> str:
    """Return what set the level: `impact: Access check removed`, `likelihood`, or both."""
    parts = []
    if "likelihood" in risk.set_by:
        parts.append("likelihood")
    labels = dict.fromkeys(KINDS[one.kind].label for one in leading(risk) if one.signal != MODEL)
    if labels:
        parts.append(f"impact ({', '.join(labels)})")
    if MODEL in risk.set_by:
        parts.append("the model's assessment")
    if not parts and (risk.likelihood is None or not is_compared(risk.likelihood)):
        return "nothing" if risk.likelihood is None else f"nothing, since {risk.whole_change or NO_SOURCE}"
    return " and ".join(parts) or "nothing: neither likelihood nor impact is above low"


def lowering(risk: RiskAssessment) -> list[str]:
    """Return what would lower the level: all of it is needed where likelihood and impact set it."""
    found = dict.fromkeys(one.advice for one in leading(risk) if one.advice)
    is_large = "likelihood" in risk.set_by and risk.likelihood is not None and _is_large(risk.likelihood)
    return [*found, *(["smaller changes, each reviewed by itself"] if is_large else [])]


def _is_large(likelihood: Likelihood) -> bool:
    """Return whether the size of the change raises the likelihood, and is enough to split."""
    if likelihood.basis == "size":
        return True
    sizes = [one for one in likelihood.factors if one.feature in _OF_SIZE]
    added = sum(one.value for one in sizes if one.feature == "added")
    return added >= LEAST_TO_SPLIT and sum(one.contribution for one in sizes) > 0


def asks_for_review(risk: RiskAssessment) -> bool:
    """Return whether the level asks for a thorough review."""
    return risk.level.at_least(RiskLevel.high)


def in_short(risk: RiskAssessment) -> str:
    """Return what set the level in a few words: its first statement, or how likely a fix is."""
    first = leading(risk)
    return f"{KINDS[first[0].kind].label}: {first[0].text}" if first else likelihood_in_words(risk)


def likelihood_lines(likelihood: Likelihood) -> Iterator[str]:
    """Yield the details of the likelihood: its largest contributions, and its limits."""
    for one in sorted(likelihood.factors, key=lambda one: -abs(one.contribution))[:MOST_CONTRIBUTIONS]:
        yield f"{'lower' if one.contribution < 0 else 'higher'} because it {one.text}"
    if likelihood.note:
        yield likelihood.note


def rollback_in_words(risk: RiskAssessment) -> str:
    """Return the rollback flags and the rate of reverts of changes with as many; "" if it is near the average."""
    rollback = risk.rollback
    if rollback is None or rollback.rate is None or rollback.rate.times_average < LEAST_ROLLBACK_TIMES:
        return ""
    words = f"{plural(len(rollback.flags), 'flag')} ({', '.join(one.text for one in rollback.flags)})"
    return f"{words}; changes with as many were reverted {times(rollback.rate)}"


def times(rate: ObservedRate) -> str:
    """Return a rate relative to the average: `2.1 times as often as average here (n = 74)`."""
    where = "here" if rate.source == _HERE else f"in {rate.source}"
    if round(rate.times_average, 1) == 1.0:
        return f"about as often as average {where} (n = {rate.num})"
    if rate.times_average < 1:
        return f"less often than average {where} ({rate.times_average:.1f} times, n = {rate.num})"
    return f"{rate.times_average:.1f} times as often as average {where} (n = {rate.num})"


def holding(report: ValidationReport) -> list[Statement]:
    """Return the statements for which the change is held; none if something else holds it."""
    risk = report.risk
    if risk is None or not report.hold or not any("set by policy" in one for one in report.reasons):
        return []
    return [one for one in leading(risk) if one.signal != MODEL]
