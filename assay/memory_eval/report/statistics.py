"""Bootstrap intervals of means, and a permutation test for pairs; seeded by name, so reproducible.

Sources: B. Efron and R. Tibshirani, An Introduction to the Bootstrap (1993), chapter 13 (percentile intervals); A.
Davison and D. Hinkley, Bootstrap Methods and their Application (1997), section 3.8 (two-stage resampling); B. Phipson
and G. Smyth, Permutation P-values Should Never Be Zero (2010); C. Clopper and E. Pearson, The Use of Confidence or
Fiducial Limits Illustrated in the Case of the Binomial (1934), for values that are all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from assay.memory_eval.seeded_random import Draws

LEVEL = 0.95
NUM_AT_LEAST = 5
"""Least number of values for an interval; with fewer it would be meaningless."""
NUM_RESAMPLES = 1000
"""Each end of a 95 % interval then rests on 25 resamples, and a thousand questions take about a second."""
NUM_PERMUTATIONS = 4000
EXACT_UP_TO = 12
"""Up to this many differences, all 2^n signs are tried instead of drawn."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Interval of the true mean, at `LEVEL`."""

    low: float
    high: float


def mean(values: Sequence[float]) -> float | None:
    """Return the arithmetic mean; None for no values."""
    return sum(values) / len(values) if values else None


def deviation(values: Sequence[float]) -> float | None:
    """Return the sample standard deviation (n - 1); None for fewer than two values."""
    if len(values) < 2:
        return None
    middle = sum(values) / len(values)
    return float((sum((value - middle) ** 2 for value in values) / (len(values) - 1)) ** 0.5)


def interval_of(
    groups: Sequence[Sequence[float]],
    num_resamples: int = NUM_RESAMPLES,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Interval | None:
    """Return the percentile interval of the mean over all groups (one per seed); None for fewer than five values.

    Two stages: groups are drawn with replacement, then the values inside each; with one group it is the plain bootstrap
    over its values. If all values are equal, the interval covers the largest plausible share of other values, anywhere
    within `bounds`.
    """
    # Sorted: the same scores have the same interval, in whatever order the questions came.
    groups = sorted(sorted(group) for group in groups if group)
    values = [value for group in groups for value in group]
    if len(values) < NUM_AT_LEAST:
        return None
    if min(values) == max(values):
        return _of_equal(values[0], len(values), bounds)
    draws = Draws("interval")
    means = sorted(_resampled_mean(groups, draws) for _ in range(num_resamples))
    tail = (1 - LEVEL) / 2
    return Interval(_quantile(means, tail), _quantile(means, 1 - tail))


def permutation_p(differences: Sequence[float]) -> float | None:
    """Return the two-sided p-value of the mean difference of pairs; None without pairs.

    Under the null hypothesis each difference has a random sign. For few differences all signs are tried; for many they
    are drawn, with p = (b + 1) / (m + 1), which is never zero (Phipson and Smyth).
    """
    moved = [difference for difference in differences if difference]
    if not differences:
        return None
    if not moved:
        return 1.0
    # Slightly less than the observed value, since sums in another order differ in the last bits.
    seen = abs(sum(moved)) - 1e-9
    if len(moved) <= EXACT_UP_TO:
        sums = [sum(s * value for s, value in zip(signs, moved, strict=True)) for signs in _signs(len(moved))]
        return len([one for one in sums if abs(one) >= seen]) / len(sums)
    draws = Draws("permutation")
    as_large = sum(abs(_with_drawn_signs(moved, draws)) >= seen for _ in range(NUM_PERMUTATIONS))
    return (as_large + 1) / (NUM_PERMUTATIONS + 1)


def _of_equal(value: float, num: int, bounds: tuple[float, float]) -> Interval:
    """Return the interval of `num` equal values: others are at most 1 - (2.5 %)^(1/num) (Clopper and Pearson)."""
    others = 1 - ((1 - LEVEL) / 2) ** (1 / num)
    return Interval(value - (value - bounds[0]) * others, value + (bounds[1] - value) * others)


def _resampled_mean(groups: Sequence[Sequence[float]], draws: Draws) -> float:
    total, num = 0.0, 0
    for _ in groups:
        group = groups[draws.below(len(groups))] if len(groups) > 1 else groups[0]
        size, below = len(group), draws.below
        total += sum(group[below(size)] for _ in range(size))
        num += size
    return total / num


def _signs(num: int) -> product[tuple[int, ...]]:
    return product((1, -1), repeat=num)


def _with_drawn_signs(values: Sequence[float], draws: Draws) -> float:
    signs = draws.below(1 << len(values))
    return sum(value if signs >> place & 1 else -value for place, value in enumerate(values))


def _quantile(ordered: Sequence[float], share: float) -> float:
    return at_place(ordered, share * (len(ordered) - 1))


def at_place(ordered: Sequence[float], place: float) -> float:
    """Return the value at a place (from 0) of ordered values, interpolated linearly."""
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
