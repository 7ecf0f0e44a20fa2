"""Past changes of a repository as `assay risk` shows them: scores, observed rates by level, and how well they rank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.statistics import Interval, interval_of_rate
from assay.validators.changes.landed import History
from assay.validators.report.model import RiskLevel
from assay.validators.risk.likelihood.labels import OutcomeFinder
from assay.validators.risk.likelihood.model import NUM_AT_LEAST, Model
from assay.validators.risk.likelihood.past import YEAR_S
from assay.validators.risk.likelihood.ranking import Judged, auc, same_size_auc
from assay.validators.risk.likelihood.replay import PastScore, Replay, outcome_within, replayed
from assay.validators.risk.likelihood.wording import factors_of

MOST_CHANGES = 20_000
"""Commits a replay reads at most, newest first."""


@dataclass(frozen=True, slots=True)
class PastLevel:
    """Scored change with its level and outcome; `level` is None before `NUM_AT_LEAST` changes are known.

    `fixed` and `reverted` are within a year, None while that year is not over and nothing happened.
    """

    past: PastScore
    level: RiskLevel | None
    fixed: bool | None
    reverted: bool | None


def replay_history(history: History, most: int = MOST_CHANGES) -> tuple[list[PastLevel], Model]:
    """Return the scored changes of a branch, oldest first, each with what was known before it."""
    changes = history.landed(most)
    replay, outcomes = Replay(), OutcomeFinder()
    scored = list(replayed(history, changes, replay, outcomes))
    end = changes[-1].time if changes else 0
    return [_levelled(one, replay, outcomes, end) for one in scored], replay.scorer.model


def _levelled(one: PastScore, replay: Replay, outcomes: OutcomeFinder, end: int) -> PastLevel:
    is_known = one.score.num_compared >= NUM_AT_LEAST
    level = replay.scorer.model.level(one.score.percentile) if is_known else None
    is_over = one.change.time <= end - YEAR_S
    fixed, reverted = outcome_within(outcomes.outcome(one.change.sha), one.change, YEAR_S)
    return PastLevel(one, level, fixed if fixed or is_over else None, reverted if reverted or is_over else None)


def replay_row(one: PastLevel, model: Model) -> dict[str, Any]:
    """Return a change as one JSON row of `assay risk replay`."""
    score = one.past.score
    return {
        "sha": one.past.change.sha,
        "level": None if one.level is None else str(one.level),
        "score": round(score.score, 4),
        "percentile": round(score.percentile, 1),
        "likelihood": None if one.level is None else model.rates[one.level].share,
        "factors": {factor.feature: factor.contribution for factor in factors_of(score)},
        "flags": [flag.name for flag in one.past.flags],
    }


@dataclass(frozen=True, slots=True)
class LevelRates:
    """Changes of one level: their number, and how many were fixed and reverted within a year."""

    num: int
    fixed: int
    reverted: int

    @property
    def interval(self) -> Interval | None:
        """95 % interval of the share that was fixed; None without changes."""
        return interval_of_rate(self.fixed, self.num)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Rates by level, and areas under the curve of the score, the level, added lines and churn."""

    num: int
    num_unknown: int
    by_level: Mapping[RiskLevel, LevelRates]
    auc: Mapping[str, float]
    same_size: Mapping[str, float]


def evaluate_levels(changes: Iterable[PastLevel]) -> Evaluation:
    """Return the evaluation over ordinary changes with a level and a full year after them."""
    ordinary = [one for one in changes if one.past.is_ordinary and one.level is not None]
    judged = [_judged(one, one.level) for one in ordinary if one.level is not None and one.fixed is not None]
    return Evaluation(
        num=len(judged),
        num_unknown=len(ordinary) - len(judged),
        by_level={level: _rates([one for one in judged if one.level is level]) for level in RiskLevel},
        auc={name: auc([one.fixed for one in judged], values) for name, values in _series(judged).items()},
        same_size={
            name: same_size_auc([one.fixed for one in judged], values, [float(one.churn) for one in judged])
            for name, values in _series(judged).items()
        },
    )


def _judged(one: PastLevel, level: RiskLevel) -> Judged:
    text = one.past.text
    return Judged(one.past.score.score, level, text.added, text.churn, bool(one.fixed), bool(one.reverted))


def _series(judged: Sequence[Judged]) -> dict[str, list[float]]:
    return {
        "score": [one.score for one in judged],
        "level": [float(one.level.rank) for one in judged],
        "added": [float(one.added) for one in judged],
        "churn": [float(one.churn) for one in judged],
    }


def _rates(judged: Sequence[Judged]) -> LevelRates:
    return LevelRates(len(judged), sum(one.fixed for one in judged), sum(one.reverted for one in judged))
