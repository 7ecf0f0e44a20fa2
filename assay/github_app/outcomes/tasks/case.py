"""All stored facts about one task: reports, pull request and sessions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from assay.github.events.model import CheckFacts
from assay.github_app.outcomes.record.endings import Ending, ending
from assay.github_app.outcomes.record.review_rounds import Round, rounds
from assay.github_app.provenance.traces.step import Step, step_from
from assay.github_app.store import (
    FAILED_STATUSES,
    CommentRow,
    EventKind,
    EventRow,
    FindingRow,
    OutcomeKind,
    PullRow,
    ReviewRow,
    Store,
    TaskRow,
    TaskStatus,
    TraceRow,
)

MANY_ROUNDS = 2
"""Review rounds from which a pull request counts as heavily revised."""
MOST_STEPS = 5000
"""Maximum steps read from all traces of a task, the last ones."""
MOST_TRACES = 20
"""Maximum sessions read of a task, the last ones."""
MOST_TEXTS = 20
"""Maximum reviews, and maximum comments, given to a model: the first and last ones."""
T = TypeVar("T")
_PATH = re.compile(
    r"(?<![\w/.@:-])(?:[\w.-]{1,80}/){0,12}[\w-][\w.-]{0,80}\.[A-Za-z]{1,8}(?![\w/])|(?:[\w.-]{1,80}/){1,12}"
)
_MOST_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class Case:
    """Task with its data. Comments are those of reviewers, without the author's own and bots'."""

    task: TaskRow
    pull: PullRow | None = None
    end: Ending | None = None
    rounds: tuple[Round, ...] = ()
    events: tuple[EventRow, ...] = ()
    reviews: tuple[ReviewRow, ...] = ()
    comments: tuple[CommentRow, ...] = ()
    first_checks: tuple[CheckFacts, ...] = ()
    findings: tuple[FindingRow, ...] = ()
    changed: frozenset[str] = frozenset()
    traces: tuple[tuple[TraceRow, tuple[Step, ...]], ...] = ()
    feedback: tuple[str, ...] = ()

    @property
    def is_success(self) -> bool | None:
        """Whether it was merged and not reverted, or completed without a pull request; None while it is open."""
        if self.end is not None and self.end.kind is not None:
            return self.end.kind is OutcomeKind.merged and self.end.reverted_at is None
        if self.task.status in FAILED_STATUSES:
            return False
        return True if self.task.status is TaskStatus.completed and self.task.number is None else None

    @property
    def is_troubled(self) -> bool:
        """Whether there is a failure to explain: it failed, or succeeded only after heavy revision."""
        after = self.end is not None and bool(self.end.reverted_at or self.end.fixed_by)
        is_bad_status = self.task.status in FAILED_STATUSES
        return self.is_success is False or is_bad_status or after or len(self.rounds) >= MANY_ROUNDS

    def said(self) -> Iterator[tuple[str, str, str]]:
        """Yield (source, reference, text) of the reviewers' texts; the first and last ones if there are many."""
        for review in _ends(self.reviews):
            if review.body:
                yield "review", f"review {review.review_id} by {review.reviewer}", review.body[:_MOST_TEXT]
        for comment in _ends(self.comments):
            yield "comment", f"comment {comment.comment_id} by {comment.author}", comment.body[:_MOST_TEXT]

    @property
    def steps(self) -> tuple[Step, ...]:
        """Last steps of all its sessions, in order."""
        return tuple(step for _, steps in self.traces for step in steps)[-MOST_STEPS:]

    @property
    def asked_paths(self) -> frozenset[str]:
        """Paths that the request names."""
        return frozenset(_PATH.findall((self.task.request or "")[:_MOST_TEXT]))


def case_of(store: Store, repository_id: int, task_id: str) -> Case | None:
    """Load the case of a task; None if the task is unknown."""
    task = store.tasks.get(repository_id, task_id)
    if task is None:
        return None
    traces = tuple(
        (row, tuple(step_from(one) for one in store.traces.steps(row.id)))
        for row in store.traces.of_task(repository_id, task_id)[-MOST_TRACES:]
    )
    feedback = tuple(row.text for row in store.insights.of_task(repository_id, task_id))
    events = store.events.of_task(repository_id, task_id)
    pull = store.pulls.get(repository_id, task.number) if task.number is not None else None
    if pull is None:
        return Case(task, events=events, traces=traces, feedback=feedback)
    place = (repository_id, pull.number)
    run = store.runs.newest_reported(*place)
    of_pull = {one.id: one for one in (*events, *store.events.of(*place))}
    people = store.reviews.comments(*place, of_people=True)
    return Case(
        task,
        pull,
        ending(pull, store.outcomes.of(*place)),
        rounds(store, *place),
        tuple(sorted(of_pull.values(), key=lambda one: (one.at, one.id))),
        tuple(one for one in store.reviews.reviews(*place) if not one.is_bot and one.reviewer != pull.author),
        tuple(one for one in people if not one.is_by_pull_author and one.author != pull.author),
        store.checks.of(repository_id, pull.first_push_head) if pull.first_push_head else (),
        store.runs.findings(run.id) if run else (),
        frozenset(one.path for one in store.changes.of(*place, pull.head_sha)),
        traces,
        feedback,
    )


def _ends(texts: Sequence[T]) -> Sequence[T]:
    half = MOST_TEXTS // 2
    return texts if len(texts) <= MOST_TEXTS else [*texts[:half], *texts[-half:]]


def verdicts(case: Case) -> Iterator[EventRow]:
    """Yield the verdicts on its heads, in order of time."""
    return (event for event in case.events if event.kind == EventKind.validation_completed)
