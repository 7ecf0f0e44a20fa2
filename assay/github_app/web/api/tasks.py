"""Tasks: reported by harnesses, read to compare them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import Field

from assay.github.errors import ApiRefused
from assay.github_app.outcomes import evaluate_task, report_task
from assay.github_app.provenance.linked_issues import MOST_ISSUES, distinct, issue_url
from assay.github_app.store import Scope, Store, TaskRow, TaskStatus
from assay.github_app.web.api.caller import Caller
from assay.github_app.web.api.forms import (
    After,
    Count,
    InRepository,
    Line,
    Moment,
    Name,
    PageSize,
    Prompt,
    Question,
    RepositoryName,
    Seconds,
    TaskId,
    Text,
    mark,
    place_of,
)
from assay.github_app.web.api.routing import ApiContext, Body, answered, body_of


class TaskBody(Body):
    """Body of `POST /api/v1/tasks`."""

    id: TaskId
    repo: RepositoryName | None = None
    status: TaskStatus | None = None
    at: Moment | None = None
    error_message: Text | None = None
    pr_url: Line | None = None
    branch: Name | None = None
    agent: Name | None = None
    model: Name | None = None
    prompt_version: Name | None = None
    prompt: Prompt | None = None
    memory_state: Name | None = None
    request: Text | None = None
    requested_by: Name | None = None
    submitted_at: Moment | None = None
    num_tokens_in: Count | None = None
    num_tokens_out: Count | None = None
    duration_s: Seconds | None = None
    issues: Annotated[tuple[Line, ...], Field(max_length=MOST_ISSUES)] | None = None


def add_tasks(routes: APIRouter, api: ApiContext) -> None:
    """Add `POST /api/v1/tasks`, `GET /api/v1/tasks` and `GET /api/v1/tasks/{id}`."""
    writing = Depends(api.caller(Scope.tasks))
    reading = Depends(api.caller(Scope.tasks, Scope.metrics_read))

    @routes.post("/api/v1/tasks")
    async def post(request: Request, caller: Caller = writing) -> Response:
        body = await body_of(request, TaskBody)
        return await answered(lambda: _store(api, caller, body))

    @routes.get("/api/v1/tasks")
    async def newest(
        caller: Caller = reading,
        repo: InRepository = None,
        question: Question = None,
        status: Annotated[TaskStatus | None, Query()] = None,
        limit: PageSize = 50,
        after: After = None,
    ) -> Response:
        return await answered(lambda: _page(api.store, caller, repo, question, status, limit, after))

    @routes.get("/api/v1/tasks/{task_id:path}")
    async def one(task_id: str, caller: Caller = reading, repo: InRepository = None) -> Response:
        return await answered(lambda: _one(api, caller, repo, task_id))


def _store(api: ApiContext, caller: Caller, body: TaskBody) -> dict[str, Any]:
    repository, at = caller.repository(api.store, body.repo), api.clock()
    report = body.model_dump(exclude={"id", "repo", "at"}) | {"status_at": body.at}
    row = report_task(api.store, repository, body.id, caller.name, at, api.settings.github_url, **report)
    if row.status is not None:
        evaluate_task(api.store, repository.id, row.id, at)
    return shown(row, repository.full_name)


def _page(
    store: Store,
    caller: Caller,
    repo: str | None,
    question: str | None,
    status: TaskStatus | None,
    limit: int,
    after: str | None,
) -> dict[str, Any]:
    repository = caller.repository(store, repo)
    rows = store.tasks.newest(repository.id, limit + 1, before=place_of(after), status=status, containing=question)
    page = rows[:limit]
    more = mark(page[-1].created_at, page[-1].id) if len(rows) > limit else None
    return {"tasks": [shown(row, repository.full_name) for row in page], "next": more}


def _one(api: ApiContext, caller: Caller, repo: str | None, task_id: str) -> dict[str, Any]:
    store = api.store
    repository = caller.repository(store, repo)
    row = store.tasks.get(repository.id, task_id)
    if row is None:
        raise ApiRefused(404, "no such task in this repository")
    result = store.evaluations.get(repository.id, task_id)
    events = store.events.of_task(repository.id, task_id)
    return {
        **shown(row, repository.full_name),
        "links": _links(store, row, repository.full_name, api.settings.github_url),
        "events": [{"kind": one.kind, "at": one.at, "data": dict(one.data)} for one in events[-500:]],
        "insights": [{"id": one.id, "text": one.text} for one in store.insights.of_task(repository.id, task_id)[:100]],
        "traces": [asdict(one) for one in store.traces.of_task(repository.id, task_id)[:100]],
        "evaluation": None
        if result is None
        else {**asdict(result), "failures": [dict(one) for one in result.failures]},
    }


def _links(store: Store, row: TaskRow, full_name: str, web_url: str) -> dict[str, Any]:
    """Return the addresses of a task's repository, branch, pull request and issues on GitHub."""
    pull = store.pulls.get(row.repository_id, row.number) if row.number is not None else None
    home = (pull.head_repository if pull is not None and pull.is_fork else full_name) if row.branch else None
    issues = distinct((*row.issues, *(pull.issues if pull is not None else ())))
    return {
        "repository": f"{web_url}/{full_name}",
        "branch": f"{web_url}/{home}/tree/{quote(row.branch)}" if home and row.branch else None,
        "pull": f"{web_url}/{full_name}/pull/{row.number}" if row.number is not None else None,
        "issues": [{"issue": issue, "url": issue_url(issue, web_url)} for issue in issues],
    }


def shown(row: TaskRow, full_name: str) -> dict[str, Any]:
    """Return a task as JSON data."""
    return {"repo": full_name, **{name: value for name, value in asdict(row).items() if name != "repository_id"}}
