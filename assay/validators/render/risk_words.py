"""Report texts on the risk: what set the level, why, what would lower it, and the rollback flags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.validators.report.likelihood import LikelihoodFactor, ObservedRate
from assay.validators.report.model import Evidence, Likelihood, RiskAssessment, RiskFactor, RiskLevel
from assay.validators.wording import listed, plural

LEAST_OBSERVED = 50
"""Past changes from which a rate is given as the reason; with fewer, it says little."""
MOST_DRIVERS = 3
_HERE = "this repository"
_IN_BLAST_RADIUS = frozenset({"dependents", "public_api", "new_dependencies"})
_SMALLER = "smaller changes, each reviewed by itself"


def floors(risk: RiskAssessment) -> list[RiskFactor]:
    """Return the factors with a level: policy floors, and levels from the configuration."""
    return [factor for factor in risk.factors if factor.level is not None]


def facts(risk: RiskAssessment) -> list[RiskFactor]:
    """Return the facts of the impact."""
    return [factor for factor in risk.factors if factor.level is None]


def leading(risk: RiskAssessment) -> list[RiskFactor]:
    """Return the floors that set the level."""
    return [factor for factor in risk.factors if factor.level is risk.level] if "policy" in risk.set_by else []


def observed(risk: RiskAssessment) -> str:
    """Return the observed rate behind the level as a sentence; "" below medium, or with too few past changes."""
    likelihood = risk.likelihood
    rate = likelihood.rate if likelihood is not None else None
    if likelihood is None or rate is None or likelihood.level is RiskLevel.low or rate.num < LEAST_OBSERVED:
        return ""
    return f"Changes like this one needed a fix within a year {_times(rate)}"


def set_by(risk: RiskAssessment) -> str:
    """Return what set the level, and both parts: `likelihood (high, above 88 % of …; no policy floor)`."""
    floor = "no policy floor" if risk.floor is RiskLevel.low else f"policy floor {risk.floor}"
    if risk.likelihood is None:
        likelihood = "likelihood not assessed"
    else:
        likelihood = f"likelihood {risk.likelihood.level}, {in_place(risk.likelihood)}"
    return f"{' and '.join(risk.set_by) or 'neither likelihood nor policy'} ({likelihood}; {floor})"


def places(factor: RiskFactor) -> Sequence[Evidence]:
    """Return the evidence that no other part of the report lists: a fact's places may be in the blast radius."""
    return () if factor.level is None and factor.signal in _IN_BLAST_RADIUS else factor.evidence


def in_place(likelihood: Likelihood) -> str:
    """Return how the change compares: `above 88 % of the last 500 changes`."""
    what = "its size is " if likelihood.basis == "size" else ""
    of = f"the last {likelihood.num_compared} changes" if likelihood.num_compared else "changes of public repositories"
    return f"{what}above {likelihood.percentile:.0f} % of {of}"


def reason(risk: RiskAssessment) -> str:
    """Return why the level is above low, in one line; the policy first, since it may hold the change."""
    floor = leading(risk)
    if floor:
        return floor[0].reason.removeprefix(f"{risk.level} because ")
    if "likelihood" not in risk.set_by or risk.likelihood is None:
        return ""
    return observed(risk) or listed([one.text for one in drivers(risk.likelihood)], MOST_DRIVERS) or set_by(risk)


def drivers(likelihood: Likelihood) -> list[LikelihoodFactor]:
    """Return the features that raise the likelihood, the strongest first."""
    raising = [one for one in likelihood.factors if one.contribution > 0]
    return sorted(raising, key=lambda one: -one.contribution)


def lowering(risk: RiskAssessment) -> list[str]:
    """Return what would lower the level: all of it is needed where likelihood and policy set it."""
    found = [factor.would_lower for factor in leading(risk) if factor.would_lower]
    return [*dict.fromkeys(found), *([_SMALLER] if "likelihood" in risk.set_by else [])]


def asks_for_review(risk: RiskAssessment) -> bool:
    """Return whether the likelihood alone asks for a thorough review."""
    return risk.likelihood is not None and risk.likelihood.level.at_least(RiskLevel.high)


def likelihood_lines(likelihood: Likelihood) -> Iterator[str]:
    """Yield the details of the likelihood: its place, its features, and its limits."""
    yield f"{likelihood.level}: {in_place(likelihood)}"
    for one in sorted(likelihood.factors, key=lambda one: -abs(one.contribution)):
        yield f"{'raises' if one.contribution > 0 else 'lowers'} it: {one.text}"
    if likelihood.note:
        yield likelihood.note


def rollback_in_words(risk: RiskAssessment) -> str:
    """Return the rollback flags and the rate of reverts of changes with as many; "" without flags."""
    if risk.rollback is None or not risk.rollback.flags:
        return ""
    flags = risk.rollback.flags
    words = f"{plural(len(flags), 'flag')} ({', '.join(one.text for one in flags)})"
    rate = risk.rollback.rate
    return f"{words}; changes with as many were reverted {_times(rate)}" if rate is not None else words


def _times(rate: ObservedRate) -> str:
    where = "here" if rate.source == _HERE else f"in {rate.source}"
    return f"{rate.times_average:.1f} times as often as average {where} (n = {rate.num})"
