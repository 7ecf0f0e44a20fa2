"""Calibrate predictions on a repository's own outcomes: intercept shift, refit of the weights, reliability, lift.

Predictions are log-odds. With fewer outcomes than `SHIFT_FROM`, or fewer fixed changes than `REFIT_FROM`, the shipped
figures stay. Only the newest outcomes shift the intercept, since base rates drift.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import mul
from typing import TypeVar

from assay.statistics import Interval, interval_of_rate

SHIFT_FROM = 50
"""Outcomes needed to shift the intercept."""
SHIFT_LAST = 100
"""Newest outcomes that decide the shift."""
REFIT_FROM = 300
"""Changes that needed a fix, from which the weights are fitted to the repository."""
REFIT_LAST = 3_000
"""Newest outcomes that the weights are fitted to: bounds the time, and what is older says less."""
RIDGE = 50.0
"""Strength of the pull towards the shipped weights: of 20, 50, 100 and 300 the best on eight repositories."""
NUM_BINS = 10
_MOST_STEPS = 50
_LARGEST_STEP = 1.0
_CONVERGED = 1e-7

_Group = TypeVar("_Group", bound=Hashable)

Outcome = tuple[float, bool]
"""Prediction in log-odds, and whether the change needed a fix."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Intercept and weights of a logistic model."""

    intercept: float
    weights: tuple[float, ...]

    def log_odds(self, inputs: Sequence[float]) -> float:
        """Return the prediction for one change."""
        return self.intercept + math.fsum(weight * value for weight, value in zip(self.weights, inputs, strict=True))


def probability(log_odds: float) -> float:
    """Return the probability of log-odds."""
    if log_odds >= 0:
        return 1.0 / (1.0 + math.exp(-log_odds))
    odds = math.exp(log_odds)
    return odds / (1.0 + odds)


def log_odds_of(chance: float) -> float:
    """Return the log-odds of a probability between 0 and 1."""
    return math.log(chance / (1.0 - chance))


def shift_of(outcomes: Sequence[Outcome], spread: float) -> float:
    """Return what to add to the log-odds of the next change, from outcomes in order; 0 with too few of them.

    It is the most probable shift for a normal prior with the standard deviation `spread`: that of the intercepts of
    different repositories.
    """
    if len(outcomes) < SHIFT_FROM:
        return 0.0
    newest, shift, precision = outcomes[-SHIFT_LAST:], 0.0, 1.0 / spread**2
    for _ in range(_MOST_STEPS):
        chances = [probability(log_odds + shift) for log_odds, _ in newest]
        slope = sum(fixed for _, fixed in newest) - math.fsum(chances) - precision * shift
        step = slope / (math.fsum(chance * (1.0 - chance) for chance in chances) + precision)
        shift += max(-_LARGEST_STEP, min(_LARGEST_STEP, step))
        if abs(step) < _CONVERGED:
            break
    return shift


def refit(
    rows: Sequence[tuple[Sequence[float], bool]], shipped: Fit, spread: float, start: Fit | None = None
) -> Fit | None:
    """Return weights fitted to the newest rows (inputs, needed a fix), pulled towards the shipped ones.

    It is ridge logistic regression by Newton's method, from `start` if given. None with too few fixed changes.
    """
    if sum(fixed for _, fixed in rows) < REFIT_FROM:
        return None
    begin = start or shipped
    newest = [((*inputs, 1.0), fixed) for inputs, fixed in rows[-REFIT_LAST:]]
    center = (*shipped.weights, shipped.intercept)
    ridge = (*(RIDGE for _ in shipped.weights), 1.0 / spread**2)
    found = [*begin.weights, begin.intercept]
    for _ in range(_MOST_STEPS):
        step = _newton_step(newest, found, center, ridge)
        longest = max(abs(value) for value in step)
        damping = min(1.0, _LARGEST_STEP / longest) if longest else 1.0
        found = [value + damping * change for value, change in zip(found, step, strict=True)]
        if longest < _CONVERGED:
            break
    return Fit(found[-1], tuple(found[:-1]))


