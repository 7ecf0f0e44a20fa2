"""Failure by a wrong approach: a misunderstanding, a false assumption or a wrong solution."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from assay.github_app.outcomes.tasks.failures.case import Case
from assay.github_app.outcomes.tasks.failures.failure import Category, Evidence, Failure, GoesTo, Suggestion, weighed
from assay.github_app.outcomes.tasks.failures.sayings import said_by_reviewers, saying
from assay.github_app.provenance.traces.step import StepKind
from assay.github_app.store import OutcomeKind

_WORDS = (
    saying(
        r"\b(?:wrong|incorrect|mistaken|bad|flawed)\b.{0,15}"
        r"\b(?:approach|assumption|direction|layer|place|logic|fix|way|conclusion|file)\b",
        0.6,
    ),
    saying(
        r"\b(?:does(?:n't| not)|won't|will not|can(?:'t|not)) (?:actually )?(?:work|solve|fix|address|help|hold)\b",
        0.5,
    ),
    saying(r"\b(?:root cause|actual (?:problem|bug|issue)|real (?:problem|bug|issue))\b", 0.5),
    saying(
        r"\b(?:this|that|it) (?:is|w(?:ould|ill) be|looks) (?:wrong|incorrect|broken|a bug|not (?:right|correct))\b",
        0.5,
    ),
    saying(
        r"\bthis (?:(?:would |will )?break|breaks|loses|leaks|deadlocks|crashes|races?)\b|\boff[- ]by[- ]one\b", 0.5
    ),
    saying(r"\b(?:no such|does not exist|doesn't exist|hallucinat|made[- ]up|invented)\b", 0.55),
    saying(r"\b(?:you(?:'re| are)? assum(?:e|ed|ing)|this assumes)\b|\bnot how\b.{0,30}\bworks?\b", 0.5),
)
_TIMES = 3
"""Identical failing calls that count as a loop."""


class ReasoningError:
    """Rule for reasoning errors."""

    name = str(Category.reasoning_error)

    def look(self, case: Case) -> Failure | None:
        """Check the reviews, reverts and fixes after the merge, and sessions with loops."""
        found = [*said_by_reviewers(case, _WORDS), *_by_outcome(case), *_by_traces(case)]
        said = next((one.text for one in found if one.source in ("comment", "review")), None)
        text = "State the cause and your evidence before changing anything; read the code that is called."
        suggestion = (
            Suggestion(GoesTo.prompt, text)
            if said is None
            else Suggestion(GoesTo.memory, f"An earlier attempt went wrong here; a reviewer said: {said}")
        )
        return weighed(Category.reasoning_error, found, suggestion)


def _by_outcome(case: Case) -> Iterator[Evidence]:
    end = case.end
    if end is None:
        return
    if end.reverted_at is not None:
        yield Evidence("outcome", f"#{case.task.number}", "it was reverted after its merge", 0.5)
    if end.fixed_by:
        numbers = ", ".join(f"#{number}" for number in end.fixed_by)
        yield Evidence(
            "outcome", f"#{case.task.number}", f"it was soon followed by a fix of the same lines ({numbers})", 0.45
        )
    # An unmerged pull request is evidence only if it was reviewed.
    if end.kind is OutcomeKind.closed and (case.comments or case.reviews):
        yield Evidence("outcome", f"#{case.task.number}", "it was reviewed and closed without a merge", 0.2)


def _by_traces(case: Case) -> Iterator[Evidence]:
    for row, steps in case.traces:
        failing = Counter((step.name, step.about) for step in steps if step.kind is StepKind.tool and step.is_error)
        for (name, about), times in failing.most_common(3):
            if times >= _TIMES:
                yield Evidence("trace", row.id, f"{about or name} failed {times} times in the same form", 0.35)
