"""Sequential tests: their result may be checked after every task, at one error for all looks together.

`Randomisation` tests whether the variant affects the results of the tasks. Each task's variant was drawn with a known
chance p, independent of its result. If the variant has no effect, its share is still p among the tasks that ended well,
and p among the others, in the order in which the results became known. Betting
against that with a Beta prior on each of the two groups gives a martingale that starts at 1,

    E = prod over both groups of  B(a + m, b + n - m) / B(a, b) / (p^m (1 - p)^(n - m)),   a = K p, b = K (1 - p)

(m of n tasks of the group had the variant). The mean of several such E, with different K, is one too. By Ville's
inequality (J. Ville, Étude critique de la notion de collectif, 1939) the chance that it ever reaches 1 / alpha is at
most alpha. It needs no number of tasks set in advance, no equal tasks, and nothing about how long the ends take to be
known: the draw alone makes it exact. The construction is the method of mixtures: D. Darling, H. Robbins, Confidence
Sequences for Mean, Variance, and Median (1967); as a test by betting, G. Shafer, Testing by Betting (2021); A. Ramdas
et al., Game-Theoretic Statistics and Safe Anytime-Valid Inference (2023).

`difference_at_every_look` bounds the difference of two rates by the same method: the pairs (p, q) for which the product
of both Beta mixtures over their likelihood stays under 1 / alpha. It does take the tasks of one variant as alike.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from dataclasses import dataclass, field

PRIORS = (2.0, 20.0)
"""K of each bet: prior weight of the first guess, in tasks. 20 suits effects of 10 to 30 points, 2 larger ones."""
NUM_STEPS = 400
"""Grid points for intervals, which are widened to the next point."""
MOST_TASKS_AHEAD = 100_000


@dataclass
class Randomisation:
    """Bets on the effect of a variant, task by task. `chance` is the share of the compared variant among the two.

    `direction` is how much more often its tasks ended well (or above the median) when the bets stood highest.
    """

    chance: float
    log_most: float = 0.0
    direction: float = 0.0
    num_tasks: int = 0
    _log_bets: list[float] = field(default_factory=lambda: [0.0] * len(PRIORS))
    _counts: dict[bool, list[int]] = field(default_factory=lambda: {True: [0, 0], False: [0, 0]})

    def see(self, is_variant: bool, is_good: bool) -> None:
        """Add the result of one more task."""
        num_variant, num_all = self._counts[is_good]
        for place, prior in enumerate(PRIORS):
            expected = (prior * self.chance + num_variant) / (prior + num_all)
            odds = expected / self.chance if is_variant else (1 - expected) / (1 - self.chance)
            self._log_bets[place] += math.log(odds)
        self.num_tasks += 1
        self._counts[is_good] = [num_variant + is_variant, num_all + 1]
        log_wealth = self.log_wealth
        if log_wealth > self.log_most:
            self.log_most, self.direction = log_wealth, self._direction()

    @property
    def log_wealth(self) -> float:
        """Logarithm of the mean of the bets."""
        return _log_mean(self._log_bets)

    def has_decided(self, alpha: float) -> bool:
        """Return whether the variant has an effect, at an error of `alpha` over all looks."""
        return self.log_most >= -math.log(alpha)

    def _direction(self) -> float:
        (good, num_good), (rest, num_rest) = self._counts[True], self._counts[False]
        num_variant, num_other = good + rest, num_good + num_rest - good - rest
        return good / num_variant - (num_good - good) / num_other if num_variant and num_other else 0.0

    @property
    def p_value(self) -> float:
        """Smallest `alpha` at which it has decided; holds at every look."""
        return math.exp(-self.log_most)

    def tasks_needed(self, alpha: float) -> int | None:
        """Return the total number of tasks needed to decide, assuming the current trend; None if too many."""
        if self.has_decided(alpha):
            return self.num_tasks
        groups = (
            [(num / self.num_tasks, hit / num) for hit, num in self._counts.values() if num] if self.num_tasks else []
        )
        gain = sum(weight * _divergence(share, self.chance) for weight, share in groups)

        def cost(num: int, prior: float) -> float:
            return sum(0.5 * math.log1p(weight * num / prior) for weight, _ in groups)

        total = self.num_tasks + 1
        while groups and total <= MOST_TASKS_AHEAD:
            ahead = (total - self.num_tasks) * gain
            bets = [
                known + ahead - cost(total, prior) + cost(self.num_tasks, prior)
                for known, prior in zip(self._log_bets, PRIORS, strict=True)
            ]
            if _log_mean(bets) >= -math.log(alpha):
                return total
            total += max(1, total // 50)
        return None


class RunningMedian:
    """Running test of whether a value is above the median of earlier ones, which turns an amount into yes or no.

    The variants are not used, so the bet stays exact. The first value counts as not above.
    """

    def __init__(self) -> None:
        self._before: list[float] = []

    def is_above(self, value: float) -> bool:
        """Return whether the value is above the median so far, and add it. Call once per value, in order."""
        num = len(self._before)
        above = num > 0 and bisect_left(self._before, value) * 2 > num
        insort(self._before, value)
        return above


def difference_at_every_look(hits: tuple[int, int], of: tuple[int, int], alpha: float) -> tuple[float, float]:
    """Return the interval (low, high) of (second rate - first rate), for all looks; (-1, 1) without data."""
    grid = [i / NUM_STEPS for i in range(NUM_STEPS + 1)]
    first, second = ([_doubt(hits[arm], of[arm], rate) for rate in grid] for arm in (0, 1))
    room = -math.log(alpha)
    low, high = 1.0, -1.0
    for rate, doubt in zip(grid, first, strict=True):
        inside = [other for other, more in zip(grid, second, strict=True) if doubt + more < room]
        if inside:
            low, high = min(low, inside[0] - rate), max(high, inside[-1] - rate)
    if low > high:
        # Each rate is between two grid points.
        middle = (hits[1] / of[1] if of[1] else 0.5) - (hits[0] / of[0] if of[0] else 0.5)
        low = high = middle
    step = 2 / NUM_STEPS
    return max(-1.0, low - step), min(1.0, high + step)


def _doubt(num_hits: int, num_all: int, rate: float) -> float:
    """Return the log wealth of a bet against this rate: a Beta(1/2, 1/2) mixture over the likelihood."""
    num_misses = num_all - num_hits
    if (rate == 0 and num_hits) or (rate == 1 and num_misses):
        return math.inf
    mixture = _log_beta(0.5 + num_hits, 0.5 + num_misses) - _log_beta(0.5, 0.5)
    likelihood = (num_hits * math.log(rate) if num_hits else 0.0) + (
        num_misses * math.log1p(-rate) if num_misses else 0.0
    )
    return mixture - likelihood


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _log_mean(logs: list[float]) -> float:
    """Return the logarithm of the mean of these numbers, given by their logarithms."""
    most = max(logs)
    return most + math.log(math.fsum(math.exp(one - most) for one in logs) / len(logs))


def _divergence(share: float, chance: float) -> float:
    """Return the Kullback-Leibler divergence between an observed share and a chance."""
    parts = ((share, chance), (1 - share, 1 - chance))
    return sum(seen * math.log(seen / expected) for seen, expected in parts if seen > 0)
