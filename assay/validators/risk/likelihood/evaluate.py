"""Past changes of a repository as `assay risk` shows them: scores, observed rates by level, and how well they rank."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from assay.statistics import Interval, interval_of_rate
from assay.validators.changes.landed import History
from assay.validators.report.model import RiskLevel
from assay.validators.risk.likelihood.kept_past import KeptPast
from assay.validators.risk.likelihood.replay import Replay, ScoredChange

MOST_CHANGES = 20_000
"""Commits a replay reads at most, newest first."""
NUM_STRATA = 10
"""Strata of equal size, as deciles of churn."""
_Group = TypeVar("_Group", bound=Hashable)


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


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Rates by level, and areas under the curve of the score, the level, added lines and churn."""

    num: int
    num_unknown: int
    by_level: Mapping[RiskLevel, Lift]
    reverted: Mapping[RiskLevel, int]
    auc: Mapping[str, float]
    same_size: Mapping[str, float]


def replay_history(history: History) -> tuple[ScoredChange, ...]:
    """Score the newest changes of a branch, oldest first, each with what was known before it."""
    past, replay = KeptPast(history), Replay()
    replay.run(past.changes(history.line(MOST_CHANGES)[::-1]), past)
    return tuple(replay.scored())


def replay_row(one: ScoredChange) -> dict[str, Any]:
    """Return a change as one JSON row of `assay risk replay`."""
    return {
        "sha": one.change.sha,
        "level": None if one.level is None else str(one.level),
        "score": round(one.score.score, 4),
        "percentile": round(one.score.percentile, 1),
        "factors": {factor.feature: factor.contribution for factor in one.score.factors()},
        "flags": [flag.name for flag in one.flags],
    }


def evaluate_levels(changes: Sequence[ScoredChange]) -> Evaluation:
    """Return the evaluation over ordinary changes with a level and a full year after them."""
    ordinary = [(one, one.level) for one in changes if one.is_ordinary and one.level is not None]
    judged = [(one, level) for one, level in ordinary if one.is_over]
    fixed = [one.fixed for one, _ in judged]
    series = {
        "score": [one.score.score for one, _ in judged],
        "level": [float(level.rank) for _, level in judged],
        "added": [float(one.text.added) for one, _ in judged],
        "churn": [float(one.text.churn) for one, _ in judged],
    }
    return Evaluation(
        num=len(judged),
        num_unknown=len(ordinary) - len(judged),
        by_level=lifts([(level, one.fixed) for one, level in judged], RiskLevel),
        reverted={each: sum(one.reverted for one, level in judged if level is each) for each in RiskLevel},
        auc={name: auc(fixed, values) for name, values in series.items()},
        same_size={name: same_size_auc(fixed, values, series["churn"]) for name, values in series.items()},
    )


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
    return same_size_auc(truth, scores, scores, num_strata=1)


def same_size_auc(
    truth: Sequence[bool], scores: Sequence[float], sizes: Sequence[float], num_strata: int = NUM_STRATA
) -> float:
    """Return the AUC over pairs of the same stratum: parts of equal number by size."""
    order = sorted(range(len(sizes)), key=lambda at: sizes[at])
    won = total = 0.0
    for part in range(num_strata):
        stratum = order[part * len(order) // num_strata : (part + 1) * len(order) // num_strata]
        others = sorted(scores[at] for at in stratum if not truth[at])
        for at in stratum:
            if truth[at]:
                won += (bisect_left(others, scores[at]) + bisect_right(others, scores[at])) / 2
                total += len(others)
    return won / total if total else 0.5
