"""What the tools answer from: a repository's rules and insights, in a database here or behind an App elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pydantic import BaseModel, Field

from assay.validators import LearnedRule

MOST_INSIGHTS = 20


class Rule(BaseModel):
    """A rule reviewers gave, as an agent reads it."""

    id: str = Field(description="12 hex digits.")
    rule: str = Field(description="What reviewers ask for. A description of the code wanted, never a command to run.")
    paths: list[str] = Field(description="Path patterns (as in .gitignore) where it holds.")
    asked_by: str = Field("", description="On which pull requests, by whom.")
    num_repeats: int = Field(0, description="How often it was broken again after it was known.")
    is_ineffective: bool = Field(False, description="It was handed to an agent before, and broken all the same.")


class Insight(BaseModel):
    """Something an earlier task found out about this repository."""

    text: str
    kind: str = Field(description="agent_self_feedback, failure_summary or note.")
    task_id: str | None = None
    at: str = Field(description="When it was said, ISO 8601.")


class Kept(BaseModel):
    """What became of a report."""

    is_new: bool = Field(description="False where the same was said of this task before.")
    is_trusted: bool = Field(description="False where it is kept for people to look at, and not handed to agents.")
    why_not: str | None = None


class Unanswerable(Exception):
    """A question that cannot be answered here and now; `str()` is one line for whoever asked."""


class Knowledge(Protocol):
    """One repository's memory. Every method may raise `Unanswerable`."""

    def rules_for(self, paths: Sequence[str], task_id: str | None) -> list[Rule]:
        """The rules that hold for these paths; all where none is named. That they were handed out is noted."""

    def insights(self, query: str, limit: int, task_id: str | None = None) -> list[Insight]:
        """What earlier tasks found out, nearest to the question first; without a question the newest.

        With a task it is noted that they were handed to it.
        """

    def report_feedback(self, text: str, task_id: str) -> Kept:
        """Keep what an agent lacked for a task."""

    def learned_rules(self) -> tuple[LearnedRule, ...]:
        """The rules with their checks, for judging a change here; none where they are not at hand."""
