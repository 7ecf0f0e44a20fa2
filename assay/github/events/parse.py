"""Parser of webhook payloads.

`parse` returns a typed event, or None for unhandled events and actions, which GitHub may add at any time. `glance`
reads only the fields needed to store a delivery.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from assay.github.errors import WebhookRefused
from assay.github.events import model
from assay.github.events.field_types import FullName, Id, Name, Numbers, Sha, json_at
from assay.github.events.github_json import WireStatus

_EVENTS: dict[str, tuple[type[model.Event], str]] = {
    "check_run": (model.CheckRunEvent, "created completed rerequested requested_action"),
    "check_suite": (model.CheckSuiteEvent, "requested rerequested completed"),
    "installation": (model.InstallationEvent, "created deleted suspend unsuspend new_permissions_accepted"),
    "installation_repositories": (model.InstallationEvent, "added removed"),
    "issue_comment": (model.IssueCommentEvent, "created edited deleted"),
    "merge_group": (model.MergeGroupEvent, "checks_requested destroyed"),
    "ping": (model.PingEvent, ""),
    "pull_request": (
        model.PullRequestEvent,
        "opened synchronize reopened ready_for_review converted_to_draft edited labeled unlabeled closed",
    ),
    "pull_request_review": (model.ReviewEvent, "submitted edited dismissed"),
    "pull_request_review_comment": (model.ReviewCommentEvent, "created edited deleted"),
    "pull_request_review_thread": (model.ReviewThreadEvent, "resolved unresolved"),
    "push": (model.PushEvent, ""),
    "status": (model.StatusEvent, ""),
    "workflow_run": (model.WorkflowRunEvent, "requested in_progress completed"),
}
ACTIONS = {event: frozenset(actions.split() or [""]) for event, (_, actions) in _EVENTS.items()}
"""Event -> handled actions; "" stands for an event without actions. Others are ignored."""
_READERS: dict[str, TypeAdapter[model.Event]] = {event: TypeAdapter(kind) for event, (kind, _) in _EVENTS.items()}


def parse(event: str, body: bytes, delivery_id: str = "") -> model.Event | None:
    """Parse a delivery; return None for unhandled events.

    Raises:
        WebhookRefused: (400) the body is not JSON, or does not match GitHub's schema for this event.
    """
    if event not in ACTIONS or (glance(body).action or "") not in ACTIONS[event]:
        return None
    payload = from_json(body)
    try:
        payload["about"] = {**payload, "event": event, "delivery_id": delivery_id}
        if event == "status":
            status = _Status.model_validate(payload)
            payload["check"] = status.facts(status.sha)
        return _READERS[event].validate_python(payload)
    except ValidationError as error:
        raise WebhookRefused(400, _said(event, error)) from None


@dataclass(frozen=True, slots=True)
class Glance:
    """Key fields of a delivery."""

    action: Name | None = None
    repository: Annotated[FullName | None, json_at("repository", "full_name")] = None
    repository_id: Annotated[Id | None, json_at("repository", "id")] = None
    installation_id: Annotated[Id | None, json_at("installation", "id")] = None
    pull: Annotated[Id | None, json_at("pull_request", "number")] = None
    issue: Annotated[Id | None, json_at("issue", "number")] = None
    pull_of_issue: Annotated[Any, json_at("issue", "pull_request")] = None
    pulls_of_check: Annotated[Numbers, json_at("check_run", "pull_requests")] = ()
    pulls_of_suite: Annotated[Numbers, json_at("check_suite", "pull_requests")] = ()
    pulls_of_workflow: Annotated[Numbers, json_at("workflow_run", "pull_requests")] = ()

    @property
    def number(self) -> int | None:
        """The pull request, if the payload names exactly one."""
        if self.pull is not None:
            return self.pull
        if self.issue is not None:
            return self.issue if self.pull_of_issue is not None else None
        named = (self.pulls_of_check, self.pulls_of_suite, self.pulls_of_workflow)
        return next((numbers[0] for numbers in named if len(numbers) == 1), None)


_GLANCE: TypeAdapter[Glance] = TypeAdapter(Glance)


def glance(body: bytes) -> Glance:
    """Read the key fields of a delivery.

    Raises:
        WebhookRefused: (400) the body is not a JSON object.
    """
    try:
        return _GLANCE.validate_json(body)
    except ValidationError as error:
        raise WebhookRefused(400, _said("body", error)) from None


class _Status(WireStatus):
    sha: Sha


def _said(what: str, error: ValidationError) -> str:
    """Return the first errors by path and type, without the untrusted values."""
    problems = [f"{'.'.join(str(part) for part in one['loc'])[:120]}: {one['type']}" for one in error.errors()[:3]]
    return f"{what}: invalid payload: {'; '.join(problems)}"
