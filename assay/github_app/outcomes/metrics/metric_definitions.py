"""Definitions of the metrics: what each counts, over which pull requests, in which unit, and which way is better.

Each metric maps a pull request to a pair (top, bottom), if known; its value is sum(top)
sum(bottom). A rate has tops of 0 or 1 and bottoms of 1. Tables use the order defined here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from assay.github_app.outcomes.metrics.measures import PullMeasures
from assay.github_app.outcomes.metrics.measures_ci import FirstPush
from assay.github_app.store import TaskStatus

Pair = tuple[float, float]


class Kind(StrEnum):
    """rate: share of pull requests. mean: average over pull requests. ratio: one sum over another."""

    rate = "rate"
    mean = "mean"
    ratio = "ratio"


class Better(StrEnum):
    """Direction that is better; `neither` for descriptive metrics."""

    up = "up"
    down = "down"
    neither = "neither"


@dataclass(frozen=True, slots=True)
class Definition:
    """Definition of one metric. `of` returns a pull request's pair, None if unknown or not applicable."""

    name: str
    says: str
    kind: Kind
    unit: str
    better: Better
    of: Callable[[PullMeasures], Pair | None]
    concerns: Callable[[PullMeasures], bool] = lambda _: True
    """Pull requests the metric applies to; those with unknown values are counted separately."""


def _hit(is_hit: bool) -> Pair:
    return (float(is_hit), 1.0)


def _value(value: float | None) -> Pair | None:
    return None if value is None else (value, 1.0)


def _share(top: float | None, bottom: float | None) -> Pair | None:
    return (top, bottom) if top is not None and bottom else None


def _merged(one: PullMeasures) -> bool:
    return one.is_merged


def _ended(one: PullMeasures) -> bool:
    return one.is_ended


def _has_status(one: PullMeasures) -> bool:
    return one.task_status is not None


def _first_push(one: PullMeasures) -> Pair | None:
    """Return the pair if CI passed or failed; other results are not about the change."""
    known = one.first_push in (FirstPush.passed, FirstPush.failed)
    return _hit(one.first_push is FirstPush.passed) if known else None


def _per_100_lines(one: PullMeasures) -> Pair | None:
    return _share(float(one.num_asking), one.num_changed_lines / 100) if one.num_changed_lines else None


_DEFINITIONS = (
    Definition(
        "first_review_merge_rate",
        "merged without a revision request and without a review round, of all that ended",
        Kind.rate,
        "share",
        Better.up,
        lambda one: _hit(one.is_first_review_merge),
        _ended,
    ),
    Definition(
        "revision_cycles",
        "review rounds before the merge, per merged pull request",
        Kind.mean,
        "rounds",
        Better.down,
        lambda one: _value(one.num_rounds),
        _merged,
    ),
    Definition(
        "first_push_ci_pass_rate",
        "CI passed on the first push, of those where it passed or failed",
        Kind.rate,
        "share",
        Better.up,
        _first_push,
    ),
    Definition(
        "comment_density",
        "comments by people, per pull request",
        Kind.mean,
        "comments",
        Better.down,
        lambda one: _value(one.num_comments),
    ),
    Definition(
        "requests_for_change",
        "of those, comments that ask for a change, per pull request",
        Kind.mean,
        "comments",
        Better.down,
        lambda one: _value(one.num_asking),
    ),
    Definition(
        "comments_per_100_lines",
        "the same per 100 changed lines",
        Kind.ratio,
        "comments",
        Better.down,
        _per_100_lines,
    ),
    Definition(
        "repeated_mistakes",
        "threads that repeat feedback on earlier pull requests, per pull request",
        Kind.mean,
        "threads",
        Better.down,
        lambda one: _value(one.num_repeats),
    ),
    Definition(
        "repeats_after_handout",
        "of those, threads about a rule that had been delivered to the agent",
        Kind.mean,
        "threads",
        Better.down,
        lambda one: _value(one.num_repeats_after_handout),
        lambda one: one.num_rules_handed > 0,
    ),
    Definition(
        "hydration_quality",
        "share of the delivered rules that apply to a changed file",
        Kind.ratio,
        "share",
        Better.up,
        lambda one: _share(one.num_rules_touching, one.num_rules_handed),
        lambda one: one.num_rules_handed > 0,
    ),
    Definition(
        "handed_rules_kept",
        "of those, rules that reviewers did not have to repeat",
        Kind.ratio,
        "share",
        Better.up,
        lambda one: _share(one.num_rules_kept, one.num_rules_touching),
        lambda one: one.num_rules_handed > 0,
    ),
    Definition(
        "insights_handed",
        "delivered insights of earlier tasks, per pull request with any delivery",
        Kind.mean,
        "insights",
        Better.neither,
        lambda one: _value(one.num_insights_handed),
        lambda one: one.num_rules_handed + one.num_insights_handed > 0,
    ),
    Definition(
        "time_to_pr",
        "from the task's submission to the pull request",
        Kind.mean,
        "s",
        Better.down,
        lambda one: _value(one.time_to_pr_s),
    ),
    Definition(
        "merge_rate",
        "merged, of all that ended",
        Kind.rate,
        "share",
        Better.up,
        lambda one: _hit(one.is_merged),
        _ended,
    ),
    Definition(
        "revert_rate",
        "reverted later, of those merged",
        Kind.rate,
        "share",
        Better.down,
        lambda one: _hit(one.is_reverted),
        _merged,
    ),
    Definition(
        "follow_up_fix_rate",
        "followed by a fix of the same lines, of those merged",
        Kind.rate,
        "share",
        Better.down,
        lambda one: _hit(one.num_fixes > 0),
        _merged,
    ),
    Definition(
        "findings_addressed",
        "reported findings fixed by the merge",
        Kind.ratio,
        "share",
        Better.up,
        lambda one: _share(one.findings.num_addressed, one.findings.num_addressed + one.findings.num_standing),
        lambda one: one.findings.num_told > 0,
    ),
    Definition(
        "threads_resolved",
        "resolved review threads, of pull requests that ended",
        Kind.ratio,
        "share",
        Better.up,
        lambda one: _share(one.num_threads_resolved, one.num_threads),
        lambda one: one.is_ended and one.num_threads > 0,
    ),
    Definition(
        "time_to_first_review",
        "from opening (or ready for review) to the first review by a person",
        Kind.mean,
        "s",
        Better.neither,
        lambda one: _value(one.time_to_first_review_s),
    ),
    Definition(
        "time_to_merge",
        "from opening (or ready for review) to the merge",
        Kind.mean,
        "s",
        Better.down,
        lambda one: _value(one.time_to_merge_s),
        _merged,
    ),
    Definition(
        "task_success_rate",
        "tasks reported COMPLETED, of those with a reported end",
        Kind.rate,
        "share",
        Better.up,
        lambda one: _hit(one.task_status is TaskStatus.completed),
        _has_status,
    ),
    Definition(
        "task_failure_rate",
        "tasks reported FAILED, of those with a reported end",
        Kind.rate,
        "share",
        Better.down,
        lambda one: _hit(one.task_status is TaskStatus.failed),
        _has_status,
    ),
    Definition(
        "task_timeout_rate",
        "tasks reported TIMED_OUT, of those with a reported end",
        Kind.rate,
        "share",
        Better.down,
        lambda one: _hit(one.task_status is TaskStatus.timed_out),
        _has_status,
    ),
)

DEFINITIONS: Mapping[str, Definition] = {one.name: one for one in _DEFINITIONS}
"""Metrics by name, in order; the first ten measure the value of memory: six subjects, some in two readings."""
