"""Experiments: create and end them, assign a variant to a task before it starts, and compare the variants."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from pydantic import Field

from assay.github.errors import ApiRefused
from assay.github_app.outcomes import must_be_own
from assay.github_app.outcomes.experiments import NoExperiment, assign, compared, create, end, existing
from assay.github_app.store import ExperimentRow, RepositoryRow, Scope, Variant
from assay.github_app.web.api.caller import Caller
from assay.github_app.web.api.forms import Line, Name, TaskId
from assay.github_app.web.api.routing import ApiContext, Body, answered, body_of

_STATUSES = {"experiment.unknown": 404, "experiment.invalid": 422}


class AssignmentBody(Body):
    """Body of an assignment."""

    task_id: TaskId


class VariantBody(Body):
    """Variant of a new experiment."""

    name: Name
    share: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    prompt_version: Name | None = None


class ExperimentBody(Body):
    """Body of a new experiment; the first variant is the control."""

    name: Name
    variants: Annotated[list[VariantBody], Field(max_length=20)]
    metric: Name = "merged"
    about: Line | None = None


class EndBody(Body):
    """Body of an end."""

    conclusion: Line | None = None


def add_experiments(routes: APIRouter, api: ApiContext) -> None:
    """Add `/api/v1/repos/{owner}/{repo}/experiments`, `…/{name}`, `…/{name}/assignments` and `…/{name}/end`."""
    writing = Depends(api.caller(Scope.tasks))
    reading = Depends(api.caller(Scope.metrics_read, Scope.tasks))
    deciding = Depends(api.caller(Scope.rules_write))
    here = "/api/v1/repos/{owner}/{repo}/experiments"

    @routes.post(here)
    async def new(request: Request, owner: str, repo: str, caller: Caller = deciding) -> Response:
        body = await body_of(request, ExperimentBody)
        return await answered(lambda: _created(api, caller, f"{owner}/{repo}", body))

    @routes.get(here)
    async def every(owner: str, repo: str, caller: Caller = reading) -> Response:
        return await answered(lambda: _listed(api, caller, f"{owner}/{repo}"))

    @routes.get(here + "/{name}")
    async def one(owner: str, repo: str, name: str, caller: Caller = reading) -> Response:
        return await answered(lambda: _compared(api, caller, f"{owner}/{repo}", name))

    @routes.post(here + "/{name}/assignments")
    async def give(request: Request, owner: str, repo: str, name: str, caller: Caller = writing) -> Response:
        body = await body_of(request, AssignmentBody)
        return await answered(lambda: _assigned(api, caller, f"{owner}/{repo}", name, body.task_id))

    @routes.post(here + "/{name}/end")
    async def ended(request: Request, owner: str, repo: str, name: str, caller: Caller = deciding) -> Response:
        body = await body_of(request, EndBody)
        return await answered(lambda: _ended(api, caller, f"{owner}/{repo}", name, body.conclusion))


def _created(api: ApiContext, caller: Caller, full_name: str, body: ExperimentBody) -> dict[str, Any]:
    repository = caller.repository(api.store, full_name)
    variants = [Variant(one.name, one.share, one.prompt_version) for one in body.variants]
    with _refusals():
        made = create(
            api.store, repository.id, body.name, variants, api.clock(),
            metric=body.metric, about=body.about or "", by=caller.name,
        )  # fmt: skip
    return _shown(repository, made)


def _listed(api: ApiContext, caller: Caller, full_name: str) -> dict[str, Any]:
    repository = caller.repository(api.store, full_name)
    return {"experiments": [_shown(repository, one) for one in api.store.experiments.of([repository.id])]}


def _compared(api: ApiContext, caller: Caller, full_name: str, name: str) -> dict[str, Any]:
    repository = caller.repository(api.store, full_name)
    with _refusals():
        found = compared(api.store, existing(api.store, repository.id, name))
    outcomes = [asdict(one) for one in found.outcomes]
    return {**_shown(repository, found.experiment), "num_assigned": found.num_assigned, "outcomes": outcomes}


def _assigned(api: ApiContext, caller: Caller, full_name: str, name: str, task_id: str) -> dict[str, Any]:
    repository = caller.repository(api.store, full_name)
    with _refusals():
        existing(api.store, repository.id, name)
        must_be_own(api.store, repository.id, caller.name, task_id)
        variant = assign(api.store, repository.id, name, task_id, api.clock(), told_by=caller.name)
    return {
        "repo": repository.full_name,
        "experiment": name,
        "task_id": task_id,
        "variant": variant.name,
        "prompt_version": variant.prompt_version,
    }


def _ended(api: ApiContext, caller: Caller, full_name: str, name: str, conclusion: str | None) -> dict[str, Any]:
    repository = caller.repository(api.store, full_name)
    with _refusals():
        is_news = end(api.store, repository.id, name, api.clock(), by=caller.name, conclusion=conclusion or "")
    return {"repo": repository.full_name, "experiment": name, "is_news": is_news}


def _shown(repository: RepositoryRow, row: ExperimentRow) -> dict[str, Any]:
    """Return an experiment as JSON data, without its salt: the salt would let a caller choose a task's variant."""
    data = {name: value for name, value in asdict(row).items() if name not in ("repository_id", "salt", "name")}
    return {"repo": repository.full_name, "experiment": row.name, **data}


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except NoExperiment as error:
        raise ApiRefused(_STATUSES.get(error.code, 409), error.text, code=error.code) from None
