"""Failure without a known cause."""

from __future__ import annotations

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
from assay.github_app.store import FAILED_STATUSES


class Unknown:
    """Rule for failures that no other rule explains."""

    name = str(Category.unknown)

    def look(self, case: Case) -> Failure | None:
        """Return the failure itself as the only evidence."""
        text = "The cause is unknown: send the task's trace (`POST /api/v1/traces`) and ask for its feedback."
        return failure_of(Category.unknown, _evidence(case), Suggestion(GoesTo.memory, text))


def _evidence(case: Case) -> Iterator[Evidence]:
    task, end = case.task, case.end
    if task.status in FAILED_STATUSES:
        error = f": {excerpt(task.error_message)}" if task.error_message else ""
        yield Evidence("status", task.id, f"{task.status}{error}")
    if end is not None and end.kind is not None and case.is_success is False:
        yield Evidence("outcome", f"#{task.number}", f"the pull request was {end.kind}")
    if end is not None and end.reverted_at is not None:
        yield Evidence("outcome", f"#{task.number}", "it was reverted after its merge")
    if end is not None and end.fixed_by:
        numbers = ", ".join(f"#{number}" for number in end.fixed_by)
        yield Evidence("outcome", f"#{task.number}", f"it was soon followed by a fix ({numbers})")
    if case.rounds:
        yield Evidence("review", f"#{task.number}", f"it took {len(case.rounds)} review rounds")
