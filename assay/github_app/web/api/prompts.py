"""Versions of agents' instructions: all of a repository, and the texts of one with its diff to another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response

from assay.github.errors import ApiRefused
from assay.github_app.outcomes.prompt_texts import NoVersion, difference, version_named, versions
from assay.github_app.store import Scope
from assay.github_app.web.api.caller import Caller
from assay.github_app.web.api.routing import ApiContext, answered


def add_prompts(routes: APIRouter, api: ApiContext) -> None:
    """Add `GET /api/v1/repos/{owner}/{repo}/prompts` and `…/prompts/{version}`."""
    reading = Depends(api.caller(Scope.metrics_read, Scope.tasks))
    here = "/api/v1/repos/{owner}/{repo}/prompts"

    @routes.get(here)
    async def every(owner: str, repo: str, caller: Caller = reading) -> Response:
        return await answered(lambda: _listed(api, caller, f"{owner}/{repo}"))

    @routes.get(here + "/{version:path}")
    async def one(
        owner: str,
        repo: str,
        version: str,
        caller: Caller = reading,
        before: Annotated[str | None, Query(max_length=200)] = None,
    ) -> Response:
        return await answered(lambda: _shown(api, caller, f"{owner}/{repo}", version, before))


def _listed(api: ApiContext, caller: Caller, full_name: str) -> dict[str, Any]:
    repository = caller.repository(api.store, full_name)
    found = [asdict(one) for one in versions(api.store, repository.id)]
    return {"repo": repository.full_name, "versions": found}


def _shown(api: ApiContext, caller: Caller, full_name: str, version: str, before: str | None) -> dict[str, Any]:
    repository = caller.repository(api.store, full_name)
    with _refusals():
        row = version_named(api.store, repository.id, version)
        older = None if before is None else version_named(api.store, repository.id, before)
    shown = {
        "repo": repository.full_name,
        "version": row.version,
        "source": row.source,
        "first_seen_at": row.first_seen_at,
        "texts": dict(row.texts),
    }
    if older is not None:
        shown |= {"before": older.version, "difference": [asdict(one) for one in difference(older, row)]}
    return shown


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except NoVersion as error:
        raise ApiRefused(404, error.text, code=error.code) from None
