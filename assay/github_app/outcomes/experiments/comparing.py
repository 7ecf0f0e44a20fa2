"""Comparison of an experiment's variants: every metric with its interval, and whether the sample decides.

The test may be evaluated after every task (see `sequential`). Each further variant is compared with the first, with the
error divided by the number of comparisons (Bonferroni). Only the metric chosen at the beginning decides; the others are
shown with the same statistics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, median

from assay.github_app.outcomes.experiments.metrics import EXPERIMENT_METRICS, ExperimentMetric, TaskFacts, TimedValue
from assay.github_app.outcomes.experiments.sequential import Randomisation, RunningMedian, difference_at_every_look
from assay.github_app.outcomes.metrics.measures import measures
from assay.github_app.store import ExperimentRow, Store, Variant
from assay.statistics import exact_test_of_rates, interval_of_mean, interval_of_rate, interval_of_ratio_difference

TOO_FEW = 20
"""Fewest tasks of each variant for a decision, whatever the test result."""


class Decision(StrEnum):
    """Result of a variant compared with the first one."""

    better = "better"
    worse = "worse"
    undecided = "undecided"
    too_few = "too_few"


@dataclass(frozen=True, slots=True)
class ArmFigure:
    """Metric of one variant: a rate or a mean with its 95 % interval (for a single look), None if unknown."""

    variant: str
    num: int
    value: float | None
    low: float | None
    high: float | None
    median: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of a variant with the first. `difference` is its value minus the first's, within `low` and `high`.

    For rates the bounds hold at all looks together, for amounts (`holds_at_every_look` false) at one. `p_value` holds
    at every look, with any number of tasks. `p_value_of_one_look` is that of Fisher's exact test, None for amounts: it
    holds only if the result is read once, after a number of tasks set before. `num_tasks_needed` is the total number of
    tasks of both variants needed to decide, assuming the current trend; None if it is impractically high. `in_words` is
    the summary for people.
    """

    variant: str
    decision: Decision
    difference: float | None
    low: float | None
    high: float | None
    holds_at_every_look: bool
    p_value: float
    p_value_of_one_look: float | None
    num_tasks: int
    num_tasks_needed: int | None
    in_words: str


@dataclass(frozen=True, slots=True)
class ComparedMetric:
    """Metric over all variants. `decides` marks the one chosen at the beginning."""

    metric: str
    about: str
    decides: bool
    arms: tuple[ArmFigure, ...]
    comparisons: tuple[Comparison, ...]


@dataclass(frozen=True, slots=True)
class ComparedExperiment:
    """Experiment with its results. `num_assigned` is per variant, in their order."""

    experiment: ExperimentRow
    num_assigned: tuple[tuple[str, int], ...]
    metrics: tuple[ComparedMetric, ...]

    @property
    def deciding(self) -> ComparedMetric:
        return next(one for one in self.metrics if one.decides)


@dataclass(frozen=True, slots=True)
class TaskResult:
    """Task of an experiment: its variant and its result."""

    task_id: str
    variant: str
    facts: TaskFacts


def compared(store: Store, experiment: ExperimentRow) -> ComparedExperiment:
    """Compare the variants of an experiment with the results stored so far."""
    return compare(experiment, seen_in(store, experiment))


def seen_in(store: Store, experiment: ExperimentRow) -> list[TaskResult]:
    """Return the results of an experiment's tasks."""
    place = experiment.repository_id
    pulls = {one.task_id: one for one in measures(store, [place]) if one.task_id is not None}
    return [
        TaskResult(one.task_id, one.variant, TaskFacts(store.tasks.get(place, one.task_id), pulls.get(one.task_id)))
        for one in store.experiments.assignments(place, experiment.name)
    ]


def compare(experiment: ExperimentRow, seen: Sequence[TaskResult]) -> ComparedExperiment:
    """Compare the variants of an experiment by every metric."""
    counts = tuple((arm.name, sum(one.variant == arm.name for one in seen)) for arm in experiment.variants)
    figures = tuple(_compared(experiment, metric, seen) for metric in EXPERIMENT_METRICS.values())
    return ComparedExperiment(experiment, counts, figures)


