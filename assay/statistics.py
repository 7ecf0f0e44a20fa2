"""Means, percentiles, 95 % intervals, a permutation test for pairs, and Student's t for runs.

Sources: E. B. Wilson, Probable Inference, the Law of Succession, and Statistical Inference (1927); C. Clopper and E.
Pearson, The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial (1934); D. Katz et al.,
Obtaining Confidence Intervals for the Risk Ratio in Cohort Studies (1978), with half a case added to each cell where
one is empty; B. Efron and R. Tibshirani, An Introduction to the Bootstrap (1993), chapter 13 (percentile intervals); A.
Davison and D. Hinkley, Bootstrap Methods and their Application (1997), section 3.8 (two-stage resampling); R. G.
Newcombe, Interval Estimation for the Difference Between Independent Proportions (1998), method 10; B. Phipson and G.
Smyth, Permutation P-values Should Never Be Zero (2010); Q. McNemar, Note on the Sampling Error of the Difference
Between Correlated Proportions or Percentages (1947); M. Abramowitz and I. Stegun, Handbook of Mathematical Functions
(1964), 26.7.

Draws are seeded and values are sorted first: the same values always have the same interval. Intervals of scores are
published with an evaluation, so they are drawn by `Draws`, which gives the same on every machine, and need no NumPy.
Intervals of ratios are drawn by NumPy, since the metrics have up to tens of thousands of values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING

from assay.seeded_random import Draws

if TYPE_CHECKING:  # imported by the first bootstrap of a ratio: the Action has no NumPy
    import numpy as np
    from numpy.typing import NDArray

LEVEL = 0.95
NUM_AT_LEAST = 5
"""Least number of values for a bootstrap; with fewer, the interval would be misleading."""
NUM_RESAMPLES = 1000
"""Each end of a 95 % interval then rests on 25 resamples, and a thousand scores take about a second."""
NUM_PERMUTATIONS = 4000
EXACT_UP_TO = 12
"""Up to this many differences, all 2^n signs are tried instead of drawn."""

_TAIL = (1 - LEVEL) / 2
_Z = NormalDist().inv_cdf(1 - _TAIL)
_SEED = 20_260_301
_MOST_DRAWN = 2_000_000
"""Maximum draws held in memory at once."""

Ratio = tuple[float, float]
"""Numerator and denominator."""


@dataclass(frozen=True, slots=True)
class Interval:
    """95 % interval of the true value."""

    low: float
    high: float


def mean(values: Sequence[float]) -> float | None:
    """Return the arithmetic mean; None for no values."""
    return sum(values) / len(values) if values else None


def percentile(values: Iterable[float], per_cent: float) -> float | None:
    """Return a percentile, interpolated between neighbours; None for no values.

    Definition 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50 (1996).
    """
    ordered = sorted(values)
    if not ordered:
        return None
    place = (len(ordered) - 1) * per_cent / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


# ---------------------------------------------------------------- rates


def interval_of_rate(num_hits: float, num_all: float) -> Interval | None:
    """Return the Wilson score interval of a rate; None without data. Effective numbers may be fractions."""
    if num_all <= 0:
        return None
    share, square = num_hits / num_all, _Z * _Z
    middle = (share + square / (2 * num_all)) / (1 + square / num_all)
    spread = math.sqrt(share * (1 - share) / num_all + square / (4 * num_all**2))
    half = _Z / (1 + square / num_all) * spread
    # The formula yields 0 and 1 at the ends, apart from rounding.
    return Interval(0.0 if num_hits == 0 else middle - half, 1.0 if num_hits == num_all else middle + half)


def bounds_of_rate(num_hits: int, num_all: int) -> list[float] | None:
    """Return [low, high] of `interval_of_rate` for a report; None also for impossible counts."""
    found = interval_of_rate(num_hits, num_all) if 0 <= num_hits <= num_all else None
    return None if found is None else [found.low, found.high]


def interval_of_rate_difference(hits_before: int, all_before: int, hits_after: int, all_after: int) -> Interval | None:
    """Return Newcombe's interval of (rate after - rate before); None if either group is empty."""
    before, after = interval_of_rate(hits_before, all_before), interval_of_rate(hits_after, all_after)
    if before is None or after is None:
        return None
    p, q = hits_before / all_before, hits_after / all_after
    low = (q - p) - math.hypot(q - after.low, before.high - p)
    high = (q - p) + math.hypot(after.high - q, p - before.low)
    return Interval(low, high)


