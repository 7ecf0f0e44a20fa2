"""What agents lacked: `POST /api/v1/tasks/{id}/feedback` and `POST /api/v1/feedback`."""

from __future__ import annotations

import re
from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from assay.github.errors import ApiRefused
from assay.github_app.api.caller import Caller
from assay.github_app.api.door import Door, Told, answered, body_of
from assay.github_app.api.forms import Moment, Name, RepositoryName, TaskId, Text
from assay.github_app.outcomes import QUESTION, take_feedback
from assay.github_app.provenance.declarations import TASK_ID
from assay.github_app.store import Scope


class FeedbackTold(Told):
    """The body. `task_id` is left out where the address names it."""

    answer: Text
    task_id: TaskId | None = None
    repo: RepositoryName | None = None
    agent: Name | None = None
    at: Moment | None = None


def add_feedback(routes: APIRouter, door: Door) -> None:
    """Both addresses, and `GET /api/v1/feedback/question` for harnesses that ask it themselves."""
    telling = Depends(door.caller(Scope.feedback))

    @routes.get("/api/v1/feedback/question")
    async def question(caller: Caller = telling) -> Response:  # noqa: ARG001 - who asks must be known
        return await answered(lambda: {"question": QUESTION})

    @routes.post("/api/v1/feedback")
    async def tell(request: Request, caller: Caller = telling) -> Response:
        told = await body_of(request, FeedbackTold)
        return await answered(lambda: _tell(door, caller, told, told.task_id))

    @routes.post("/api/v1/tasks/{task_id:path}/feedback")
    async def tell_of_task(task_id: str, request: Request, caller: Caller = telling) -> Response:
        told = await body_of(request, FeedbackTold)
        if told.task_id not in (None, task_id):
            raise ApiRefused(422, "task_id: the address names another task")
        return await answered(lambda: _tell(door, caller, told, task_id))


def _tell(door: Door, caller: Caller, told: FeedbackTold, task_id: str | None) -> dict[str, Any]:
    if task_id is None or not re.fullmatch(TASK_ID, task_id):
        raise ApiRefused(422, "task_id: say which task this is about")
    repository, at = caller.repository(door.store, told.repo), door.clock()
    kept = take_feedback(
        door.store,
        repository.id,
        told.answer,
        told.at or at,
        source="api",
        seen_at=at,
        task_id=task_id,
        told_by=caller.name,
        agent=told.agent,
    )
    if kept is None:
        return {"insight": None, "is_new": False, "why_not": "it says that nothing was missing"}
    row, is_new = kept
    return {"insight": row.id, "is_new": is_new, "why_not": row.why_not}
