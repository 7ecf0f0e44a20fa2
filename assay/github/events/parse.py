"""Parser of webhook payloads.

`parse` returns a typed event, or None for unhandled events and actions, which GitHub may add at any time. `glance`
reads only the fields needed to store a delivery.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from assay.github.errors import WebhookRefused
from assay.github.events.github_json import (
    FullName,
    Id,
    Name,
    Wire,
    WireNumber,
    check_from,
    comment_from,
    person_from,
    pull_from,
    repository_from,
    review_from,
    status_from,
)
from assay.github.events.model import Event
from assay.github.events.parsers import READERS

__all__ = [
    "ACTIONS",
    "Glance",
    "check_from",
    "comment_from",
    "glance",
    "parse",
    "person_from",
    "pull_from",
    "repository_from",
    "review_from",
    "status_from",
]

ACTIONS: dict[str, frozenset[str]] = {
    "check_run": frozenset({"created", "completed", "rerequested", "requested_action"}),
    "check_suite": frozenset({"requested", "rerequested", "completed"}),
    "installation": frozenset({"created", "deleted", "suspend", "unsuspend", "new_permissions_accepted"}),
    "installation_repositories": frozenset({"added", "removed"}),
    "issue_comment": frozenset({"created", "edited", "deleted"}),
    "merge_group": frozenset({"checks_requested", "destroyed"}),
    "ping": frozenset({""}),
    "pull_request": frozenset(
        {
            "opened",
            "synchronize",
            "reopened",
            "ready_for_review",
            "converted_to_draft",
            "edited",
            "labeled",
            "unlabeled",
            "closed",
        }
    ),
    "pull_request_review": frozenset({"submitted", "edited", "dismissed"}),
    "pull_request_review_comment": frozenset({"created", "edited", "deleted"}),
    "pull_request_review_thread": frozenset({"resolved", "unresolved"}),
    "push": frozenset({""}),
    "status": frozenset({""}),
    "workflow_run": frozenset({"requested", "in_progress", "completed"}),
}
"""Event -> handled actions; "" stands for an event without actions. Others are ignored."""


def parse(event: str, body: bytes, delivery_id: str = "") -> Event | None:
    """Parse a delivery; return None for unhandled events.

    Raises:
        WebhookRefused: (400) the body is not JSON, or does not match GitHub's schema for this event.
    """
    reader = READERS.get(event)
    if reader is None or (glance(body).action or "") not in ACTIONS[event]:
        return None
    try:
        payload = reader.model_validate_json(body)
        return payload.fact(payload.about(event, delivery_id))
    except ValidationError as error:
        raise WebhookRefused(400, _said(event, error)) from None


@dataclass(frozen=True, slots=True)
class Glance:
    """Key fields of a delivery. `number` is the pull request's, if the payload names exactly one."""

    action: str | None
    repository: str | None
    repository_id: int | None
    number: int | None
    installation_id: int | None


def glance(body: bytes) -> Glance:
    """Read the key fields of a delivery.

    Raises:
        WebhookRefused: (400) the body is not a JSON object.
    """
    try:
        seen = _Glanced.model_validate_json(body)
    except ValidationError as error:
        raise WebhookRefused(400, _said("body", error)) from None
    return Glance(
        action=seen.action,
        repository=seen.repository.full_name if seen.repository else None,
        repository_id=seen.repository.id if seen.repository else None,
        number=seen.pull_number(),
        installation_id=seen.installation.id if seen.installation else None,
    )


def _said(what: str, error: ValidationError) -> str:
    """Return the first errors by path and type, without the untrusted values."""
    problems = [f"{'.'.join(str(part) for part in one['loc'])[:120]}: {one['type']}" for one in error.errors()[:3]]
    return f"{what}: invalid payload: {'; '.join(problems)}"


class _Reference(Wire):
    id: Id
    full_name: FullName


class _Installation(Wire):
    id: Id


class _Issue(Wire):
    number: Id
    pull_request: dict[str, Any] | None = None


class _Checked(Wire):
    pull_requests: tuple[WireNumber, ...] | None = None


class _Glanced(Wire):
    action: Name | None = None
    repository: _Reference | None = None
    installation: _Installation | None = None
    pull_request: WireNumber | None = None
    issue: _Issue | None = None
    check_run: _Checked | None = None
    check_suite: _Checked | None = None
    workflow_run: _Checked | None = None

    def pull_number(self) -> int | None:
        if self.pull_request:
            return self.pull_request.number
        if self.issue:
            return self.issue.number if self.issue.pull_request is not None else None
        for checked in (self.check_run, self.check_suite, self.workflow_run):
            if checked and len(checked.pull_requests or ()) == 1:
                return checked.pull_requests[0].number if checked.pull_requests else None
        return None