def _compared(experiment: ExperimentRow, metric: ExperimentMetric, seen: Sequence[TaskResult]) -> ComparedMetric:
    known = sorted(
        ((value.at, one.task_id, one.variant, value) for one in seen if (value := metric.read(one.facts)) is not None),
        key=lambda item: item[:2],
    )
    values = [(variant, value) for _, _, variant, value in known]
    alpha = experiment.alpha / (len(experiment.variants) - 1)
    return ComparedMetric(
        metric.name,
        metric.about,
        metric.name == experiment.metric,
        tuple(
            _figure(metric, arm, [value.value for name, value in values if name == arm.name])
            for arm in experiment.variants
        ),
        tuple(_against(metric, experiment.control, arm, values, alpha) for arm in experiment.variants[1:]),
    )


def _figure(metric: ExperimentMetric, arm: Variant, values: Sequence[float]) -> ArmFigure:
    if not values:
        return ArmFigure(arm.name, 0, None, None, None, None)
    bounds = interval_of_rate(int(sum(values)), len(values)) if metric.is_rate else interval_of_mean(values)
    low, high = (None, None) if bounds is None else (bounds.low, bounds.high)
    middle = None if metric.is_rate else median(values)
    return ArmFigure(arm.name, len(values), fmean(values), low, high, middle)


def _against(
    metric: ExperimentMetric, control: Variant, arm: Variant, known: Sequence[tuple[str, TimedValue]], alpha: float
) -> Comparison:
    pair = [(name == arm.name, value.value) for name, value in known if name in (control.name, arm.name)]
    bet = _bet(metric, arm.share / (arm.share + control.share), pair)
    ours, theirs = ([value for is_variant, value in pair if is_variant is side] for side in (True, False))
    difference = fmean(ours) - fmean(theirs) if ours and theirs else None
    low, high = _bounds(metric, theirs, ours, alpha)
    num_least = min(len(ours), len(theirs))
    decision = _decision(metric, bet, difference, num_least, alpha)
    needed = None if decision is Decision.too_few else bet.tasks_needed(alpha)
    at_once = _of_one_look(metric, theirs, ours)
    words = _in_words(decision, num_least, (low, high) if metric.is_rate else None, needed)
    if decision is Decision.undecided and at_once is not None and at_once < alpha:
        words += f"; p = {at_once:.3f} in a test of one look, which does not hold for a result that is read again"
    return Comparison(
        arm.name, decision, difference, low, high, metric.is_rate, bet.p_value, at_once, len(pair), needed, words
    )


def _bet(metric: ExperimentMetric, chance: float, pair: Sequence[tuple[bool, float]]) -> Randomisation:
    bet, above = Randomisation(chance), RunningMedian()
    for is_variant, value in pair:
        bet.see(is_variant, bool(value) if metric.is_rate else above.is_above(value))
    return bet


def _of_one_look(metric: ExperimentMetric, theirs: Sequence[float], ours: Sequence[float]) -> float | None:
    if not metric.is_rate or not theirs or not ours:
        return None
    return exact_test_of_rates(int(sum(theirs)), len(theirs), int(sum(ours)), len(ours))


def _bounds(
    metric: ExperimentMetric, theirs: Sequence[float], ours: Sequence[float], alpha: float
) -> tuple[float | None, float | None]:
    if not ours or not theirs:
        return None, None
    if metric.is_rate:
        return difference_at_every_look((int(sum(theirs)), int(sum(ours))), (len(theirs), len(ours)), alpha)
    found = interval_of_ratio_difference([(one, 1.0) for one in theirs], [(one, 1.0) for one in ours])
    return (None, None) if found is None else (found.low, found.high)


def _decision(
    metric: ExperimentMetric, bet: Randomisation, difference: float | None, num_least: int, alpha: float
) -> Decision:
    if num_least < TOO_FEW or difference is None:
        return Decision.too_few
    if not bet.has_decided(alpha) or bet.direction == 0:
        return Decision.undecided
    return Decision.better if (bet.direction > 0) == metric.is_better_higher else Decision.worse


def _in_words(
    decision: Decision, num_least: int, bounds: tuple[float | None, float | None] | None, needed: int | None
) -> str:
    if decision is Decision.too_few:
        return f"too few: {num_least} of at least {TOO_FEW} tasks of each variant are known"
    if decision is not Decision.undecided:
        return f"the variant is {decision}; this holds however often the result was checked"
    span = f"; a difference from {_points(bounds[0])} to {_points(bounds[1])} fits the data" if bounds else ""
    rest = (
        f"about {needed} tasks of both variants would decide, if the trend continues"
        if needed is not None
        else "no practical number of tasks would decide, if the trend continues"
    )
    return f"the sample cannot decide{span}; {rest}"


def _points(value: float | None) -> str:
    return "?" if value is None else f"{value * 100:+.0f} points"