def interval_of_lift(hits: int, num: int, hits_rest: int, num_rest: int) -> Interval | None:
    """Return Katz's log interval of (rate here / rate of the rest); None if a group or all hits are empty."""
    if num <= 0 or num_rest <= 0 or hits + hits_rest == 0:
        return None
    a, b, c, d = float(hits), float(num), float(hits_rest), float(num_rest)
    if not hits or not hits_rest:
        a, b, c, d = a + 0.5, b + 0.5, c + 0.5, d + 0.5
    middle = math.log((a / b) / (c / d))
    half = _Z * math.sqrt(max(0.0, 1 / a - 1 / b + 1 / c - 1 / d))
    return Interval(math.exp(middle - half), math.exp(middle + half))


def exact_test_of_pairs(num_lost: int, num_gained: int) -> float:
    """Return the p-value of McNemar's exact test that pairs change as often one way as the other, two-sided.

    The binomial tail of the pairs that differ; 1 without any.
    """
    num = num_lost + num_gained
    if num == 0:
        return 1.0
    tail = sum(math.comb(num, one) for one in range(min(num_lost, num_gained) + 1))
    # Integers, since 2.0**num overflows for a large world.
    return min(1.0, float(2 * tail / 2**num))


# ---------------------------------------------------------------- ratios


def interval_of_ratio(pairs: Sequence[Ratio]) -> Interval | None:
    """Return the bootstrap interval of the ratio of the sums, with pairs resampled together.

    If all numerators are 0, return the upper end of a Poisson interval: -ln(2.5 %) / exposure. None for fewer than five
    pairs, or for equal ratios.
    """
    exposure = sum(bottom for _, bottom in pairs)
    if len(pairs) >= NUM_AT_LEAST and exposure > 0 and not any(top for top, _ in pairs):
        return Interval(0.0, -math.log(_TAIL) / exposure)
    if len(pairs) < NUM_AT_LEAST or len({top / bottom if bottom else None for top, bottom in pairs}) == 1:
        return None
    return _between_tails(_resampled_ratios(pairs, _SEED).tolist())


def interval_of_ratio_difference(before: Sequence[Ratio], after: Sequence[Ratio]) -> Interval | None:
    """Return the bootstrap interval of (ratio after - ratio before), resampling each group."""
    if min(len(before), len(after)) < NUM_AT_LEAST:
        return None
    return _between_tails((_resampled_ratios(after, _SEED) - _resampled_ratios(before, _SEED + 1)).tolist())


def interval_of_ratio_quotient(here: Sequence[Ratio], rest: Sequence[Ratio]) -> Interval | None:
    """Return the bootstrap interval of (ratio here / ratio of the rest), resampling each group."""
    if min(len(here), len(rest)) < NUM_AT_LEAST:
        return None
    return _between_tails(_quotients(_resampled_ratios(here, _SEED), _resampled_ratios(rest, _SEED + 1)).tolist())


