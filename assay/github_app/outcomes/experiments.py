"""Experiments that compare prompts: tasks get variants by hash, and a table shows the outcomes of each variant."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median

from assay.coded_error import CodedError
from assay.github_app.outcomes.metrics.comparing import Moved, difference_of, moved
from assay.github_app.outcomes.metrics.measures import PullMeasures, measures
from assay.github_app.outcomes.metrics.metric_definitions import Better, Kind, Pair
from assay.github_app.outcomes.metrics.metrics import interval_of, value_of
from assay.github_app.outcomes.prompt_texts import NoVersion, version_named
from assay.github_app.provenance.declarations import TASK_ID
from assay.github_app.store import FAILED_STATUSES, ExperimentRow, Store, TaskRow, Variant

MOST_VARIANTS = 6
LEAST_SHARE = 0.05
"""Smallest share of a variant; with less, results take too long."""
MOST_TEXT = 1000
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,59}")
Read = Callable[[TaskRow | None, PullMeasures | None], float | None]


class NoExperiment(CodedError):
    """Reason why an experiment is invalid, in one line."""

    code = "experiment.invalid"


@dataclass(frozen=True, slots=True)
class TaskMetric:
    """Metric of a task. `of` returns the value, 0 or 1 for a rate; None while it is unknown."""

    name: str
    says: str
    kind: Kind
    unit: str
    better: Better
    of: Read


@dataclass(frozen=True, slots=True)
class Outcome:
    """Metric of one variant with its 95 % interval, and its difference from the first variant, which has none."""

    metric: str
    variant: str
    num: int
    value: float | None
    low: float | None
    high: float | None
    median: float | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    moved: Moved | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Outcomes of an experiment, by metric and variant; `num_assigned` tasks per variant."""

    experiment: ExperimentRow
    num_assigned: Mapping[str, int]
    outcomes: tuple[Outcome, ...]

    def of(self, metric: str) -> tuple[Outcome, ...]:
        """Return the outcomes by this metric, in the order of the variants."""
        return tuple(one for one in self.outcomes if one.metric == metric)


def create(
    store: Store,
    repository_id: int,
    name: str,
    variants: Sequence[Variant],
    at: datetime,
    *,
    metric: str = "merged",
    about: str = "",
    by: str | None = None,
) -> ExperimentRow:
    """Create an experiment; shares are scaled to sum to 1. Raises `NoExperiment`.

    The deciding metric is fixed now, because choosing it after seeing the results makes chance look like an effect.
    """
    if not _NAME.fullmatch(name):
        raise NoExperiment("a name has lower-case letters, digits, `_`, `.` and `-`, at most 60")
    if metric not in TASK_METRICS:
        raise NoExperiment(f"the metric is one of {', '.join(TASK_METRICS)}")
    try:
        scaled = tuple(_with_version(store, repository_id, one) for one in _scaled(variants))
    except NoVersion as error:
        raise NoExperiment(str(error)) from None
    experiment = ExperimentRow(
        repository_id=repository_id,
        name=name,
        about=about[:MOST_TEXT],
        salt=secrets.token_hex(16),
        variants=scaled,
        metric=metric,
        created_at=at,
        created_by=by,
        ended_at=None,
        ended_by=None,
        conclusion=None,
    )
    if not store.experiments.create(experiment):
        raise NoExperiment(f"the experiment {name} exists already", code="experiment.exists")
    return experiment


def assign(
    store: Store, repository_id: int, name: str, task_id: str, at: datetime, *, told_by: str | None = None
) -> Variant:
    """Return the variant of a task, assigning it on the first call by `told_by`. Raises `NoExperiment`.

    A finished task cannot be assigned, because the variant could then be picked by the result.
    """
    if not re.fullmatch(TASK_ID, task_id):
        raise NoExperiment("a task has letters, digits and _.:/@+=~- , at most 100, a letter or digit first")
    experiment = existing(store, repository_id, name)
    known = store.experiments.of_task(repository_id, task_id).get(name)
    if known is None:
        if experiment.ended_at is not None:
            raise NoExperiment(f"the experiment {name} has ended", code="experiment.ended")
        task = store.tasks.get(repository_id, task_id)
        if task is not None and (task.number is not None or task.status is not None):
            raise NoExperiment(
                f"the task {task_id} has a pull request or has ended: it is too late to assign a variant",
                code="experiment.too-late",
            )
        chosen = variant_at(experiment.variants, hashed(experiment.salt, task_id)).name
        try:
            known = store.experiments.assign(repository_id, name, task_id, chosen, at)
        except LookupError as error:
            raise NoExperiment(str(error), code="experiment.ended") from None
    variant = experiment.variant(known)
    if variant is None:
        raise NoExperiment(f"the task {task_id} has the variant {known}, which does not belong to {name}")
    if variant.prompt_version is not None:
        store.tasks.put(repository_id, task_id, at, prompt_version=variant.prompt_version, told_by=told_by)
    return variant


def end(store: Store, repository_id: int, name: str, at: datetime, *, by: str | None, conclusion: str) -> bool:
    """Stop assigning tasks; return False if it had ended. Raises `NoExperiment`."""
    existing(store, repository_id, name)
    return store.experiments.end(repository_id, name, at, by=by, conclusion=conclusion[:MOST_TEXT])


def existing(store: Store, repository_id: int, name: str) -> ExperimentRow:
    """Return the experiment of this name, ended or not. Raises `NoExperiment`."""
    found = store.experiments.get(repository_id, name)
    if found is None:
        raise NoExperiment(f"there is no experiment {name[:60]}", code="experiment.unknown")
    return found


