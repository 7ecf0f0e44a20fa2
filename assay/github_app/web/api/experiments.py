"""Experiments: assign a variant to a task before it starts, and compare the variants."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from assay.github.errors import ApiRefused
from assay.github_app.outcomes import must_be_own
from assay.github_app.outcomes.experiments.comparing import compared
from assay.github_app.outcomes.experiments.experiments import NoExperiment, assign, running
from assay.github_app.store import Scope
from assay.github_app.web.api.caller import Caller
from assay.github_app.web.api.forms import TaskId
from assay.github_app.web.api.routing import ApiContext, Body, answered, body_of


class AssignmentBody(Body):
    """Body of an assignment."""

    task_id: TaskId


def add_experiments(routes: APIRouter, api: ApiContext) -> None:
    """Add `POST /api/v1/repos/{owner}/{repo}/experiments/{name}/assignments` and `GET …/experiments/{name}`."""
    writing = Depends(api.caller(Scope.tasks))
    reading = Depends(api.caller(Scope.metrics_read, Scope.tasks))
    here = "/api/v1/repos/{owner}/{repo}/experiments/{name}"

    @routes.post(here + "/assignments")
    async def give(request: Request, owner: str, repo: str, name: str, caller: Caller = writing) -> Response:
        body = await body_of(request, AssignmentBody)
        return await answered(lambda: _assigned(api, caller, f"{owner}/{repo}", name, body.task_id))

    @routes.get(here)
    async def one(owner: str, repo: str, name: str, caller: Caller = reading) -> Response:
        return await answered(lambda: _compared(api, caller, f"{owner}/{repo}", name))


def _assigned(api: ApiContext, caller: Caller, full_name: str, name: str, task_id: str) -> dict[str, Any]:
    repository = caller.repository(api.store, full_name)
    try:
        running(api.store, repository.id, name)
    except NoExperiment as error:
        raise ApiRefused(404, str(error)) from None
    must_be_own(api.store, repository.id, caller.name, task_id)
    try:
        variant = assign(api.store, repository.id, name, task_id, api.clock(), told_by=caller.name)
    except NoExperiment as error:
        raise ApiRefused(409, str(error)) from None
    return {
        "repo": repository.full_name,
        "experiment": name,
        "task_id": task_id,
        "variant": variant.name,
        "prompt_version": variant.prompt_version,
    }


def _compared(api: ApiContext, caller: Caller, full_name: str, name: str) -> dict[str, Any]:
    repository = caller.repository(api.store, full_name)
    try:
        found = compared(api.store, running(api.store, repository.id, name))
    except NoExperiment as error:
        raise ApiRefused(404, str(error)) from None
    row = found.experiment
    return {
        "repo": repository.full_name,
        "experiment": row.name,
        "metric": row.metric,
        "alpha": row.alpha,
        "ended_at": row.ended_at,
        "num_assigned": dict(found.num_assigned),
        "metrics": [asdict(one) for one in found.metrics],
    }
