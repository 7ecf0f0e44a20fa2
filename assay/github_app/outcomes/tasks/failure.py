"""Types of failure categories."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from assay.github_app.ops.observability import redact
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


def excerpt(text: str, start: int = 0, end: int = 0) -> str:
    """Return the words around a position on one line, without credentials."""
    first = max(0, start - _AROUND)
    return as_visible(redact(text[first : max(end, start) + _AROUND]), MOST_TEXT)
