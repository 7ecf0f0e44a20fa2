"""Predictions calibrated on a repository's own outcomes, each with those that were known before the change."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from assay.validators.changes.landed import LandedChange
from assay.validators.risk.likelihood.calibration import SHIFT_LAST, Fit, probability, refit, shift_of
from assay.validators.risk.likelihood.labels import OutcomeFinder, outcome_within
from assay.validators.risk.likelihood.model import NAMES, Model, Score
from assay.validators.risk.likelihood.past import YEAR_S
from assay.validators.risk.likelihood.ranking import auc

REFIT_EVERY = 100
"""Completed outcomes between two fits."""
COMPARED_FROM = 100
"""Changes that needed a fix and were scored by both weights, from which refitted weights can be used."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """Log-odds that a change needs a fix within a year.

    `shipped` is by the shipped model alone; `calibrated` by the weights in use, shifted by the `num_outcomes` completed
    before the change. `scores` are those of the shipped and of the refitted weights; None before the first fit.
    """

    shipped: float
    calibrated: float
    num_outcomes: int
    scores: tuple[float, float] | None

    @property
    def likelihood(self) -> float:
        """Calibrated probability."""
        return probability(self.calibrated)


class OwnOutcomes:
    """Completed outcomes so far: of changes that landed a year ago or earlier, oldest first."""

    def __init__(self, model: Model, finder: OutcomeFinder) -> None:
        self.finder = finder
        self._spread = model.spread
        self._shipped = Fit(model.intercept, tuple(model.weights[name] for name in NAMES))
        self._fitted: Fit | None = None
        self._pending: deque[tuple[LandedChange, Score, Prediction]] = deque()
        self._rows: list[tuple[Sequence[float], bool]] = []
        self._compared: list[tuple[tuple[float, float], bool]] = []
        self._num_at_fit = 0
        self._shift = 0.0
        self.in_use = self._shipped

    @property
    def is_refitted(self) -> bool:
        """Whether the refitted weights are in use."""
        return self.in_use is not self._shipped

    @property
    def num(self) -> int:
        """Number of completed outcomes."""
        return len(self._rows)

    @property
    def num_fixed(self) -> int:
        """Number of completed outcomes that needed a fix."""
        return sum(fixed for _, fixed in self._rows)

    def add(self, change: LandedChange, score: Score) -> Prediction:
        """Add a change that landed; return its prediction."""
        prediction = self.predict(score)
        self._pending.append((change, score, prediction))
        return prediction

    def predict(self, score: Score) -> Prediction:
        """Return the prediction for a change."""
        both = None if self._fitted is None else (_score(self._shipped, score), _score(self._fitted, score))
        calibrated = self.in_use.log_odds(score.inputs) + self._shift
        return Prediction(self._shipped.log_odds(score.inputs), calibrated, self.num, both)

    def complete(self, now: int) -> bool:
        """Take in the outcomes that are complete at a time; return whether other weights are in use."""
        before = self.num
        while self._pending and self._pending[0][0].time <= now - YEAR_S:
            change, score, prediction = self._pending.popleft()
            fixed, _ = outcome_within(self.finder.outcome(change.sha), change, YEAR_S)
            self._rows.append((score.inputs, fixed))
            if prediction.scores is not None:
                self._compared.append((prediction.scores, fixed))
        used = self.in_use
        if self.num >= self._num_at_fit + REFIT_EVERY:
            self._refit()
        if self.num > before:
            newest = [(self.in_use.log_odds(inputs), fixed) for inputs, fixed in self._rows[-SHIFT_LAST:]]
            self._shift = shift_of(newest, self._spread)
        return self.in_use is not used

    def _refit(self) -> None:
        self._num_at_fit = self.num
        self._fitted = refit(self._rows, self._shipped, self._spread, self._fitted)
        self.in_use = self._shipped if self._fitted is None or self._is_worse() else self._fitted

    def _is_worse(self) -> bool:
        """Return whether the refitted weights ranked past changes worse, or were compared on too few."""
        fixed = [fixed for _, fixed in self._compared]
        if sum(fixed) < COMPARED_FROM:
            return True
        shipped, refitted = (auc(fixed, [scores[at] for scores, _ in self._compared]) for at in (0, 1))
        return refitted < shipped


def _score(fit: Fit, score: Score) -> float:
    return fit.log_odds(score.inputs) - fit.intercept
