"""The web server's door for results that workflows post: `POST /api/v1/results`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse
from starlette.requests import ClientDisconnect

from assay.github_app.bounded_body import bounded_body
from assay.github_app.context import now
from assay.github_app.errors import ResultsRefused, StoreUnavailable
from assay.github_app.github import Github, Repo
from assay.github_app.oidc import IdentityTokens
from assay.github_app.permissions import FOR_READING
from assay.github_app.posted_tools import MOST_BODY_BYTES
from assay.github_app.results import OpenRuns, Results
from assay.github_app.settings import Settings
from assay.github_app.store import PostedResults, Store

_log = logging.getLogger(__name__)


def results_of(settings: Settings, store: Store, open_runs: OpenRuns) -> Results:
    """What believes posted results under these settings."""
    audience = settings.results_audience or settings.public_url or ""
    return Results(IdentityTokens(settings.oidc_issuer, audience), settings.trusted_workflows, open_runs, store)


def runs_of(github: Github, store: Store) -> OpenRuns:
    """A way to ask GitHub about the workflow runs of a repository the App was given, with a token that only reads."""

    def opened(repository_id: int) -> Repo:
        row = store.repositories.get(repository_id)
        if row is None or not row.is_given:
            raise ResultsRefused(404, "the App is not installed on this repository")
        installation_id = row.installation_id or github.installation_of(row.full_name)
        return github.repository(installation_id, repository_id, row.full_name, permissions=FOR_READING)

    return opened


def router(
    results: Results,
    *,
    on_stored: Callable[[PostedResults], None] | None = None,
    clock: Callable[[], datetime] = now,
) -> APIRouter:
    """The route. `on_stored` is told of results that were kept, to ask for a refresh of the runs of that head."""
    routes = APIRouter()

    @routes.post("/api/v1/results")
    async def post(request: Request) -> Response:
        """Take the results of a job: its identity token in `Authorization`, the body as `posted_tools` describes it."""
        try:
            # The token first: nobody else's body is worth reading.
            identity = await run_in_threadpool(results.who, request.headers.get("authorization"))
            body = await bounded_body(request, MOST_BODY_BYTES, ResultsRefused)
            kept = await run_in_threadpool(results.take, identity, body, clock())
            if on_stored is not None:
                await run_in_threadpool(on_stored, kept)
        except ResultsRefused as refused:
            _log.warning("posted results are refused (%s): %s", refused.status, refused)
            return JSONResponse({"refused": str(refused)}, refused.status, {"connection": "close"})
        except ClientDisconnect:
            return Response(status_code=400)
        except StoreUnavailable as error:
            _log.error("posted results could not be stored: %s", error)
            return JSONResponse({"refused": "the database is not available"}, 503, {"retry-after": "30"})
        return JSONResponse({"head_sha": kept.head_sha, "run_id": kept.workflow_run_id})

    return routes