def compared(store: Store, experiment: ExperimentRow) -> Comparison:
    """Compare the variants of an experiment with the results stored so far."""
    place = experiment.repository_id
    pulls = {one.task_id: one for one in measures(store, [place]) if one.task_id is not None}
    tasks: dict[str, list[tuple[TaskRow | None, PullMeasures | None]]] = {one.name: [] for one in experiment.variants}
    for one in store.experiments.assignments(place, experiment.name):
        tasks[one.variant].append((store.tasks.get(place, one.task_id), pulls.get(one.task_id)))
    outcomes = []
    for metric in TASK_METRICS.values():
        pairs = {name: _pairs(metric, found) for name, found in tasks.items()}
        first = pairs[experiment.control.name]
        outcomes += [_outcome(metric, name, found, first) for name, found in pairs.items()]
    return Comparison(experiment, {name: len(found) for name, found in tasks.items()}, tuple(outcomes))


def hashed(salt: str, task_id: str) -> float:
    """Hash a task id to a number from 0 to 1: the first 53 bits of SHA-256 over the salt and the id."""
    digest = hashlib.sha256(f"{salt}\0{task_id}".encode("utf-8", "surrogatepass")).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


def variant_at(variants: Sequence[Variant], place: float) -> Variant:
    """Return the variant whose share contains a number from 0 to 1."""
    end_of_share = 0.0
    for variant in variants:
        end_of_share += variant.share
        if place < end_of_share:
            return variant
    return variants[-1]


def _pairs(metric: TaskMetric, tasks: Sequence[tuple[TaskRow | None, PullMeasures | None]]) -> list[Pair]:
    return [(value, 1.0) for task, pull in tasks if (value := metric.of(task, pull)) is not None]


def _outcome(metric: TaskMetric, variant: str, pairs: list[Pair], first: list[Pair]) -> Outcome:
    value, value_of_first, bounds = value_of(pairs), value_of(first), interval_of(metric.kind, pairs)
    between = None if pairs is first else difference_of(metric.kind, first, pairs)
    return Outcome(
        metric=metric.name,
        variant=variant,
        num=len(pairs),
        value=value,
        low=bounds.low if bounds else None,
        high=bounds.high if bounds else None,
        median=median(top for top, _ in pairs) if pairs and metric.kind is not Kind.rate else None,
        difference=None if pairs is first or value is None or value_of_first is None else value - value_of_first,
        difference_low=between.low if between else None,
        difference_high=between.high if between else None,
        moved=None if pairs is first else moved(metric.better, between, min(len(first), len(pairs))),
    )


def _with_version(store: Store, repository_id: int, variant: Variant) -> Variant:
    """Return the variant with its full prompt version, resolved from a prefix. Raises `NoVersion`."""
    if variant.prompt_version is None:
        return variant
    return replace(variant, prompt_version=version_named(store, repository_id, variant.prompt_version).version)


def _scaled(variants: Sequence[Variant]) -> tuple[Variant, ...]:
    if not 2 <= len(variants) <= MOST_VARIANTS:
        raise NoExperiment(f"an experiment has 2 to {MOST_VARIANTS} variants")
    names = [one.name for one in variants]
    if len(set(names)) < len(names) or not all(_NAME.fullmatch(name) for name in names):
        raise NoExperiment("each variant has a unique name of lower-case letters, digits, `_`, `.` and `-`")
    total = sum(one.share for one in variants)
    if not 0 < total < float("inf") or any(one.share / total < LEAST_SHARE for one in variants):
        raise NoExperiment(f"each variant has a share of at least {LEAST_SHARE:.0%}")
    return tuple(Variant(one.name, one.share / total, one.prompt_version) for one in variants)


def _merged(task: TaskRow | None, pull: PullMeasures | None) -> float | None:
    """Return 1 if the pull request was merged, 0 if it was closed, abandoned or the task failed without one."""
    if pull is not None and pull.ended_at is not None:
        return float(pull.is_merged)
    return 0.0 if pull is None and task is not None and task.status in FAILED_STATUSES else None


def _failed(task: TaskRow | None, _: PullMeasures | None) -> float | None:
    return None if task is None or task.status is None else float(task.status in FAILED_STATUSES)


def _rounds(_: TaskRow | None, pull: PullMeasures | None) -> float | None:
    return float(pull.num_rounds) if pull is not None and pull.is_merged else None


def _tokens(task: TaskRow | None, _: PullMeasures | None) -> float | None:
    if task is None or (task.num_tokens_in is None and task.num_tokens_out is None):
        return None
    return float((task.num_tokens_in or 0) + (task.num_tokens_out or 0))


def _duration(task: TaskRow | None, _: PullMeasures | None) -> float | None:
    return None if task is None else task.duration_s


_METRICS = (
    TaskMetric("merged", "tasks whose pull request was merged, of those that ended",
               Kind.rate, "share", Better.up, _merged),
    TaskMetric("failed", "tasks that failed or timed out, of those with a status",
               Kind.rate, "share", Better.down, _failed),
    TaskMetric("rounds", "review rounds of a merged pull request", Kind.mean, "rounds", Better.down, _rounds),
    TaskMetric("tokens", "tokens of a task, in and out", Kind.mean, "tokens", Better.down, _tokens),
    TaskMetric("duration_s", "duration of a task in seconds", Kind.mean, "s", Better.down, _duration),
)  # fmt: skip
TASK_METRICS: Mapping[str, TaskMetric] = {one.name: one for one in _METRICS}
"""Metrics by name, in display order."""
