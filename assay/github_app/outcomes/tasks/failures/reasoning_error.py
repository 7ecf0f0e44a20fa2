"""Failure by a wrong approach: a misunderstanding, a false assumption or a wrong solution."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from assay.github_app.outcomes.tasks.failures.case import Case
from assay.github_app.outcomes.tasks.failures.failure import (
    Category,
    Evidence,
    Failure,
    GoesTo,
    Suggestion,
    failure_of,
)
from assay.github_app.provenance.traces.step import StepKind

_TIMES = 3
"""Failures of one call with one message that count as a loop. A test that fails in new ways is progress."""


class ReasoningError:
    """Rule for reasoning errors."""

    name = str(Category.reasoning_error)

    def look(self, case: Case) -> Failure | None:
        """Check reverts and fixes after the merge, and sessions with loops."""
        text = "State the cause and your evidence before changing anything; read the code that is called."
        found = (*_by_outcome(case), *_by_traces(case))
        return failure_of(Category.reasoning_error, found, Suggestion(GoesTo.prompt, text))


def _by_outcome(case: Case) -> Iterator[Evidence]:
    end = case.end
    if end is None:
        return
    if end.reverted_at is not None:
        yield Evidence("outcome", f"#{case.task.number}", "it was reverted after its merge")
    if end.fixed_by:
        numbers = ", ".join(f"#{number}" for number in end.fixed_by)
        yield Evidence(
            "outcome", f"#{case.task.number}", f"it was soon followed by a fix of the same lines ({numbers})"
        )


def _by_traces(case: Case) -> Iterator[Evidence]:
    for row, steps in case.traces:
        failing = Counter(
            (step.name, step.about, step.said) for step in steps if step.kind is StepKind.tool and step.is_error
        )
        for (name, about, _), times in failing.most_common(3):
            if times >= _TIMES:
                yield Evidence("trace", row.id, f"{about or name} failed {times} times with the same message")
