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

from assay.github.errors import ResultsRefused, StoreUnavailable
from assay.github_app.ops.settings import Settings
from assay.github_app.runtime.context import now
from assay.github_app.web.http.oidc import Identity, IdentityTokens
from assay.github_app.web.http.request_body import bounded_body

_log = logging.getLogger(__name__)
Kept = TypeVar("Kept")


def tokens_of(settings: Settings) -> IdentityTokens:
    """Return the verifier of the identity tokens that jobs send."""
    return IdentityTokens(settings.oidc_issuer, settings.results_audience or settings.public_url or "")


class Uploads(Protocol[Kept]):
    """Handler that verifies a job and stores its upload; `who` and `take` raise `ResultsRefused`."""

    path: str
    most_bytes: int

    def who(self, authorization: str | None) -> Identity: ...

    def take(self, identity: Identity, body: bytes, at: datetime) -> Kept: ...

    def answer(self, kept: Kept) -> dict[str, Any]: ...


def router(
    uploads: Uploads[Kept],
    *,
    on_stored: Callable[[Kept], None] | None = None,
    clock: Callable[[], datetime] = now,
) -> APIRouter:
    """Build the route of a kind of upload: identity token in `Authorization`, results in the body.

    `on_stored` is called after each upload, including repeated ones.
    """
    routes = APIRouter()

    @routes.post(uploads.path)
    async def post(request: Request) -> Response:
        """Store the results of a job."""
        try:
            # Verify the token first: bodies without a valid token are not read.
            identity = await run_in_threadpool(uploads.who, request.headers.get("authorization"))
            body = await bounded_body(request, uploads.most_bytes, ResultsRefused)
            kept = await run_in_threadpool(uploads.take, identity, body, clock())
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
        return JSONResponse(uploads.answer(kept))

    return routes
