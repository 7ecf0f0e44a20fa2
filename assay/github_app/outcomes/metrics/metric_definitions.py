"""The metrics: what each counts, over which pull requests, in which unit, and which way is better.

Each is told by pairs (top, bottom) of the pull requests for which it is known: the value is sum(top) / sum(bottom).
A rate has tops of 0 or 1 and bottoms of 1. The order here is the order of every table.
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
    """rate: a share of pull requests. mean: an average over pull requests. ratio: one sum over another."""

    rate = "rate"
    mean = "mean"
    ratio = "ratio"


class Better(StrEnum):
    """Which way is better; `neither` where a figure only describes."""

    up = "up"
    down = "down"
    neither = "neither"


@dataclass(frozen=True, slots=True)
class Definition:
    """One metric. `of` gives a pull request's pair, None where it is not known or the metric says nothing of it."""

    name: str
    says: str
    kind: Kind
    unit: str
    better: Better
    of: Callable[[PullMeasures], Pair | None]
    concerns: Callable[[PullMeasures], bool] = lambda _: True
    """Which pull requests it is about at all: those it is not known of are counted apart."""


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
    """Only a pass or a failure says something of the change."""
    known = one.first_push in (FirstPush.passed, FirstPush.failed)
    return _hit(one.first_push is FirstPush.passed) if known else None


def _per_100_lines(one: PullMeasures) -> Pair | None:
    return _share(float(one.num_asking), one.num_changed_lines / 100) if one.num_changed_lines else None


_DEFINITIONS = (
    Definition(
        "first_review_merge_rate",
        "merged without a review round, of all that ended",
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
        "comments of people that ask for a change, per pull request",
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
        "threads that say what earlier pull requests were told, per pull request",
        Kind.mean,
        "threads",
        Better.down,
        lambda one: _value(one.num_repeats),
    ),
    Definition(
        "repeats_after_handout",
        "of those, threads about a rule that had been handed to the maker",
        Kind.mean,
        "threads",
        Better.down,
        lambda one: _value(one.num_repeats_after_handout),
        lambda one: one.num_rules_handed > 0,
    ),
    Definition(
        "hydration_quality",
        "rules handed to the maker that hold for a file it changed",
        Kind.ratio,
        "share",
        Better.up,
        lambda one: _share(one.num_rules_touching, one.num_rules_handed),
        lambda one: one.num_rules_handed > 0,
    ),
    Definition(
        "handed_rules_kept",
        "of those, rules that nobody had to say again",
        Kind.ratio,
        "share",
        Better.up,
        lambda one: _share(one.num_rules_kept, one.num_rules_touching),
        lambda one: one.num_rules_handed > 0,
    ),
    Definition(
        "insights_handed",
        "insights of earlier tasks that were handed to the maker, where it was handed anything",
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
        "taken back later, of those merged",
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
        "findings put right by the merge, of those told before",
        Kind.ratio,
        "share",
        Better.up,
        lambda one: _share(one.findings.num_addressed, one.findings.num_addressed + one.findings.num_standing),
        lambda one: one.findings.num_told > 0,
    ),
    Definition(
        "threads_resolved",
        "review threads that stand resolved, of pull requests that ended",
        Kind.ratio,
        "share",
        Better.up,
        lambda one: _share(one.num_threads_resolved, one.num_threads),
        lambda one: one.is_ended and one.num_threads > 0,
    ),
    Definition(
        "time_to_first_review",
        "from opening (or ready for review) to the first look by a person",
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
        "tasks called COMPLETED, of those whose end was told",
        Kind.rate,
        "share",
        Better.up,
        lambda one: _hit(one.task_status is TaskStatus.completed),
        _has_status,
    ),
    Definition(
        "task_failure_rate",
        "tasks called FAILED, of those whose end was told",
        Kind.rate,
        "share",
        Better.down,
        lambda one: _hit(one.task_status is TaskStatus.failed),
        _has_status,
    ),
    Definition(
        "task_timeout_rate",
        "tasks called TIMED_OUT, of those whose end was told",
        Kind.rate,
        "share",
        Better.down,
        lambda one: _hit(one.task_status is TaskStatus.timed_out),
        _has_status,
    ),
)

DEFINITIONS: Mapping[str, Definition] = {one.name: one for one in _DEFINITIONS}
"""Every metric by its name, in order; the first ten are the six of the memory's worth, two of them in two readings."""
