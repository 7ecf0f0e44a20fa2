"""Report texts on the risk: what set the level, why, what would lower it, and the rollback flags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.validators.policy.verdict import held_by
from assay.validators.render.phrases import left_out
from assay.validators.report.likelihood import LikelihoodFactor, ObservedRate
from assay.validators.report.model import (
    MODEL,
    Evidence,
    Likelihood,
    RiskAssessment,
    RiskFactor,
    RiskLevel,
    ValidationReport,
)
from assay.validators.wording import plural

LEAST_OBSERVED = 50
"""Past changes from which a rate is given as the reason; with fewer, it says little."""
MOST_DRIVERS = 3
MOST_CONTRIBUTIONS = 4
"""Features shown per likelihood; the others move the score less. The JSON report has all."""
LEAST_ROLLBACK_TIMES = 1.5
"""Rate of reverts, relative to the average, from which rollback flags are shown: one flag alone has 1.2 times."""
NO_SOURCE = "no source code changed"
_HERE = "this repository"
_IN_BLAST_RADIUS = frozenset({"dependents", "public_api", "new_dependencies"})
LEAST_TO_SPLIT = 50
"""Added lines of code from which smaller changes are advised: one review takes fewer than these."""
_SMALLER = "smaller changes, each reviewed by itself"
_OF_SIZE = frozenset({"added", "control_flow", "calls", "assignments", "indent"})
"""Features of the likelihood that a smaller change has less of."""


def floors(risk: RiskAssessment) -> list[RiskFactor]:
    """Return the factors with a level: policy floors, and levels from the configuration."""
    return [factor for factor in risk.policy_factors if factor.level is not None]


def raised(risk: RiskAssessment) -> list[RiskFactor]:
    """Return the factors of the model's assessment that have a level."""
    return [factor for factor in risk.factors if factor.signal == MODEL and factor.level is not None]


def facts(risk: RiskAssessment) -> list[RiskFactor]:
    """Return the facts of the impact."""
    return [factor for factor in risk.factors if factor.level is None]


def leading(risk: RiskAssessment) -> list[RiskFactor]:
    """Return the factors that set the level."""
    return [
        factor
        for factor in risk.factors
        if factor.level is risk.level and (MODEL if factor.signal == MODEL else "policy") in risk.set_by
    ]


def holding(report: ValidationReport) -> list[RiskFactor]:
    """Return the floors for which the change is held; none if something else holds it."""
    risk = report.risk
    is_held = risk is not None and any(one.startswith(held_by(risk.floor)) for one in report.reasons)
    return leading(risk) if risk is not None and report.hold and is_held else []


def observed(risk: RiskAssessment) -> str:
    """Return the observed rate behind the level as a sentence; "" below medium, or with too few past changes."""
    likelihood = risk.likelihood
    rate = likelihood.rate if likelihood is not None else None
    if likelihood is None or rate is None or likelihood.level is RiskLevel.low or rate.num < LEAST_OBSERVED:
        return ""
    return f"Changes like this one needed a fix within a year {_times(rate)}"


def set_by(risk: RiskAssessment) -> str:
    """Return what set the level, and both parts: `policy (likelihood low: its score …; policy floor critical)`.

    The level of a part that set it is not repeated.
    """
    likelihood = risk.likelihood
    if likelihood is None:
        compared = "likelihood not assessed"
    elif not is_compared(likelihood):
        compared = NO_SOURCE
    else:
        own = "" if "likelihood" in risk.set_by else f"likelihood {likelihood.level}: "
        compared = own + in_place(likelihood)
    if not risk.set_by and compared == NO_SOURCE:
        return f"nothing, since {NO_SOURCE}"
    floor = "no policy floor" if risk.floor is RiskLevel.low else f"policy floor {risk.floor}"
    return f"{' and '.join(risk.set_by) or 'neither likelihood nor policy'} ({compared}; {floor})"


def is_compared(likelihood: Likelihood) -> bool:
    """Return whether the likelihood compares the change with others: not without source."""
    return likelihood.basis == "size" or likelihood.num_compared > 0


def places(factor: RiskFactor) -> Sequence[Evidence]:
    """Return the evidence that no other part of the report lists: a fact's places may be in the blast radius."""
    return () if factor.level is None and factor.signal in _IN_BLAST_RADIUS else factor.evidence


