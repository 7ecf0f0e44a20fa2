"""Events of a task, as its harness reports them; the log is append-only."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from pydantic import Field, field_validator

from assay.github_app.outcomes import REPORTED_KINDS, ReportedEvent, evaluate_task, report_event
from assay.github_app.store import EventKind, Scope
from assay.github_app.web.api.caller import Caller
from assay.github_app.web.api.forms import Data, Moment, Name, RepositoryName, TaskId
from assay.github_app.web.api.routing import ApiContext, Body, answered, body_of

MOST_EVENTS = 500


class EventBody(Body):
    """Event; `id` identifies a repeated one, by default kind and time do."""

    kind: EventKind
    task_id: TaskId
    at: Moment
    id: Name | None = None
    data: Data = Field(default_factory=dict)

    @field_validator("kind")
    @classmethod
    def _is_reportable(cls, kind: EventKind) -> EventKind:
        if kind not in REPORTED_KINDS:
            raise ValueError(f"must be one of {', '.join(sorted(REPORTED_KINDS))}")
        return kind


class EventsBody(Body):
    """Body of `POST /api/v1/events`."""

    repo: RepositoryName | None = None
    events: Annotated[tuple[EventBody, ...], Field(min_length=1, max_length=MOST_EVENTS)]


def add_events(routes: APIRouter, api: ApiContext) -> None:
    """Add `POST /api/v1/events`, which stores all events of a body or none."""
    writing = Depends(api.caller(Scope.tasks))

    @routes.post("/api/v1/events")
    async def post(request: Request, caller: Caller = writing) -> Response:
        body = await body_of(request, EventsBody)
        return await answered(lambda: _store(api, caller, body))


def _store(api: ApiContext, caller: Caller, body: EventsBody) -> dict[str, Any]:
    store, at = api.store, api.clock()
    repository = caller.repository(store, body.repo)
    num_new = 0
    with store.together():
        for one in body.events:
            event = ReportedEvent(one.kind, one.at, one.id or "", one.data)
            num_new += report_event(store, repository, one.task_id, event, caller.name, at, api.settings.github_url)
    for task_id in sorted({one.task_id for one in body.events}):
        evaluate_task(store, repository.id, task_id, at)
    return {"num_new": num_new, "num_known": len(body.events) - num_new}
