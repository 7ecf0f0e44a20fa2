"""Past changes of a repository as `assay risk` shows them: scores, observed rates by level, and how well they rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.validators.changes.landed import History
from assay.validators.report.model import RiskLevel
from assay.validators.risk.likelihood.calibration import SHIFT_FROM, Bin, Lift, calibration_error, lifts, reliability
from assay.validators.risk.likelihood.labels import OutcomeFinder, outcome_within
from assay.validators.risk.likelihood.model import NUM_AT_LEAST, Model, shipped_model
from assay.validators.risk.likelihood.own_outcomes import OwnOutcomes
from assay.validators.risk.likelihood.past import YEAR_S
from assay.validators.risk.likelihood.ranking import Judged, auc, same_size_auc
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
class Replayed:
    """Scored changes of a branch, oldest first, each with what was known before it, and what is known at the end."""

    changes: tuple[PastLevel, ...]
    model: Model
    own: OwnOutcomes


def replay_history(history: History) -> Replayed:
    """Score the newest changes of a branch."""
    changes, outcomes, model = history.landed(MOST_CHANGES), OutcomeFinder(), shipped_model()
    own = OwnOutcomes(model, outcomes)
    scored = list(replayed(history, changes, Replay(model, own)))
    end = changes[-1].time if changes else 0
    own.complete(end)
    return Replayed(tuple(_levelled(one, model, outcomes, end) for one in scored), model, own)


def _levelled(one: PastScore, model: Model, outcomes: OutcomeFinder, end: int) -> PastLevel:
    level = model.level(one.score.percentile) if one.score.num_compared >= NUM_AT_LEAST else None
    is_over = one.change.time <= end - YEAR_S
    fixed, reverted = outcome_within(outcomes.outcome(one.change.sha), one.change, YEAR_S)
    return PastLevel(one, level, fixed, reverted, is_over)


def replay_row(one: PastLevel) -> dict[str, Any]:
    """Return a change as one JSON row of `assay risk replay`."""
    score, prediction = one.past.score, one.past.prediction
    return {
        "sha": one.past.change.sha,
        "level": None if one.level is None else str(one.level),
        "score": round(score.score, 4),
        "percentile": round(score.percentile, 1),
        "likelihood": None if prediction is None else round(prediction.likelihood, 4),
        "factors": {factor.feature: factor.contribution for factor in factors_of(score)},
        "flags": [flag.name for flag in one.past.flags],
    }


@dataclass(frozen=True, slots=True)
class Refit:
    """Ranking of the `num` changes that were scored by weights fitted to the outcomes before them.

    `auc_shipped` and `auc_refitted` are those of the shipped weights and of the fitted ones, on the same changes.
    """

    num: int
    num_fixed: int
    auc_shipped: float
    auc_refitted: float
    is_used: bool


@dataclass(frozen=True, slots=True)
class Calibration:
    """Predicted probabilities compared with outcomes, by the shipped intercept and by the shifted one.

    The bins have the changes before which `SHIFT_FROM` outcomes were complete. `refit` is None before the first fit;
    `num_outcomes` and `num_fixed` are the completed outcomes at the end.
    """

    num_outcomes: int
    num_fixed: int
    shipped: tuple[Bin, ...]
    shifted: tuple[Bin, ...]
    refit: Refit | None

    @property
    def error_shipped(self) -> float | None:
        """Expected calibration error by the shipped intercept."""
        return calibration_error(self.shipped)

    @property
    def error_shifted(self) -> float | None:
        """Expected calibration error by the shifted intercept."""
        return calibration_error(self.shifted)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Rates by level, and areas under the curve of the score, the level, added lines and churn."""

    num: int
    num_unknown: int
    by_level: Mapping[RiskLevel, Lift]
    reverted: Mapping[RiskLevel, int]
    auc: Mapping[str, float]
    same_size: Mapping[str, float]
    calibration: Calibration


def evaluate_levels(found: Replayed) -> Evaluation:
    """Return the evaluation over ordinary changes with a level and a full year after them."""
    ordinary = [one for one in found.changes if one.past.is_ordinary and one.level is not None]
    over = [one for one in ordinary if one.is_over]
    judged = [_judged(one, one.level) for one in over if one.level is not None]
    return Evaluation(
        num=len(judged),
        num_unknown=len(ordinary) - len(judged),
        by_level=lifts([(one.level, one.fixed) for one in judged], RiskLevel),
        reverted={level: sum(one.reverted for one in judged if one.level is level) for level in RiskLevel},
        auc={name: auc([one.fixed for one in judged], values) for name, values in _series(judged).items()},
        same_size={
            name: same_size_auc([one.fixed for one in judged], values, [float(one.churn) for one in judged])
            for name, values in _series(judged).items()
        },
        calibration=_calibration(over, found.own),
    )


def _calibration(over: Sequence[PastLevel], own: OwnOutcomes) -> Calibration:
    known = [(one.past.prediction, one.fixed) for one in over if one.past.prediction is not None]
    shiftable = [(prediction, fixed) for prediction, fixed in known if prediction.num_outcomes >= SHIFT_FROM]
    scored = [(prediction.scores, fixed) for prediction, fixed in known if prediction.scores is not None]
    refit = None
    if scored:
        truth = [fixed for _, fixed in scored]
        shipped, refitted = (auc(truth, [scores[at] for scores, _ in scored]) for at in (0, 1))
        refit = Refit(len(truth), sum(truth), shipped, refitted, own.is_refitted)
    return Calibration(
        num_outcomes=own.num,
        num_fixed=own.num_fixed,
        shipped=reliability((prediction.shipped, fixed) for prediction, fixed in shiftable),
        shifted=reliability((prediction.calibrated, fixed) for prediction, fixed in shiftable),
        refit=refit,
    )


def _judged(one: PastLevel, level: RiskLevel) -> Judged:
    text = one.past.text
    return Judged(one.past.score.score, level, text.added, text.churn, one.fixed, one.reverted)


def _series(judged: Sequence[Judged]) -> dict[str, list[float]]:
    return {
        "score": [one.score for one in judged],
        "level": [float(one.level.rank) for one in judged],
        "added": [float(one.added) for one in judged],
        "churn": [float(one.churn) for one in judged],
    }
