"""Events in the life of a task, as its harness tells them; the log is only ever added to."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from pydantic import Field, field_validator

from assay.github_app.api.caller import Caller
from assay.github_app.api.door import Door, Told, answered, body_of
from assay.github_app.api.forms import Data, Moment, Name, RepositoryName, TaskId
from assay.github_app.outcomes import TOLD_KINDS, ToldEvent, evaluate_task, tell_event
from assay.github_app.store import EventKind, Scope

MOST_EVENTS = 500


class EventTold(Told):
    """One event. `id` makes a repeated one the same; without it, kind and instant do."""

    kind: EventKind
    task_id: TaskId
    at: Moment
    id: Name | None = None
    data: Data = Field(default_factory=dict)

    @field_validator("kind")
    @classmethod
    def _may_be_told(cls, kind: EventKind) -> EventKind:
        if kind not in TOLD_KINDS:
            raise ValueError(f"say one of {', '.join(sorted(TOLD_KINDS))}")
        return kind


class EventsTold(Told):
    """The body of `POST /api/v1/events`."""

    repo: RepositoryName | None = None
    events: Annotated[tuple[EventTold, ...], Field(min_length=1, max_length=MOST_EVENTS)]


def add_events(routes: APIRouter, door: Door) -> None:
    """`POST /api/v1/events`: all of a body are kept, or none."""
    telling = Depends(door.caller(Scope.tasks))

    @routes.post("/api/v1/events")
    async def tell(request: Request, caller: Caller = telling) -> Response:
        told = await body_of(request, EventsTold)
        return await answered(lambda: _tell(door, caller, told))


def _tell(door: Door, caller: Caller, told: EventsTold) -> dict[str, Any]:
    store, at = door.store, door.clock()
    repository = caller.repository(store, told.repo)
    num_new = 0
    with store.together():
        for one in told.events:
            event = ToldEvent(one.kind, one.at, one.id or "", one.data)
            num_new += tell_event(store, repository, one.task_id, event, caller.name, at, door.settings.github_url)
    for task_id in sorted({one.task_id for one in told.events}):
        evaluate_task(store, repository.id, task_id, at)
    return {"num_new": num_new, "num_known": len(told.events) - num_new}
