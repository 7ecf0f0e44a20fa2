"""Objects of GitHub's JSON, parsed alone, as in API responses.

Each function parses a decoded JSON object and raises pydantic's `ValidationError` (a `ValueError`) for an invalid one.
"""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from assay.github.events.field_types import Moment, Name, Sha, Text, Wire
from assay.github.events.model import (
    CheckFacts,
    CheckRun,
    Comment,
    CommentFacts,
    Person,
    Pull,
    PullFacts,
    RepositoryFacts,
    ReviewFacts,
)

_PERSON: TypeAdapter[Person] = TypeAdapter(Person)
_REPOSITORY: TypeAdapter[RepositoryFacts] = TypeAdapter(RepositoryFacts)
_PULL: TypeAdapter[PullFacts] = TypeAdapter(Pull)
_REVIEW: TypeAdapter[ReviewFacts] = TypeAdapter(ReviewFacts)
_CHECK: TypeAdapter[CheckFacts] = TypeAdapter(CheckRun)
_COMMENT: TypeAdapter[CommentFacts] = TypeAdapter(Comment)


def person_from(data: dict[str, Any]) -> Person:
    """Parse a user."""
    return _PERSON.validate_python(data)


def repository_from(data: dict[str, Any]) -> RepositoryFacts:
    """Parse a repository."""
    return _REPOSITORY.validate_python(data)


def pull_from(data: dict[str, Any]) -> PullFacts:
    """Parse a pull request, from a list or alone."""
    return _PULL.validate_python(data)


def review_from(data: dict[str, Any]) -> ReviewFacts:
    """Parse a review."""
    return _REVIEW.validate_python(data)


def comment_from(data: dict[str, Any]) -> CommentFacts:
    """Parse a comment, in the conversation or on a line."""
    return _COMMENT.validate_python(data)


def check_from(data: dict[str, Any]) -> CheckFacts:
    """Parse a check run."""
    return _CHECK.validate_python(data)


def status_from(data: dict[str, Any], head_sha: str) -> CheckFacts:
    """Parse a status of the commit it was requested for."""
    return WireStatus.model_validate(data).facts(head_sha)


class WireStatus(Wire):
    """A commit status. The API's lists omit the requested commit."""

    sha: Sha | None = None
    context: Name = "default"
    state: Name
    description: Text = ""
    target_url: Name | None = None
    created_at: Moment | None = None
    updated_at: Moment | None = None

    def facts(self, head_sha: str) -> CheckFacts:
        """Return it as a check, keyed by its context: a newer status of a context replaces the older one."""
        is_done = self.state != "pending"
        return CheckFacts(
            source="status",
            external_key=self.context,
            name=self.context,
            head_sha=head_sha,
            status="completed" if is_done else "in_progress",
            conclusion=("failure" if self.state == "error" else self.state) if is_done else None,
            url=self.target_url,
            title=self.description or None,
            started_at=self.created_at,
            completed_at=(self.updated_at or self.created_at) if is_done else None,
        )
