"""Types of failure categories: each inspects the facts of a task and returns its evidence.

Evidence is treated as independent: together it weighs 1 - (1 - a)(1 - b)…, and a category below `LEAST_EVIDENCE` is not
reported. The weights are estimates, explained next to each rule: high for an explicit status or statement, low for
indirect evidence.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from assay.github_app.outcomes.tasks.failures.case import Case

LEAST_EVIDENCE = 0.4
"""Minimum combined evidence for a category to be reported."""
MOST_EVIDENCE = 10
"""Pieces of evidence kept with one category."""
MOST_TEXT = 300


class Category(StrEnum):
    """Reason why a task failed; on a tie, the first one here wins."""

    environment_failure = "environment_failure"
    out_of_time = "out_of_time"
    instruction_non_compliance = "instruction_non_compliance"
    missing_verification = "missing_verification"
    reasoning_error = "reasoning_error"
    scope_creep = "scope_creep"
    unknown = "unknown"

    @property
    def is_against_agent(self) -> bool:
        """Whether it reflects on the agent; environment failures do not."""
        return self is not Category.environment_failure


class GoesTo(StrEnum):
    """Target of a suggestion: the agent's prompt, or the memory of a repository."""

    prompt = "prompt"
    memory = "memory"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One piece of evidence for a category: its `source`, its id there (`ref`), and its `weight` in 0..1.

    Sources: status, event, check, validation, review, comment, diff, request, trace, outcome, feedback.
    """

    source: str
    ref: str
    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Advice for the next task, as text for its target."""

    goes_to: GoesTo
    text: str


@dataclass(frozen=True, slots=True)
class Failure:
    """Category with its evidence, which is never empty."""

    category: Category
    confidence: float
    evidence: tuple[Evidence, ...]
    suggestion: Suggestion

    def as_data(self) -> dict[str, Any]:
        """Return plain data for the store and the API."""
        return {
            "category": str(self.category),
            "confidence": self.confidence,
            "evidence": [{"source": one.source, "ref": one.ref, "text": one.text} for one in self.evidence],
            "suggestion": {"goes_to": str(self.suggestion.goes_to), "text": self.suggestion.text},
        }


class FailureRule(Protocol):
    """Rule for one category."""

    @property
    def name(self) -> str:
        """Name of the category."""

    def look(self, case: Case) -> Failure | None:
        """Return the failure if the evidence suffices, else None. Pure: the same case gives the same result."""


def weighed(category: Category, evidence: Iterable[Evidence], suggestion: Suggestion) -> Failure | None:
    """Return the category with its evidence, strongest first, if that suffices."""
    found = sorted(evidence, key=lambda one: -one.weight)
    doubt = 1.0
    for one in found:
        doubt *= 1 - one.weight
    confidence = round(1 - doubt, 2)
    if confidence < LEAST_EVIDENCE:
        return None
    return Failure(category, min(confidence, 0.99), tuple(found[:MOST_EVIDENCE]), suggestion)
