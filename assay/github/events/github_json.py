"""Objects of GitHub's JSON, parsed alone, as in API responses.

Each parser takes a decoded JSON object and raises pydantic's `ValidationError` (a `ValueError`) for an invalid one.
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

_PULL: TypeAdapter[PullFacts] = TypeAdapter(Pull)
_CHECK: TypeAdapter[CheckFacts] = TypeAdapter(CheckRun)
_COMMENT: TypeAdapter[CommentFacts] = TypeAdapter(Comment)

person_from = TypeAdapter(Person).validate_python
repository_from = TypeAdapter(RepositoryFacts).validate_python
review_from = TypeAdapter(ReviewFacts).validate_python
pull_from, check_from, comment_from = _PULL.validate_python, _CHECK.validate_python, _COMMENT.validate_python


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
