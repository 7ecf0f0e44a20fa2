"""95 % intervals for rates, means and ratios, and for the difference between two groups.

Sources: E. B. Wilson, Probable Inference, the Law of Succession, and Statistical Inference (1927); R. G. Newcombe,
Interval Estimation for the Difference Between Independent Proportions (1998), method 10; D. Katz et al., Obtaining
Confidence Intervals for the Risk Ratio in Cohort Studies (1978), with half a case added to each cell where one is
empty; B. Efron and R. Tibshirani, An Introduction to the Bootstrap (1993), chapter 13 (percentile intervals).

Bootstraps are seeded and sort their values first: the same values always have the same interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.95
NUM_RESAMPLES = 1000
"""Resamples; each end of a 95 % interval then rests on 25 of them."""
NUM_AT_LEAST = 5
"""Fewest values for a bootstrap; with fewer, the interval would be misleading."""

_Z = NormalDist().inv_cdf(0.5 + LEVEL / 2)
_SEED = 20_260_301
_MOST_DRAWN = 2_000_000
"""Maximum draws held in memory at once."""

_Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """Interval that contains the true value with probability `LEVEL`."""

    low: float
    high: float


def of_rate(num_hits: int, num_all: int) -> Interval | None:
    """Return the Wilson score interval of a rate; None without data."""
    if num_all <= 0:
        return None
    share, square = num_hits / num_all, _Z * _Z
    middle = (share + square / (2 * num_all)) / (1 + square / num_all)
    spread = math.sqrt(share * (1 - share) / num_all + square / (4 * num_all**2))
    half = _Z / (1 + square / num_all) * spread
    # The formula yields 0 and 1 at the ends, apart from rounding.
    return Interval(0.0 if num_hits == 0 else middle - half, 1.0 if num_hits == num_all else middle + half)


def of_mean(values: Sequence[float]) -> Interval | None:
    """Return the bootstrap interval of a mean; None for fewer than five values, or for equal ones."""
    return of_ratio(values, [1.0] * len(values))


def of_ratio(tops: Sequence[float], bottoms: Sequence[float]) -> Interval | None:
    """Return the bootstrap interval of sum(tops) / sum(bottoms), with pairs resampled together.

    If all tops are 0, return the upper end of a Poisson interval: -ln(2.5 %) / exposure.
    """
    pairs = sorted(zip(tops, bottoms, strict=True))
    if len(pairs) >= NUM_AT_LEAST and not any(tops) and sum(bottoms) > 0:
        return Interval(0.0, -math.log((1 - LEVEL) / 2) / sum(bottoms))
    if len(pairs) < NUM_AT_LEAST or len({top / bottom if bottom else None for top, bottom in pairs}) == 1:
        return None
    return _middle(_resampled(pairs, _SEED))


def of_difference_of_rates(hits_before: int, all_before: int, hits_after: int, all_after: int) -> Interval | None:
    """Return Newcombe's interval of (rate after - rate before); None if either group is empty."""
    before, after = of_rate(hits_before, all_before), of_rate(hits_after, all_after)
    if before is None or after is None:
        return None
    p, q = hits_before / all_before, hits_after / all_after
    low = (q - p) - math.hypot(q - after.low, before.high - p)
    high = (q - p) + math.hypot(after.high - q, p - before.low)
    return Interval(low, high)


def of_difference_of_ratios(
    before: Sequence[tuple[float, float]], after: Sequence[tuple[float, float]]
) -> Interval | None:
    """Return the bootstrap interval of (ratio after - ratio before), resampling each group; pairs are (top, bottom)."""
    if min(len(before), len(after)) < NUM_AT_LEAST:
        return None
    return _middle(_resampled(sorted(after), _SEED) - _resampled(sorted(before), _SEED + 1))


def of_quotient_of_ratios(here: Sequence[tuple[float, float]], rest: Sequence[tuple[float, float]]) -> Interval | None:
    """Return the bootstrap interval of (ratio here / ratio of the rest), resampling each group."""
    if min(len(here), len(rest)) < NUM_AT_LEAST:
        return None
    tops, bottoms = _resampled(sorted(here), _SEED), _resampled(sorted(rest), _SEED + 1)
    return _middle(np.divide(tops, bottoms, out=np.full_like(tops, np.nan), where=bottoms > 0))


def of_lift(hits: int, num: int, hits_rest: int, num_rest: int) -> Interval | None:
    """Return Katz's log interval of (rate here / rate of the rest); None if a group or all hits are empty."""
    if num <= 0 or num_rest <= 0 or hits + hits_rest == 0:
        return None
    a, b, c, d = float(hits), float(num), float(hits_rest), float(num_rest)
    if not hits or not hits_rest:
        a, b, c, d = a + 0.5, b + 0.5, c + 0.5, d + 0.5
    middle = math.log((a / b) / (c / d))
    half = _Z * math.sqrt(max(0.0, 1 / a - 1 / b + 1 / c - 1 / d))
    return Interval(math.exp(middle - half), math.exp(middle + half))


def _resampled(pairs: Sequence[tuple[float, float]], seed: int) -> _Values:
    """Return the ratio of each resample, without those whose denominator is 0."""
    table = np.asarray(pairs, dtype=np.float64)
    num, chance = len(pairs), np.random.default_rng(seed)
    at_once = max(1, _MOST_DRAWN // num)
    found = []
    for first in range(0, NUM_RESAMPLES, at_once):
        drawn = chance.integers(0, num, size=(min(at_once, NUM_RESAMPLES - first), num))
        sums = table[drawn].sum(axis=1)
        found.append(sums)
    both = np.concatenate(found)
    tops, bottoms = both[:, 0], both[:, 1]
    filled: _Values = np.divide(tops, bottoms, out=np.full_like(tops, np.nan), where=bottoms > 0)
    return filled


def _middle(values: _Values) -> Interval | None:
    usable = values[~np.isnan(values)]
    if not len(usable):
        return None
    tail = (1 - LEVEL) / 2 * 100
    low, high = np.percentile(usable, [tail, 100 - tail])
    return Interval(float(low), float(high))
