"""Feedback of agents: `POST /api/v1/tasks/{id}/feedback` and `POST /api/v1/feedback`."""

from __future__ import annotations

import re
from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from assay.github.errors import ApiRefused
from assay.github_app.outcomes import must_be_own, take_feedback
from assay.github_app.provenance.declarations import FEEDBACK_QUESTION, TASK_ID
from assay.github_app.store import Scope
from assay.github_app.web.api.caller import Caller
from assay.github_app.web.api.forms import Moment, Name, RepositoryName, TaskId, Text
from assay.github_app.web.api.routing import ApiContext, Body, answered, body_of

NOTHING_MISSING = "the feedback names nothing missing"


class FeedbackBody(Body):
    """Body; `task_id` is optional if the address has it."""

    answer: Text
    task_id: TaskId | None = None
    repo: RepositoryName | None = None
    agent: Name | None = None
    at: Moment | None = None


def add_feedback(routes: APIRouter, api: ApiContext) -> None:
    """Add both addresses, and `GET /api/v1/feedback/question` for harnesses that put the question themselves."""
    writing = Depends(api.caller(Scope.feedback))

    @routes.get("/api/v1/feedback/question")
    async def question(caller: Caller = writing) -> Response:  # noqa: ARG001 - authenticates the caller
        return await answered(lambda: {"question": FEEDBACK_QUESTION})

    @routes.post("/api/v1/feedback")
    async def post(request: Request, caller: Caller = writing) -> Response:
        body = await body_of(request, FeedbackBody)
        return await answered(lambda: _store(api, caller, body, body.task_id))

    @routes.post("/api/v1/tasks/{task_id:path}/feedback")
    async def post_to_task(task_id: str, request: Request, caller: Caller = writing) -> Response:
        body = await body_of(request, FeedbackBody)
        if body.task_id not in (None, task_id):
            raise ApiRefused(422, "task_id: the address names another task", code="api.other-task")
        return await answered(lambda: _store(api, caller, body, task_id))


def _store(api: ApiContext, caller: Caller, body: FeedbackBody, task_id: str | None) -> dict[str, Any]:
    if task_id is None or not re.fullmatch(TASK_ID, task_id):
        raise ApiRefused(422, "task_id: required, and must be a valid task id", code="api.invalid-task-id")
    repository, at = caller.repository(api.store, body.repo), api.clock()
    must_be_own(api.store, repository.id, caller.name, task_id)
    kept = take_feedback(
        api.store,
        repository.id,
        body.answer,
        body.at or at,
        source="api",
        seen_at=at,
        task_id=task_id,
        told_by=caller.name,
        agent=body.agent,
    )
    if kept is None:
        return {"insight": None, "is_new": False, "why_not": NOTHING_MISSING}
    row, is_new = kept
    return {"insight": row.id, "is_new": is_new, "why_not": row.why_not}