def in_short(risk: RiskAssessment) -> str:
    """Return what set the level in a few words: its first floor, or `riskier than 76 % of the last 500 changes`."""
    floor = leading(risk)
    if floor:
        return floor[0].reason.removeprefix(f"{risk.level} because ")
    likelihood = risk.likelihood
    if likelihood is None or not is_compared(likelihood):
        return ""
    word = "larger" if likelihood.basis == "size" else "riskier"
    return f"{word} than {min(99, int(likelihood.percentile))} % of {_compared_with(likelihood)}"


def in_place(likelihood: Likelihood) -> str:
    """Return how the change compares: `its score is above that of 88 % of the last 500 source changes`."""
    what = "size" if likelihood.basis == "size" else "score"
    above = likelihood.percentile
    side, share = ("above", above) if above >= 50 else ("below", 100 - above)
    return f"its {what} is {side} that of {min(99, int(share))} % of {_compared_with(likelihood)}"


def _compared_with(likelihood: Likelihood) -> str:
    num = likelihood.num_compared
    return f"the last {num} source changes" if num else "source changes of public repositories"


def reason(risk: RiskAssessment) -> str:
    """Return why the level is above low, in one line; the policy first, since it may hold the change."""
    floor = leading(risk)
    if floor:
        return floor[0].reason.removeprefix(f"{risk.level} because ")
    likelihood = risk.likelihood
    if "likelihood" not in risk.set_by or likelihood is None:
        return ""
    is_reason = likelihood.rate is not None and likelihood.rate.times_average > 1
    said = observed(risk) if is_reason else ""
    raising = [one.text for one in drivers(likelihood)]
    # A text has its own commas.
    words = "; ".join([*raising[:MOST_DRIVERS], *left_out(len(raising), MOST_DRIVERS)])
    return said or (f"the change {words}" if words else set_by(risk))


def drivers(likelihood: Likelihood) -> list[LikelihoodFactor]:
    """Return the features that raise the likelihood, the strongest first."""
    raising = [one for one in likelihood.factors if one.contribution > 0]
    return sorted(raising, key=lambda one: -one.contribution)


def lowering(risk: RiskAssessment) -> list[str]:
    """Return what would lower the level: all of it is needed where likelihood and policy set it."""
    found = [factor.would_lower for factor in leading(risk) if factor.would_lower]
    is_large = "likelihood" in risk.set_by and risk.likelihood is not None and _is_large(risk.likelihood)
    return [*dict.fromkeys(found), *([_SMALLER] if is_large else [])]


def _is_large(likelihood: Likelihood) -> bool:
    """Return whether the size of the change raises the likelihood, and is enough to split."""
    if likelihood.basis == "size":
        return True
    sizes = [one for one in likelihood.factors if one.feature in _OF_SIZE]
    added = sum(one.value for one in sizes if one.feature == "added")
    return added >= LEAST_TO_SPLIT and sum(one.contribution for one in sizes) > 0


def asks_for_review(risk: RiskAssessment) -> bool:
    """Return whether the likelihood alone asks for a thorough review."""
    return risk.likelihood is not None and risk.likelihood.level.at_least(RiskLevel.high)


def likelihood_lines(likelihood: Likelihood) -> Iterator[str]:
    """Yield the details of the likelihood: its largest contributions, and its limits. `set_by` says its place."""
    for one in sorted(likelihood.factors, key=lambda one: -abs(one.contribution))[:MOST_CONTRIBUTIONS]:
        side = "lower" if one.contribution < 0 else "higher"
        yield f"{side} because it {one.text}"
    if likelihood.note:
        yield likelihood.note


def rollback_in_words(risk: RiskAssessment) -> str:
    """Return the rollback flags and the rate of reverts of changes with as many; "" if it is near the average."""
    rollback = risk.rollback
    if rollback is None or rollback.rate is None or rollback.rate.times_average < LEAST_ROLLBACK_TIMES:
        return ""
    words = f"{plural(len(rollback.flags), 'flag')} ({', '.join(one.text for one in rollback.flags)})"
    return f"{words}; changes with as many were reverted {_times(rollback.rate)}"


def _times(rate: ObservedRate) -> str:
    where = "here" if rate.source == _HERE else f"in {rate.source}"
    if round(rate.times_average, 1) == 1.0:
        return f"about as often as average {where} (n = {rate.num})"
    if rate.times_average < 1:
        return f"less often than average {where} ({rate.times_average:.1f} times, n = {rate.num})"
    return f"{rate.times_average:.1f} times as often as average {where} (n = {rate.num})"
