"""Failure of a task that ran out of time, turns or budget; its branch may contain part of the work."""

from __future__ import annotations

from collections.abc import Iterator

from assay.github_app.outcomes.tasks.failures.case import Case
from assay.github_app.outcomes.tasks.failures.failure import Category, Evidence, Failure, GoesTo, Suggestion, weighed
from assay.github_app.outcomes.tasks.failures.sayings import heaviest, saying
from assay.github_app.store import EventKind, TaskStatus

_WORDS = (
    saying(
        r"\b(?:task|session|job|agent|run|idle|8[- ]hour|wall[- ]clock)\b.{0,30}\b(?:timed out|time-?out|time limit)",
        0.85,
    ),
    saying(r"\b(?:time limit|deadline|time budget) (?:was |is )?(?:exceeded|reached|passed)|\bran out of time\b", 0.85),
    saying(r"\b(?:max(?:imum)?|limit on|too many)\b.{0,20}\b(?:turns|iterations|steps|tool calls)\b", 0.8),
    saying(
        r"\b(?:token|cost|spending|context)\b.{0,20}\b(?:budget|limit|window|length)\b.{0,20}\b(?:exceed|reach|full)",
        0.7,
    ),
    saying(r"^time(?:d )?-?out\b", 0.6),
)


class OutOfTime:
    """Rule for tasks out of time."""

    name = str(Category.out_of_time)

    def look(self, case: Case) -> Failure | None:
        """Check the status, the events, the error and the end of the sessions."""
        found = list(_evidence(case))
        return weighed(Category.out_of_time, found, Suggestion(GoesTo.prompt, _advice(case))) if found else None


def _evidence(case: Case) -> Iterator[Evidence]:
    task = case.task
    if task.status is TaskStatus.timed_out:
        rest = f"; partial work may be on {task.branch}" if task.branch else ""
        yield Evidence("status", task.id, f"TIMED_OUT{rest}", 0.95)
    elif any(event.kind == EventKind.task_timed_out for event in case.events):
        yield Evidence("event", str(EventKind.task_timed_out), "the harness reported a timeout", 0.8)
    words = heaviest(task.error_message, _WORDS)
    if words is not None and task.status is not TaskStatus.completed:
        yield Evidence("status", f"error_message of {task.id}", *words)
    for row, _ in case.traces:
        if row.ending == "out_of_time":
            took = f" after {row.duration_s / 60:.0f} minutes" if row.duration_s else ""
            yield Evidence("trace", row.id, f"the session ended at its limit{took}, {row.num_steps} steps", 0.85)


def _advice(case: Case) -> str:
    slow = max((step for step in case.steps if step.duration_s), key=lambda step: step.duration_s or 0, default=None)
    if slow is not None and (slow.duration_s or 0) >= 120:
        minutes = f"{(slow.duration_s or 0) / 60:.0f} minutes"
        return f"`{slow.about or slow.name}` takes {minutes} here: run a part of it while working."
    return "Commit what works early and often, and open the pull request as a draft before time runs out."
