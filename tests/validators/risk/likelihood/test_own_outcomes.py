"""Predictions use the outcomes that were complete before a change, and no others."""

from __future__ import annotations

import random

import pytest

from assay.validators.changes.landed import LandedChange
from assay.validators.risk.likelihood import calibration, own_outcomes
from assay.validators.risk.likelihood.calibration import SHIFT_FROM, probability
from assay.validators.risk.likelihood.labels import Outcome, OutcomeFinder
from assay.validators.risk.likelihood.model import NAMES, Score, shipped_model
from assay.validators.risk.likelihood.own_outcomes import OwnOutcomes, Prediction
from assay.validators.risk.likelihood.past import DAY_S, YEAR_S
from assay.validators.risk.likelihood.ranking import auc

STEP_S = DAY_S
ADDED, ACTIVITY = NAMES.index("added"), NAMES.index("activity")


class _Told(OutcomeFinder):
    """Outcomes given by id: the time of the fix."""

    def __init__(self) -> None:
        super().__init__()
        self.fixed_at: dict[str, int] = {}

    def outcome(self, sha: str) -> Outcome:
        return Outcome(self.fixed_at.get(sha))


def _replayed(count: int, odds: dict[int, float], intercept: float, *, fixed_after: int = 9 * DAY_S):
    """Return predictions, outcomes and the state after changes whose truth has these weights and intercept."""
    draw, finder = random.Random(7), _Told()
    own = OwnOutcomes(shipped_model(), finder)
    found: list[tuple[Prediction, bool]] = []
    for at in range(count):
        inputs = tuple(draw.random() - 0.5 for _ in NAMES)
        change = LandedChange(f"{at:040x}", (), at * STEP_S, "a@example.org", "Change", ())
        fixed = draw.random() < probability(intercept + sum(weight * inputs[name] for name, weight in odds.items()))
        own.complete(change.time)
        found.append((own.add(change, Score(0.0, 50.0, 500, (), inputs)), fixed))
        if fixed:
            finder.fixed_at[change.sha] = change.time + fixed_after
    return found, own


def test_nothing_changes_before_enough_outcomes_are_a_year_old() -> None:
    first = YEAR_S // STEP_S + SHIFT_FROM - 1
    found, own = _replayed(first + 3, {ADDED: 2.0}, 1.0)
    early, late = found[:first], found[first:]
    assert all(prediction.calibrated == pytest.approx(prediction.shipped) for prediction, _ in early)
    assert [prediction.num_outcomes for prediction, _ in late] == [SHIFT_FROM + at for at in range(3)]
    # Fixes were far more frequent than shipped.
    assert all(prediction.calibrated > prediction.shipped + 1 for prediction, _ in late)
    assert not own.is_refitted


def test_a_fix_after_a_year_is_no_fix() -> None:
    _, own = _replayed(YEAR_S // STEP_S + 200, {ADDED: 2.0}, 1.0, fixed_after=YEAR_S + DAY_S)
    assert (own.num, own.num_fixed) == (200, 0)


def test_refitted_weights_are_used_once_they_ranked_past_changes_no_worse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "REFIT_FROM", 100)
    # Here the size says nothing, and the activity of the place everything.
    found, own = _replayed(1400, {ACTIVITY: 8.0}, -1.0)
    assert own.is_refitted
    assert own.in_use.weights[ACTIVITY] > 2 * shipped_model().weights["activity"]
    compared = [(prediction.scores, fixed) for prediction, fixed in found if prediction.scores is not None]
    first = next(at for at, (prediction, _) in enumerate(found) if prediction.scores is not None)
    # A fit is scored on later changes only, and used once a year of them is over.
    assert first > YEAR_S // STEP_S + 100
    assert sum(fixed for _, fixed in compared) >= own_outcomes.COMPARED_FROM
    shipped, refitted = (auc([fixed for _, fixed in compared], [scores[at] for scores, _ in compared]) for at in (0, 1))
    assert refitted > shipped + 0.03


def test_refitted_weights_that_ranked_worse_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "REFIT_FROM", 100)
    monkeypatch.setattr(own_outcomes, "auc", lambda truth, scores: -scores[0])
    worse = OwnOutcomes(shipped_model(), OutcomeFinder())
    worse._compared += [((1.0, 2.0), True)] * own_outcomes.COMPARED_FROM
    worse._rows += [((0.1,) * len(NAMES), True)] * 100
    worse.complete(0)
    assert not worse.is_refitted