def _newton_step(
    rows: Sequence[tuple[Sequence[float], bool]],
    at: Sequence[float],
    center: Sequence[float],
    ridge: Sequence[float],
) -> list[float]:
    size = len(at)
    slope = [-pull * (value - middle) for pull, value, middle in zip(ridge, at, center, strict=True)]
    curve = [[ridge[row] if row == column else 0.0 for column in range(size)] for row in range(size)]
    for inputs, fixed in rows:
        chance = probability(sum(map(mul, at, inputs)))
        error, weight = fixed - chance, chance * (1.0 - chance)
        for row, value in enumerate(inputs):
            if value:
                slope[row] += error * value
                line, scaled = curve[row], weight * value
                for column in range(row + 1):
                    line[column] += scaled * inputs[column]
    return _solved(curve, slope)


def _solved(lower: list[list[float]], right: Sequence[float]) -> list[float]:
    """Solve a positive definite system given by its lower triangle (Cholesky)."""
    size = len(right)
    for row in range(size):
        for column in range(row + 1):
            rest = lower[row][column] - math.fsum(lower[row][k] * lower[column][k] for k in range(column))
            lower[row][column] = math.sqrt(rest) if row == column else rest / lower[column][column]
    half: list[float] = []
    for row in range(size):
        half.append((right[row] - math.fsum(lower[row][k] * half[k] for k in range(row))) / lower[row][row])
    found = [0.0] * size
    for row in reversed(range(size)):
        rest = half[row] - math.fsum(lower[k][row] * found[k] for k in range(row + 1, size))
        found[row] = rest / lower[row][row]
    return found


@dataclass(frozen=True, slots=True)
class Bin:
    """Changes with similar predictions: their number, mean predicted probability, and how many needed a fix."""

    num: int
    predicted: float
    hits: int

    @property
    def observed(self) -> float:
        """Share that needed a fix."""
        return self.hits / self.num

    @property
    def interval(self) -> Interval | None:
        """95 % interval of the share (Wilson)."""
        return interval_of_rate(self.hits, self.num)


def bin_of(outcomes: Sequence[Outcome]) -> Bin:
    """Return one bin of all these outcomes, of which there must be one."""
    predicted = math.fsum(probability(log_odds) for log_odds, _ in outcomes) / len(outcomes)
    return Bin(len(outcomes), predicted, sum(fixed for _, fixed in outcomes))


def reliability(outcomes: Iterable[Outcome]) -> tuple[Bin, ...]:
    """Return bins of equal number by prediction, the lowest first; at most `NUM_BINS`."""
    ordered = sorted(outcomes, key=lambda one: one[0])
    ends = [at * len(ordered) // NUM_BINS for at in range(NUM_BINS + 1)]
    return tuple(bin_of(ordered[begin:end]) for begin, end in pairwise(ends) if begin < end)


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """Return the expected calibration error: mean distance of prediction and observation over all changes.

    None without bins.
    """
    num = sum(one.num for one in bins)
    return math.fsum(one.num * abs(one.predicted - one.observed) for one in bins) / num if num else None


@dataclass(frozen=True, slots=True)
class Lift:
    """Share of a group that needed a fix, compared with that of all changes (`average`)."""

    num: int
    hits: int
    average: float

    @property
    def share(self) -> float | None:
        """Share of the group; None for an empty one."""
        return self.hits / self.num if self.num else None

    @property
    def share_interval(self) -> Interval | None:
        """95 % interval of the share (Wilson)."""
        return interval_of_rate(self.hits, self.num)

    @property
    def value(self) -> float | None:
        """Share divided by the average; None for an empty group, or if no change needed a fix."""
        return self.hits / self.num / self.average if self.num and self.average else None

    @property
    def interval(self) -> Interval | None:
        """95 % interval of the value: that of the share, divided by the average."""
        between = self.share_interval
        if between is None or not self.average:
            return None
        return Interval(between.low / self.average, between.high / self.average)


def lifts(outcomes: Iterable[tuple[_Group, bool]], groups: Iterable[_Group]) -> Mapping[_Group, Lift]:
    """Return the lift of each group."""
    known = list(outcomes)
    average = sum(fixed for _, fixed in known) / len(known) if known else 0.0
    found = {}
    for group in groups:
        own = [fixed for name, fixed in known if name == group]
        found[group] = Lift(len(own), sum(own), average)
    return found