def _resampled_ratios(pairs: Sequence[Ratio], seed: int) -> NDArray[np.float64]:
    """Return the ratio of each resample, NaN where the denominator is 0."""
    import numpy as np

    table = np.asarray(sorted(pairs), dtype=np.float64)
    num, chance = len(pairs), np.random.default_rng(seed)
    at_once = max(1, _MOST_DRAWN // num)
    found = []
    for first in range(0, NUM_RESAMPLES, at_once):
        drawn = chance.integers(0, num, size=(min(at_once, NUM_RESAMPLES - first), num))
        found.append(table[drawn].sum(axis=1))
    both = np.concatenate(found)
    return _quotients(both[:, 0], both[:, 1])


def _quotients(tops: NDArray[np.float64], bottoms: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    found: NDArray[np.float64] = np.divide(tops, bottoms, out=np.full_like(tops, np.nan), where=bottoms > 0)
    return found


# ---------------------------------------------------------------- scores


def interval_of_scores(
    groups: Sequence[Sequence[float]], num_resamples: int = NUM_RESAMPLES, bounds: tuple[float, float] = (0.0, 1.0)
) -> Interval | None:
    """Return the percentile interval of the mean over all groups (one per seed); None for fewer than five values.

    Two stages: groups are drawn with replacement, then the values inside each; with one group it is the plain bootstrap
    over its values. If all values are equal, the interval covers the largest plausible share of other values, anywhere
    within `bounds`.
    """
    groups = sorted(sorted(group) for group in groups if group)
    values = [value for group in groups for value in group]
    if len(values) < NUM_AT_LEAST:
        return None
    if min(values) == max(values):
        # Clopper and Pearson: of n values, none of the others was seen, so they are at most 1 - (2.5 %)^(1/n).
        others = 1 - _TAIL ** (1 / len(values))
        value, (least, most) = values[0], bounds
        return Interval(value - (value - least) * others, value + (most - value) * others)
    draws = Draws("interval")
    return _between_tails(_resampled_mean(groups, draws) for _ in range(num_resamples))


def difference_of_means(before: Sequence[float], after: Sequence[float]) -> tuple[Interval | None, float | None]:
    """Return the interval of (mean after - mean before) and its two-sided p-value, by Student's t with pooled variance.

    (None, None) for fewer than two values on either side; without any variance, only equal means have an answer.
    """
    if min(len(before), len(after)) < 2:
        return None, None
    freedom = len(before) + len(after) - 2
    change = fmean(after) - fmean(before)
    squares = sum((value - fmean(side)) ** 2 for side in (before, after) for value in side)
    error = math.sqrt(squares / freedom * (1 / len(before) + 1 / len(after)))
    if error == 0:
        return (Interval(change, change), 1.0) if change == 0 else (None, None)
    half = _quantile_of_t(freedom) * error
    return Interval(change - half, change + half), tail_of_t(abs(change) / error, freedom)


def tail_of_t(t: float, freedom: int) -> float:
    """Return the probability that Student's t with whole degrees of freedom is farther from 0 than `t`.

    Closed form of Abramowitz and Stegun, 26.7.3 and 26.7.4.
    """
    theta = math.atan(t / math.sqrt(freedom))
    cosine, sine = math.cos(theta), math.sin(theta)
    if freedom % 2:
        term, total = cosine, 0.0
        for one in range(1, freedom - 1, 2):
            total += term
            term *= cosine * cosine * (one + 1) / (one + 2)
        inside = (theta + sine * total) * 2 / math.pi
    else:
        term, total = 1.0, 0.0
        for one in range(0, freedom - 1, 2):
            total += term
            term *= cosine * cosine * (one + 1) / (one + 2)
        inside = sine * total
    return min(1.0, max(0.0, 1 - inside))


def _quantile_of_t(freedom: int) -> float:
    """Return the value that Student's t exceeds in either direction with 5 %, by bisection."""
    low, high = 0.0, 1e3
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if tail_of_t(middle, freedom) > 2 * _TAIL else (low, middle)
    return high


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
        signs_of_all = list(product((1, -1), repeat=len(moved)))
        sums = (sum(sign * value for sign, value in zip(signs, moved, strict=True)) for signs in signs_of_all)
        return sum(abs(one) >= seen for one in sums) / len(signs_of_all)
    draws = Draws("permutation")
    as_large = sum(abs(_with_drawn_signs(moved, draws)) >= seen for _ in range(NUM_PERMUTATIONS))
    return (as_large + 1) / (NUM_PERMUTATIONS + 1)


def _resampled_mean(groups: Sequence[Sequence[float]], draws: Draws) -> float:
    total, num = 0.0, 0
    for _ in groups:
        group = groups[draws.below(len(groups))] if len(groups) > 1 else groups[0]
        size, below = len(group), draws.below
        total += sum(group[below(size)] for _ in range(size))
        num += size
    return total / num


def _with_drawn_signs(values: Sequence[float], draws: Draws) -> float:
    signs = draws.below(1 << len(values))
    return sum(value if signs >> place & 1 else -value for place, value in enumerate(values))


def _between_tails(resampled: Iterable[float]) -> Interval | None:
    """Return the interval between the tails of the resampled values; None if none is a number."""
    usable = sorted(value for value in resampled if not math.isnan(value))
    low, high = percentile(usable, _TAIL * 100), percentile(usable, 100 - _TAIL * 100)
    return None if low is None or high is None else Interval(low, high)
