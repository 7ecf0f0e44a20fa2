"""The linear model: features of a change, their percentiles among the repository's past changes, and the score.

Weights, levels and observed rates are in `weights.json`, written by `tests/bench/train_likelihood.py` from the public
histories it names.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from pydantic import TypeAdapter

from assay.validators.report.model import RiskLevel
from assay.validators.report.risk_facts import LikelihoodFactor, ObservedRate
from assay.validators.risk.likelihood.past import FileHistory
from assay.validators.risk.likelihood.text_measures import TextMeasures
from assay.validators.wording import plural

WINDOW = 500
"""Past changes a change is compared with: its repository's newest ones with source."""
NUM_AT_LEAST = 100
"""Fewer past changes than this, and the shipped quantiles of added lines decide instead of the model."""

COUNTED = {
    "added": ("adds {} without blank ones and comments", "line"),
    "control_flow": ("has {} such as `if`, `for` or `and` in added lines", "word"),
    "calls": ("has {} in added lines", "parenthesis after a name", "parentheses after names"),
    "assignments": ("has {} in added lines", "single equals sign"),
    "indent": ("indents added lines by up to {}", "column"),
    "fixes": ("edits files that fixes changed {} in the past year", "time"),
    "activity": ("edits a part of the repository that had {} in the past 30 days", "change"),
}
"""Features that count as percentiles, and what they say; docs/likelihood.md describes each."""
BINARY = {
    "is_fix": ("is not called a fix by its messages", "is called a fix by its messages"),
    "was_reverted": (
        "edits no file with a change that was reverted in the past year",
        "edits a file with a change that was reverted in the past year",
    ),
}
"""Features with the value 0 (no) or 1 (yes), and what they say."""
NAMES = (*COUNTED, *BINARY)

Features = Mapping[str, float]


def features_of(text: TextMeasures, history: FileHistory, *, fixes: bool) -> Features:
    """Return the features of a change from its patch and from the history before it."""
    values = {**text._asdict(), **history._asdict(), "is_fix": fixes}
    return {name: float(values[name]) for name in NAMES}


@dataclass(frozen=True, slots=True)
class Rate:
    """Share of `num` past changes that needed a fix (or were reverted)."""

    share: float
    num: int

    def observed(self, average: float, source: str) -> ObservedRate:
        """Return the rate with its ratio to the average."""
        times = round(self.share / average, 2) if average else 1.0
        return ObservedRate(round(self.share, 4), self.num, times, source)


@dataclass(frozen=True, slots=True)
class Model:
    """Weights by feature in log-odds; `cuts` are the percentiles of the score at which medium, high, critical begin.

    `quantiles` are percentiles 0 to 100 of added lines, `rates` and `rollback_rates` are observed ones by level and
    by number of rollback flags, in the training repositories.
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

    def percentile_of_size(self, added: float) -> float:
        """Return the percentile of added lines among the shipped quantiles."""
        percentile = (bisect_left(self.quantiles, added) + bisect_right(self.quantiles, added) - 1) / 2
        return min(max(percentile, 0.0), 100.0)

    @property
    def source(self) -> str:
        """Source of the rates, in words."""
        return f"{len(self.repositories)} public repositories"


@cache
def shipped_model() -> Model:
    """Return the model of the package."""
    text = resources.files("assay.validators.risk.likelihood").joinpath("weights.json").read_bytes()
    return TypeAdapter(Model).validate_json(text)


def factor_of(name: str, value: float, percentile: float, log_odds: float, compared_with: str) -> LikelihoodFactor:
    """Return what a feature contributes in words; a yes or no has no percentile among what it is compared with."""
    if name in BINARY:
        text = BINARY[name][int(value)]
    else:
        sentence, *unit = COUNTED[name]
        text = f"{sentence.format(plural(int(value), *unit))} (percentile {int(percentile)} of {compared_with})"
    return LikelihoodFactor(name, value, round(percentile, 1), round(log_odds, 3), text)


@dataclass(frozen=True, slots=True)
class Score:
    """Score of a change; `percentile` is among the scores of the `num_compared` changes before it.

    `percentiles` are those of its features (0 and 100 of a yes or no), `log_odds` what each contributes: more or fewer
    than a change in the middle of the past ones.
    """

    features: Features
    percentiles: Features
    log_odds: Features
    score: float
    percentile: float
    num_compared: int

    def factors(self) -> tuple[LikelihoodFactor, ...]:
        """Return the contributions in words, the largest first."""
        compared_with = f"the last {self.num_compared} changes"
        return tuple(
            factor_of(name, self.features[name], self.percentiles[name], odds, compared_with)
            for name, odds in sorted(self.log_odds.items(), key=lambda one: -one[1])
        )


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
        percentiles = {name: window.percentile(features[name]) for name, window in self._windows.items()}
        percentiles |= {name: 100 * features[name] for name in BINARY}
        weights = self.model.weights
        log_odds = {name: weights[name] * (value / 100 - (name in COUNTED) / 2) for name, value in percentiles.items()}
        score = math.fsum(log_odds.values())
        return Score(features, percentiles, log_odds, score, self._scores.percentile(score), len(self))

    def add(self, score: Score) -> None:
        """Add the score of a change that landed."""
        for name, window in self._windows.items():
            window.add(score.features[name])
        self._scores.add(score.score)
