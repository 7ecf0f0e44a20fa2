"""Experiments for harnesses: the variant of a task, asked for before it is begun, and how the variants stand."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from assay.github.errors import ApiRefused
from assay.github_app.api.caller import Caller
from assay.github_app.api.door import Door, Told, answered, body_of
from assay.github_app.api.forms import TaskId
from assay.github_app.outcomes.experiments.comparing import compared
from assay.github_app.outcomes.experiments.experiments import NoExperiment, assign, running
from assay.github_app.store import Scope


class AssignmentTold(Told):
    """The body."""

    task_id: TaskId


def add_experiments(routes: APIRouter, door: Door) -> None:
    """`POST /api/v1/repos/{owner}/{repo}/experiments/{name}/assignments`, and `GET …/experiments/{name}`."""
    telling = Depends(door.caller(Scope.tasks))
    reading = Depends(door.caller(Scope.metrics_read, Scope.tasks))
    here = "/api/v1/repos/{owner}/{repo}/experiments/{name}"

    @routes.post(here + "/assignments")
    async def give(request: Request, owner: str, repo: str, name: str, caller: Caller = telling) -> Response:
        told = await body_of(request, AssignmentTold)
        return await answered(lambda: _assigned(door, caller, f"{owner}/{repo}", name, told.task_id))

    @routes.get(here)
    async def one(owner: str, repo: str, name: str, caller: Caller = reading) -> Response:
        return await answered(lambda: _compared(door, caller, f"{owner}/{repo}", name))


def _assigned(door: Door, caller: Caller, full_name: str, name: str, task_id: str) -> dict[str, Any]:
    repository = caller.repository(door.store, full_name)
    try:
        running(door.store, repository.id, name)
    except NoExperiment as error:
        raise ApiRefused(404, str(error)) from None
    try:
        variant = assign(door.store, repository.id, name, task_id, door.clock())
    except NoExperiment as error:
        raise ApiRefused(409, str(error)) from None
    return {
        "repo": repository.full_name,
        "experiment": name,
        "task_id": task_id,
        "variant": variant.name,
        "prompt_version": variant.prompt_version,
    }


def _compared(door: Door, caller: Caller, full_name: str, name: str) -> dict[str, Any]:
    repository = caller.repository(door.store, full_name)
    try:
        found = compared(door.store, running(door.store, repository.id, name))
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
