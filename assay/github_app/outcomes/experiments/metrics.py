"""Metrics that compare variants: the result of each task, and the time it was known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from assay.github_app.outcomes.metrics.measures import PullMeasures
from assay.github_app.store import FAILED_STATUSES, TaskRow


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """Facts about one task: the reported ones, and its pull request."""

    task: TaskRow | None
    pull: PullMeasures | None


@dataclass(frozen=True, slots=True)
class TimedValue:
    """Value of a task, 0 or 1 for a rate, and the time it was known."""

    value: float
    at: datetime


@dataclass(frozen=True, slots=True)
class ExperimentMetric:
    """Metric of an experiment: a rate over tasks, or an amount per task. `read` returns None while it is unknown."""

    name: str
    about: str
    is_rate: bool
    is_better_higher: bool
    read: Callable[[TaskFacts], TimedValue | None]


def _merged(facts: TaskFacts) -> TimedValue | None:
    """Return 1 if the pull request was merged, 0 if it was closed, abandoned or the task failed without one."""
    if facts.pull is not None and facts.pull.ended_at is not None:
        return TimedValue(float(facts.pull.is_merged), facts.pull.ended_at)
    if facts.pull is None and facts.task is not None and facts.task.status in FAILED_STATUSES:
        return TimedValue(0.0, facts.task.status_at or facts.task.updated_at)
    return None


def _failed(facts: TaskFacts) -> TimedValue | None:
    """Return 1 if the task failed or timed out, 0 if it was completed."""
    task = facts.task
    if task is None or task.status is None:
        return None
    return TimedValue(float(task.status in FAILED_STATUSES), task.status_at or task.updated_at)


def _rounds(facts: TaskFacts) -> TimedValue | None:
    """Review rounds of a merged pull request."""
    pull = facts.pull
    if pull is None or not pull.is_merged or pull.ended_at is None:
        return None
    return TimedValue(float(pull.num_rounds), pull.ended_at)


def _tokens(facts: TaskFacts) -> TimedValue | None:
    task = facts.task
    if task is None or (task.num_tokens_in is None and task.num_tokens_out is None):
        return None
    return TimedValue(float((task.num_tokens_in or 0) + (task.num_tokens_out or 0)), task.status_at or task.updated_at)


def _duration(facts: TaskFacts) -> TimedValue | None:
    task = facts.task
    return (
        None
        if task is None or task.duration_s is None
        else TimedValue(task.duration_s, task.status_at or task.updated_at)
    )


def _all() -> Iterator[ExperimentMetric]:
    yield ExperimentMetric("merged", "tasks whose pull request was merged, of those that ended", True, True, _merged)
    yield ExperimentMetric("failed", "tasks that failed or timed out, of those with a status", True, False, _failed)
    yield ExperimentMetric("rounds", "review rounds of a merged pull request", False, False, _rounds)
    yield ExperimentMetric("tokens", "tokens of a task, in and out", False, False, _tokens)
    yield ExperimentMetric("duration_s", "duration of a task in seconds", False, False, _duration)


EXPERIMENT_METRICS: Mapping[str, ExperimentMetric] = {metric.name: metric for metric in _all()}
"""Metrics by name, in display order."""
