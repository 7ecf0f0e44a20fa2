"""Types of failure categories: each inspects the structured facts of a task and returns its evidence.

A category with evidence applies; of several the first in the order of `Category` leads. Texts of reviewers do not count
as evidence: patterns over them were right in 54 of 160 comments. An evaluation model reads them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from assay.github_app.ops.observability import redact
from assay.github_app.outcomes.tasks.failures.case import Case
from assay.validators import as_visible

MOST_EVIDENCE = 10
"""Pieces of evidence kept with one category."""
MOST_TEXT = 300
_AROUND = 90
"""Characters shown on each side of a match."""


class Category(StrEnum):
    """Reason why a task failed; of several the first one here leads.

    What ended the task comes before what was wrong with it, and how far it went comes last.
    """

    out_of_time = "out_of_time"
    environment_failure = "environment_failure"
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
    """One piece of evidence for a category: its `source`, and its id there (`ref`).

    Sources: status, event, check, validation, review, comment, diff, request, trace, outcome, feedback, branch.
    """

    source: str
    ref: str
    text: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Advice for the next task, as text for its target."""

    goes_to: GoesTo
    text: str


@dataclass(frozen=True, slots=True)
class Failure:
    """Category with its evidence, which is never empty."""

    category: Category
    evidence: tuple[Evidence, ...]
    suggestion: Suggestion

    def as_data(self) -> dict[str, Any]:
        """Return plain data for the store and the API."""
        return {
            "category": str(self.category),
            "evidence": [{"source": one.source, "ref": one.ref, "text": one.text} for one in self.evidence],
            "suggestion": {"goes_to": str(self.suggestion.goes_to), "text": self.suggestion.text},
        }


class FailureRule(Protocol):
    """Rule for one category."""

    @property
    def name(self) -> str:
        """Name of the category."""

    def look(self, case: Case) -> Failure | None:
        """Return the failure if there is evidence, else None. Pure: the same case gives the same result."""


def failure_of(category: Category, evidence: Iterable[Evidence], suggestion: Suggestion) -> Failure | None:
    """Return the category with its evidence, or None without any."""
    found = tuple(evidence)[:MOST_EVIDENCE]
    return Failure(category, found, suggestion) if found else None


def excerpt(text: str, start: int = 0, end: int = 0) -> str:
    """Return the words around a position on one line, without credentials."""
    first = max(0, start - _AROUND)
    return as_visible(redact(text[first : max(end, start) + _AROUND]), MOST_TEXT)
