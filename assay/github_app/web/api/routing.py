"""Common parts of all API routes: authentication, bounded bodies, one-line refusals.

A route file has one function `add_…(routes, api)`; in it:

    writing = Depends(api.caller(Scope.tasks))

    @routes.post("/api/v1/things")
    async def post(request: Request, caller: Caller = writing) -> Response:
        thing = await body_of(request, Thing)
        return await answered(lambda: keep(api.store, caller, thing))
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.requests import ClientDisconnect

from assay.github.errors import ApiRefused, StoreUnavailable
from assay.github_app.ops.settings import Settings
from assay.github_app.runtime.context import now
from assay.github_app.store import Scope, Store
from assay.github_app.web.api.caller import Caller, Callers
from assay.github_app.web.http.request_body import bounded_body
from assay.validators import as_visible

if TYPE_CHECKING:
    from assay.embedding.embedder import Embedder

MOST_BODY_BYTES = 1024 * 1024
MOST_DETAIL = 300
PROBLEM = "application/problem+json"
_log = logging.getLogger(__name__)
M = TypeVar("M", bound=BaseModel)


class Body(BaseModel):
    """Base of request bodies: unknown fields are errors, and errors do not repeat values."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, str_strip_whitespace=True)


@dataclass(frozen=True, slots=True)
class ApiContext:
    """Dependencies of the routes. Without an `embedder` search uses words only."""

    settings: Settings
    store: Store
    callers: Callers
    clock: Callable[[], datetime] = field(default=now)
    embedder: Embedder | None = None

    def caller(self, *any_of: Scope) -> Callable[[Request], Caller]:
        """Return a FastAPI dependency that authenticates the caller and requires one of these scopes."""

        def known(request: Request) -> Caller:
            address = request.client.host if request.client else "?"
            return self.callers.caller(request.headers.get("authorization"), address, frozenset(any_of))

        return known


class Route(APIRoute):
    """Route that converts errors of itself and its dependencies to `problem` responses."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                return await handle(request)
            except ApiRefused as refused:
                _log.info("%s %s refused (%s): %s", request.method, self.path, refused.status, refused)
                return problem(refused.status, str(refused))
            except RequestValidationError as error:
                return problem(422, _places(list(error.errors())))
            except ClientDisconnect:
                return Response(status_code=400)
            except StoreUnavailable as error:
                _log.error("%s %s failed: %s", request.method, self.path, error)
                return problem(503, "the database is not available")

        return handled


def problem(status: int, why: str) -> Response:
    """Return a refusal (RFC 9457) with one line in `detail`."""
    headers = {"connection": "close"}  # the rest of a body may be unread, so the connection cannot be reused
    if status in (429, 503):
        headers["retry-after"] = "60"
    if status == 401:
        headers["www-authenticate"] = "Bearer"
    detail = as_visible(why, MOST_DETAIL)
    return JSONResponse({"title": "refused", "status": status, "detail": detail}, status, headers, PROBLEM)


async def body_of(request: Request, form: type[M], most_bytes: int = MOST_BODY_BYTES) -> M:
    """Read and validate a request's body. Raises `ApiRefused`: 408 too slow, 413 too large, 422 invalid."""
    data = await bounded_body(request, most_bytes, ApiRefused)
    # Parsing a large body would block the event loop.
    return await run_in_threadpool(_formed, form, data)


async def answered(act: Callable[[], Any], status: int = 200) -> Response:
    """Return the result of `act` as JSON; `act` runs in a thread because it uses the database."""
    value = await run_in_threadpool(act)
    # ASCII output also encodes unpaired surrogates in untrusted text.
    text = json.dumps(value, default=_plain, allow_nan=False)
    return Response(text, status, media_type="application/json")


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is not JSON serializable")


def _formed(form: type[M], data: bytes) -> M:
    try:
        return form.model_validate_json(data)
    except ValidationError as error:
        raise ApiRefused(422, _places(list(error.errors()))) from None


def _places(errors: list[Any]) -> str:
    """Return errors with their places but without values: `status: Input should be …`."""
    lines = []
    for one in errors[:5]:
        place = ".".join(str(part) for part in one.get("loc", ()) if part not in ("query", "path", "body"))
        message = str(one.get("msg", "")).removeprefix("Value error, ")
        lines.append(f"{place}: {message}" if place else message)
    return "; ".join(lines) or "the request cannot be read"
