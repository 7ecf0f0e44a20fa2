"""HTTP routes for uploaded results: `POST /api/v1/results` and `POST /api/v1/memory-results`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Any, Protocol, TypeVar

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse
from starlette.requests import ClientDisconnect

from assay.github.client import Github, Repo
from assay.github.errors import ResultsRefused, StoreUnavailable
from assay.github.external_results.memory_payload import MOST_BODY_BYTES as MOST_MEMORY_BYTES
from assay.github.external_results.tools_payload import MOST_BODY_BYTES
from assay.github_app.http.oidc import Identity, IdentityTokens
from assay.github_app.http.request_body import bounded_body
from assay.github_app.permissions import FOR_READING
from assay.github_app.runtime.context import now
from assay.github_app.settings import Settings
from assay.github_app.store import MemoryRunRow, PostedResults, Store
from assay.github_app.uploads.memory_results import MemoryResults
from assay.github_app.uploads.tool_results import OpenRuns, Results

_log = logging.getLogger(__name__)
Kept = TypeVar("Kept")
Kept_co = TypeVar("Kept_co", covariant=True)


def results_of(settings: Settings, store: Store, open_runs: OpenRuns) -> Results:
    """Build the Tier 1 upload handler from the settings."""
    return Results(_tokens_of(settings), settings.trusted_workflows, open_runs, store)


def runs_of(github: Github, store: Store) -> OpenRuns:
    """Return a function that opens an installed repository with a read-only token, to look up workflow runs."""

    def opened(repository_id: int) -> Repo:
        row = store.repositories.get(repository_id)
        if row is None or not row.is_given:
            raise ResultsRefused(404, "the App is not installed on this repository")
        installation_id = row.installation_id or github.installation_of(row.full_name)
        return github.repository(installation_id, repository_id, row.full_name, permissions=FOR_READING)

    return opened


def memories_of(settings: Settings, store: Store) -> MemoryResults:
    """Build the memory evaluation upload handler from the settings."""
    return MemoryResults(_tokens_of(settings), settings.trusted_workflows, store)


def _tokens_of(settings: Settings) -> IdentityTokens:
    return IdentityTokens(settings.oidc_issuer, settings.results_audience or settings.public_url or "")


def router(
    results: Results,
    *,
    on_stored: Callable[[PostedResults], None] | None = None,
    clock: Callable[[], datetime] = now,
) -> APIRouter:
    """Build the route for Tier 1 results. `on_stored` is called after each upload, to refresh the runs of that head."""
    routes = APIRouter()

    @routes.post("/api/v1/results")
    async def post(request: Request) -> Response:
        """Store the results of a job: identity token in `Authorization`, body as in `tools_payload`."""
        return await _taken(
            request,
            results,
            MOST_BODY_BYTES,
            on_stored,
            clock,
            lambda kept: {"head_sha": kept.head_sha, "run_id": kept.workflow_run_id},
        )

    return routes


def memory_router(
    memories: MemoryResults,
    *,
    on_stored: Callable[[MemoryRunRow], None] | None = None,
    clock: Callable[[], datetime] = now,
) -> APIRouter:
    """Build the route for memory evaluations. `on_stored` is called after each upload, including repeated ones."""
    routes = APIRouter()

    @routes.post("/api/v1/memory-results")
    async def post(request: Request) -> Response:
        """Store the memory evaluation of a job: identity token in `Authorization`, body as in `memory_payload`."""
        return await _taken(
            request,
            memories,
            MOST_MEMORY_BYTES,
            on_stored,
            clock,
            lambda kept: {"run_id": kept.run_id, "name": kept.name},
        )

    return routes


class _Taker(Protocol[Kept_co]):
    """Handler that verifies a job and stores its upload; both methods raise `ResultsRefused`."""

    def who(self, authorization: str | None) -> Identity: ...

    def take(self, identity: Identity, body: bytes, at: datetime) -> Kept_co: ...


async def _taken(
    request: Request,
    taker: _Taker[Kept],
    most_bytes: int,
    on_stored: Callable[[Kept], None] | None,
    clock: Callable[[], datetime],
    answer: Callable[[Kept], dict[str, Any]],
) -> Response:
    """Run an upload and return the HTTP response."""
    try:
        # Verify the token first: bodies without a valid token are not read.
        identity = await run_in_threadpool(taker.who, request.headers.get("authorization"))
        body = await bounded_body(request, most_bytes, ResultsRefused)
        kept = await run_in_threadpool(taker.take, identity, body, clock())
        if on_stored is not None:
            await run_in_threadpool(on_stored, kept)
    except ResultsRefused as refused:
        _log.warning("upload refused (%s): %s", refused.status, refused)
        content = {"refused": str(refused), **({"code": refused.code} if refused.code else {})}
        return JSONResponse(content, refused.status, {"connection": "close"})
    except ClientDisconnect:
        return Response(status_code=400)
    except StoreUnavailable as error:
        _log.error("upload could not be stored: %s", error)
        return JSONResponse({"refused": "the database is not available"}, 503, {"retry-after": "30"})
    return JSONResponse(answer(kept))
