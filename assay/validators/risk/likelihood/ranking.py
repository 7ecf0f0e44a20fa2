"""How well scores and levels predict fixes: lift by level, and areas under the curve next to those of size."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

from assay.statistics import Interval, interval_of_rate

_Group = TypeVar("_Group", bound=Hashable)

NUM_STRATA = 10
"""Strata of equal size, as deciles of churn."""


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


def auc(truth: Sequence[bool], scores: Sequence[float]) -> float:
    """Return the chance that a true one scores above a false one; equal scores count half. 0.5 without both kinds."""
    pairs = _pairs(truth, scores)
    return 0.5 if pairs is None else pairs[0] / pairs[1]


def same_size_auc(truth: Sequence[bool], scores: Sequence[float], sizes: Sequence[float]) -> float:
    """Return the AUC over pairs of the same stratum: `NUM_STRATA` parts of equal number by size."""
    order = sorted(range(len(sizes)), key=lambda at: sizes[at])
    won = total = 0.0
    for part in range(NUM_STRATA):
        stratum = order[part * len(order) // NUM_STRATA : (part + 1) * len(order) // NUM_STRATA]
        pairs = _pairs([truth[at] for at in stratum], [scores[at] for at in stratum])
        if pairs is not None:
            won, total = won + pairs[0], total + pairs[1]
    return won / total if total else 0.5


def _pairs(truth: Sequence[bool], scores: Sequence[float]) -> tuple[float, float] | None:
    """Return the pairs in which the true one scores higher, and all pairs; None without both kinds."""
    num_true = sum(truth)
    num_pairs = num_true * (len(truth) - num_true)
    if not num_pairs:
        return None
    order = sorted(range(len(scores)), key=lambda at: scores[at])
    ranks, begin = 0.0, 0
    for _, equal in groupby(order, key=lambda at: scores[at]):
        places = list(equal)
        # Equal scores share their middle rank.
        ranks += (begin + (len(places) + 1) / 2) * sum(truth[at] for at in places)
        begin += len(places)
    return ranks - num_true * (num_true + 1) / 2, float(num_pairs)
