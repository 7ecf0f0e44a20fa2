"""Outcomes of changes by the level of their likelihood: lift, and how well the shipped rates predicted them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.validators.report.model import RiskLevel
from assay.validators.risk.likelihood.calibration import (
    SHIFT_FROM,
    Bin,
    Lift,
    Outcome,
    bin_of,
    calibration_error,
    lifts,
    log_odds_of,
    shift_of,
)
from assay.validators.risk.likelihood.model import shipped_model

SPREAD = 2.0
"""Standard deviation of the shift in log-odds: wide, since shipped rates count a year and these outcomes may not."""


@dataclass(frozen=True, slots=True)
class LevelOutcome:
    """Change of one repository, assessed at a time in seconds, whose outcome was known at another.

    `is_bad`: it needed a fix or was reverted.
    """

    repository: str
    assessed_at: float
    known_at: float
    level: RiskLevel
    is_bad: bool


@dataclass(frozen=True, slots=True)
class LevelReliability:
    """Changes of one level before which `SHIFT_FROM` outcomes were known: by the shipped rate, and shifted by those."""

    shipped: Bin
    shifted: Bin


@dataclass(frozen=True, slots=True)
class LevelCalibration:
    """Lift of each level, and the reliability of those with enough outcomes before; levels without any are left out.

    `most` is the largest number of outcomes of a repository.
    """

    num: int
    most: int
    lift: Mapping[RiskLevel, Lift]
    reliability: Mapping[RiskLevel, LevelReliability]

    @property
    def error_shipped(self) -> float | None:
        """Expected calibration error of the shipped rates."""
        return calibration_error([one.shipped for one in self.reliability.values()])

    @property
    def error_shifted(self) -> float | None:
        """Expected calibration error of the shifted rates."""
        return calibration_error([one.shifted for one in self.reliability.values()])


def calibrate_levels(outcomes: Iterable[LevelOutcome]) -> LevelCalibration:
    """Return lift and reliability by level; each prediction is shifted by outcomes known before it."""
    by_repository: dict[str, list[LevelOutcome]] = defaultdict(list)
    for one in outcomes:
        by_repository[one.repository].append(one)
    known = [one for own in by_repository.values() for one in own]
    shipped: dict[RiskLevel, list[Outcome]] = defaultdict(list)
    shifted: dict[RiskLevel, list[Outcome]] = defaultdict(list)
    for own in by_repository.values():
        for one, shift in _shifts(own):
            shipped[one.level].append((_shipped(one.level), one.is_bad))
            shifted[one.level].append((_shipped(one.level) + shift, one.is_bad))
    return LevelCalibration(
        num=len(known),
        most=max((len(own) for own in by_repository.values()), default=0),
        lift=lifts([(one.level, one.is_bad) for one in known], RiskLevel),
        reliability={
            level: LevelReliability(bin_of(shipped[level]), bin_of(shifted[level]))
            for level in RiskLevel
            if shipped[level]
        },
    )


def _shifts(outcomes: Sequence[LevelOutcome]) -> Iterable[tuple[LevelOutcome, float]]:
    """Yield the changes before which enough outcomes were known, with the shift by these."""
    by_known = sorted(outcomes, key=lambda one: one.known_at)
    known, earlier = list[Outcome](), 0
    for one in sorted(outcomes, key=lambda one: one.assessed_at):
        while earlier < len(by_known) and by_known[earlier].known_at <= one.assessed_at:
            known.append((_shipped(by_known[earlier].level), by_known[earlier].is_bad))
            earlier += 1
        if len(known) >= SHIFT_FROM:
            yield one, shift_of(known, SPREAD)


def _shipped(level: RiskLevel) -> float:
    return log_odds_of(shipped_model().rates[level].share)
