"""The linear model: features of a change, their percentiles among the repository's past changes, and the score.

Weights, levels and observed rates are in `weights.json`, written by `tests/bench/train_likelihood.py` from the public
histories it names.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_left, bisect_right, insort
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from assay.validators.report.model import RiskLevel
from assay.validators.risk.likelihood.past import FileHistory
from assay.validators.risk.likelihood.text_measures import TextMeasures

WINDOW = 500
"""Past changes a change is compared with: its repository's newest ones with source."""
NUM_AT_LEAST = 100
"""Fewer past changes than this, and the shipped quantiles of added lines decide instead of the model."""


@dataclass(frozen=True, slots=True)
class Features:
    """Features of one change; docs/likelihood.md describes each.

    `added`, `control_flow`, `calls` and `assignments` count in added lines, `indent` is in columns, `fixes` and
    `activity` count past changes.
    """

    added: float
    control_flow: float
    calls: float
    assignments: float
    indent: float
    fixes: float
    activity: float
    is_fix: bool
    was_reverted: bool


COUNTED = ("added", "control_flow", "calls", "assignments", "indent", "fixes", "activity")
"""Features that count as percentiles; the others are yes or no."""
BINARY = ("is_fix", "was_reverted")
NAMES = (*COUNTED, *BINARY)


def features_of(text: TextMeasures, history: FileHistory, *, fixes: bool) -> Features:
    """Return the features of a change from its patch and from the history before it."""
    return Features(
        added=text.added,
        control_flow=text.control_flow,
        calls=text.calls,
        assignments=text.assignments,
        indent=text.indent,
        fixes=history.fixes,
        activity=history.activity,
        is_fix=fixes,
        was_reverted=history.was_reverted,
    )


@dataclass(frozen=True, slots=True)
class Rate:
    """Share of `num` past changes that needed a fix (or were reverted), in the training repositories."""

    share: float
    num: int


@dataclass(frozen=True, slots=True)
class Model:
    """Weights by feature in log-odds; `cuts` are the percentiles of the score at which medium, high, critical begin.

    `quantiles` are percentiles 0 to 100 of added lines, `rates` and `rollback_rates` are observed ones by level and
    by number of rollback flags.
    """

    weights: Mapping[str, float]
    cuts: tuple[float, float, float]
    quantiles: tuple[float, ...]
    rates: Mapping[str, Rate]
    average: float
    rollback_rates: tuple[Rate, ...]
    rollback_average: float
    repositories: tuple[str, ...]

    def level(self, percentile: float) -> RiskLevel:
        """Return the level of a score's percentile, 0 to 100."""
        return tuple(RiskLevel)[bisect_right(self.cuts, percentile)]

    def level_by_size(self, added: float) -> tuple[RiskLevel, float]:
        """Return the level and the percentile of added lines among the shipped quantiles."""
        percentile = 50.0 * (bisect_left(self.quantiles, added) + bisect_right(self.quantiles, added) - 1) / 100
        percentile = min(max(percentile, 0.0), 100.0)
        return self.level(percentile), percentile


@cache
def shipped_model() -> Model:
    """Return the model of the package."""
    text = resources.files("assay.validators.risk.likelihood").joinpath("weights.json").read_text("utf-8")
    return model_from(json.loads(text))


def model_from(data: Mapping[str, Any]) -> Model:
    """Return the model written as JSON."""
    return Model(
        weights=data["weights"],
        cuts=tuple(data["cuts"]),
        quantiles=tuple(data["quantiles"]),
        rates={level: Rate(**rate) for level, rate in data["rates"].items()},
        average=data["average"],
        rollback_rates=tuple(Rate(**rate) for rate in data["rollback_rates"]),
        rollback_average=data["rollback_average"],
        repositories=tuple(data["repositories"]),
    )


@dataclass(frozen=True, slots=True)
class Contribution:
    """Part of a score: log-odds more (or fewer) than a change in the middle of the past ones."""

    feature: str
    value: float
    percentile: float
    log_odds: float


@dataclass(frozen=True, slots=True)
class Score:
    """Score of a change; `percentile` is among the scores of the `num_compared` changes before it."""

    score: float
    percentile: float
    num_compared: int
    contributions: tuple[Contribution, ...]


class Window:
    """The newest `WINDOW` values of a series, sorted."""

    def __init__(self) -> None:
        self._sorted: list[float] = []
        self._order: deque[float] = deque()

    def __len__(self) -> int:
        return len(self._sorted)

    def add(self, value: float) -> None:
        """Add a value; the oldest one leaves a full window."""
        insort(self._sorted, value)
        self._order.append(value)
        if len(self._order) > WINDOW:
            del self._sorted[bisect_left(self._sorted, self._order.popleft())]

    def percentile(self, value: float) -> float:
        """Return the percentile of a value, 0 to 100; equal values count half. It is 50 if the window is empty."""
        if not self._sorted:
            return 50.0
        return 50.0 * (bisect_left(self._sorted, value) + bisect_right(self._sorted, value)) / len(self._sorted)


class Scorer:
    """Scores changes, each against the changes added before it."""

    def __init__(self, model: Model | None = None) -> None:
        self.model = model or shipped_model()
        self._windows = {name: Window() for name in COUNTED}
        self._scores = Window()

    def __len__(self) -> int:
        return len(self._scores)

    def score(self, features: Features) -> Score:
        """Return the score of a change."""
        contributions = [self._contribution(name, float(getattr(features, name))) for name in NAMES]
        score = math.fsum(one.log_odds for one in contributions)
        largest_first = tuple(sorted(contributions, key=lambda one: -one.log_odds))
        return Score(score, self._scores.percentile(score), len(self), largest_first)

    def add(self, features: Features, score: Score) -> None:
        """Add a change that landed, with its score."""
        for name in COUNTED:
            self._windows[name].add(float(getattr(features, name)))
        self._scores.add(score.score)

    def _contribution(self, name: str, value: float) -> Contribution:
        weight = self.model.weights[name]
        if name in BINARY:
            return Contribution(name, value, 100 * value, weight * value)
        percentile = self._windows[name].percentile(value)
        return Contribution(name, value, percentile, weight * (percentile / 100 - 0.5))
