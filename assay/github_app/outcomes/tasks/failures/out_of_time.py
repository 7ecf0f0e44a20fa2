"""Failure of a task that ran out of time, turns or budget; its branch may contain part of the work."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.github_app.outcomes.tasks.failures.case import Case
from assay.github_app.outcomes.tasks.failures.failure import (
    Category,
    Evidence,
    Failure,
    GoesTo,
    Suggestion,
    excerpt,
    failure_of,
)
from assay.github_app.store import EventKind, TaskStatus

_MESSAGE = re.compile(
    r"\b(?:task|session|agent|idle|wall[- ]clock) (?:has |was )?(?:timed out|time-?out|time limit)"
    r"|\b(?:time limit|time budget|deadline) (?:was )?(?:exceeded|reached)|\bran out of time\b"
    r"|\bmax(?:imum)?(?: number of)? (?:turns|iterations|steps)"
    r"|\b(?:token|cost|spending) (?:budget|limit) (?:was )?(?:exceeded|reached)",
    re.IGNORECASE,
)
"""How harnesses word the limit in `error_message`; a network's timeout has no task or session before it."""


class OutOfTime:
    """Rule for tasks out of time."""

    name = str(Category.out_of_time)

    def look(self, case: Case) -> Failure | None:
        """Check the status, the events, the error and the end of the sessions."""
        return failure_of(Category.out_of_time, _evidence(case), Suggestion(GoesTo.prompt, _advice(case)))


def _evidence(case: Case) -> Iterator[Evidence]:
    task = case.task
    if task.status is TaskStatus.timed_out:
        rest = f"; partial work may be on {task.branch}" if task.branch and task.branch_state is None else ""
        yield Evidence("status", task.id, f"TIMED_OUT{rest}")
    elif any(event.kind == EventKind.task_timed_out for event in case.events):
        yield Evidence("event", str(EventKind.task_timed_out), "the harness reported a timeout")
    message = task.error_message or ""
    match = _MESSAGE.search(message)
    if match is not None and task.status is not TaskStatus.completed:
        yield Evidence("status", f"error_message of {task.id}", excerpt(message, match.start(), match.end()))
    for row, _ in case.traces:
        if row.ending == "out_of_time":
            took = f" after {row.duration_s / 60:.0f} minutes" if row.duration_s else ""
            yield Evidence("trace", row.id, f"the session ended at its limit{took}, {row.num_steps} steps")


def _advice(case: Case) -> str:
    slow = max((step for step in case.steps if step.duration_s), key=lambda step: step.duration_s or 0, default=None)
    if slow is not None and (slow.duration_s or 0) >= 120:
        minutes = f"{(slow.duration_s or 0) / 60:.0f} minutes"
        return f"`{slow.about or slow.name}` takes {minutes} here: run a part of it while working."
    return "Commit what works early and often, and open the pull request as a draft before time runs out."
