"""Past changes of a repository as `assay risk` shows them: scores, observed rates by level, and how well they rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.validators.changes.landed import History
from assay.validators.report.model import RiskLevel
from assay.validators.risk.likelihood.kept_past import KeptPast
from assay.validators.risk.likelihood.labels import outcome_within
from assay.validators.risk.likelihood.model import NUM_AT_LEAST, shipped_model
from assay.validators.risk.likelihood.past import YEAR_S
from assay.validators.risk.likelihood.ranking import Lift, auc, lifts, same_size_auc
from assay.validators.risk.likelihood.replay import PastScore, Replay, replayed
from assay.validators.risk.likelihood.wording import factors_of

MOST_CHANGES = 20_000
"""Commits a replay reads at most, newest first."""


@dataclass(frozen=True, slots=True)
class PastLevel:
    """Scored change with its level and outcome; `level` is None before `NUM_AT_LEAST` changes are known.

    `fixed` and `reverted` are within a year, and so far if that year is not over (`is_over`).
    """

    past: PastScore
    level: RiskLevel | None
    fixed: bool
    reverted: bool
    is_over: bool


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Rates by level, and areas under the curve of the score, the level, added lines and churn."""

    num: int
    num_unknown: int
    by_level: Mapping[RiskLevel, Lift]
    reverted: Mapping[RiskLevel, int]
    auc: Mapping[str, float]
    same_size: Mapping[str, float]


def replay_history(history: History) -> tuple[PastLevel, ...]:
    """Score the newest changes of a branch, oldest first, each with what was known before it."""
    past, replay, level_of = KeptPast(history), Replay(), shipped_model().level
    changes = past.changes(history.line(MOST_CHANGES)[::-1])
    scored = list(replayed(past, changes, replay))
    found = []
    for one in scored:
        level = level_of(one.score.percentile) if one.score.num_compared >= NUM_AT_LEAST else None
        fixed, reverted = outcome_within(replay.outcomes.outcome(one.change.sha), one.change, YEAR_S)
        found.append(PastLevel(one, level, fixed, reverted, one.change.time <= changes[-1].time - YEAR_S))
    return tuple(found)


def replay_row(one: PastLevel) -> dict[str, Any]:
    """Return a change as one JSON row of `assay risk replay`."""
    score = one.past.score
    return {
        "sha": one.past.change.sha,
        "level": None if one.level is None else str(one.level),
        "score": round(score.score, 4),
        "percentile": round(score.percentile, 1),
        "factors": {factor.feature: factor.contribution for factor in factors_of(score)},
        "flags": [flag.name for flag in one.past.flags],
    }


def evaluate_levels(changes: Sequence[PastLevel]) -> Evaluation:
    """Return the evaluation over ordinary changes with a level and a full year after them."""
    ordinary = [(one, one.level) for one in changes if one.past.is_ordinary and one.level is not None]
    judged = [(one, level) for one, level in ordinary if one.is_over]
    fixed = [one.fixed for one, _ in judged]
    series = {
        "score": [one.past.score.score for one, _ in judged],
        "level": [float(level.rank) for _, level in judged],
        "added": [float(one.past.text.added) for one, _ in judged],
        "churn": [float(one.past.text.churn) for one, _ in judged],
    }
    return Evaluation(
        num=len(judged),
        num_unknown=len(ordinary) - len(judged),
        by_level=lifts([(level, one.fixed) for one, level in judged], RiskLevel),
        reverted={each: sum(one.reverted for one, level in judged if level is each) for each in RiskLevel},
        auc={name: auc(fixed, values) for name, values in series.items()},
        same_size={name: same_size_auc(fixed, values, series["churn"]) for name, values in series.items()},
    )
