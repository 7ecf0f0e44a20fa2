"""Web server: webhooks, API, pages, health checks and Prometheus metrics.

A delivery is acknowledged (202) only after its row is committed; a worker handles it later.
"""

from __future__ import annotations

import hmac
import logging
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime

from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.connections.addresses import is_loopback
from assay.github.errors import StoreUnavailable, WebhookRefused
from assay.github.events.parse import ACTIONS, glance
from assay.github_app.ops import observability
from assay.github_app.ops.embedder import embedder_of
from assay.github_app.ops.settings import Settings
from assay.github_app.store import Store
from assay.github_app.web.api import make_api
from assay.github_app.web.dashboard import LoginLinks, add_pages
from assay.github_app.web.http.webhook import Delivery, read_delivery

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]
_log = logging.getLogger(__name__)

HEADERS = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
"""Headers of every response that does not set them itself."""
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")


def make_app(
    settings: Settings, store: Store, *, lifespan: Lifespan | None = None, on_receipt: Callable[[], object] = int
) -> FastAPI:
    """Build the web application on an open store. Raises `SettingsError` where the webhook secret cannot be read."""
    app = FastAPI(title="Assay", lifespan=lifespan, openapi_url=None, docs_url=None, redoc_url=None)
    app.add_middleware(SecurityHeaders, is_https=(settings.public_url or "").startswith("https://"))
    _webhooks(app, settings, store, on_receipt)
    _health(app, store)
    _metrics(app, settings, store)
    app.include_router(make_api(settings, store, embedder=embedder_of(settings)))
    add_pages(app, settings, store, LoginLinks(settings.secret(), once=lambda number: _first_use(store, number)))
    return app


def make_monitor(settings: Settings, store: Store) -> FastAPI:
    """Build the application of a worker's port: health checks and metrics."""
    app = FastAPI(title="Assay worker", openapi_url=None, docs_url=None, redoc_url=None)
    app.add_middleware(SecurityHeaders, is_https=False)
    _health(app, store)
    _metrics(app, settings, store)
    return app


def _webhooks(app: FastAPI, settings: Settings, store: Store, on_receipt: Callable[[], object]) -> None:
    secret = settings.secret()
    observability.hide(secret)

    @app.post("/webhooks/github")
    async def receive(request: Request) -> Response:
        began = time.perf_counter()
        try:
            delivery = await read_delivery(
                request.headers, request.stream(), secret=secret, most_bytes=settings.max_body_bytes
            )
            answer = await _filed(delivery, store)
        except WebhookRefused as refused:
            observability.DELIVERIES.labels("unknown", f"refused_{refused.status}").inc()
            _log.warning("delivery refused: %s", refused)
            # The rest of the body was not read, so the connection cannot be reused.
            return JSONResponse({"refused": str(refused)}, refused.status, {"connection": "close"})
        except ClientDisconnect:
            return Response(status_code=400)
        except StoreUnavailable as error:
            # GitHub lists this delivery as failed, so the sweep will find it.
            _log.error("delivery not stored: %s", error)
            return JSONResponse({"refused": "the database is not available"}, 503, {"retry-after": "30"})
        on_receipt()
        observability.ACKNOWLEDGED.observe(time.perf_counter() - began)
        return answer


async def _filed(delivery: Delivery, store: Store) -> Response:
    # One switch to a thread for all slow work: each switch costs a turn of the interpreter's lock.
    state, label = await run_in_threadpool(_file, delivery, store)
    observability.DELIVERIES.labels(label, state).inc()
    if state == "answered":
        return JSONResponse({"pong": delivery.id})
    return JSONResponse({"delivery": delivery.id, "state": state}, 202)


def _file(delivery: Delivery, store: Store) -> tuple[str, str]:
    """Store a delivery; return its state and the event's metric label. Raises `WebhookRefused`, `StoreUnavailable`."""
    seen = glance(delivery.body)
    label = delivery.event if delivery.event in ACTIONS else "other"
    if delivery.event == "ping":
        return "answered", label
    if (seen.action or "") not in ACTIONS.get(delivery.event, ()):
        return "ignored", label
    receipt = store.deliveries.receive(
        delivery.id,
        delivery.event,
        seen.action,
        seen.repository,
        seen.number,
        seen.installation_id,
        delivery.body,
        datetime.now(UTC),
    )
    return str(receipt), label


def _first_use(store: Store, number: str) -> bool:
    """Return whether a login link is used for the first time, at any server on this store."""
    try:
        return store.alerts.once("link", number, datetime.now(UTC))
    except StoreUnavailable as error:
        _log.warning("login refused: %s", error)
        return False


def _health(app: FastAPI, store: Store) -> None:
    @app.get("/healthz")
    async def alive() -> Response:
        """Return 200 while the process answers."""
        return PlainTextResponse("ok\n")

    @app.get("/readyz")
    async def ready() -> Response:
        """Return 200 if the database answers, else 503."""
        is_ready = await run_in_threadpool(store.healthy)
        return PlainTextResponse("ready\n" if is_ready else "the database is not available\n", 200 if is_ready else 503)


def _metrics(app: FastAPI, settings: Settings, store: Store) -> None:
    token = settings.metrics_token.get_secret_value() if settings.metrics_token is not None else None
    if token is not None:
        observability.hide(token)

    @app.get("/metrics")
    async def figures(request: Request) -> Response:
        """Return the metrics to a client with the token; without one, to this machine, and through no proxy."""
        if token is None and not _is_direct(request):
            return PlainTextResponse("set ASSAY_METRICS_TOKEN to read the metrics from elsewhere\n", 403)
        if token is not None and not _has_token(request, token):
            return PlainTextResponse("a token is required\n", 401, {"www-authenticate": "Bearer"})
        await run_in_threadpool(count_queues, settings, store)
        observability.forget_past_hours(time.time())
        return Response(generate_latest(observability.METRICS), media_type=CONTENT_TYPE_LATEST)


def _is_direct(request: Request) -> bool:
    """Return whether a request comes from this machine and was not forwarded."""
    is_forwarded = any(name in request.headers for name in _FORWARDED)
    return request.client is not None and is_loopback(request.client.host) and not is_forwarded


def _has_token(request: Request, token: str) -> bool:
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode())


def count_queues(settings: Settings, store: Store) -> None:
    """Set the figures that are read from the database."""
    now = datetime.now(UTC)
    try:
        deliveries, runs = store.deliveries.counts(), store.runs.counts()
        oldest, workers = store.deliveries.oldest_waiting(), store.leases.all()
    except StoreUnavailable as error:
        _log.warning("metrics lack the queues: %s", error)
        return
    for delivery_state, number in deliveries.items():
        observability.QUEUED.labels("deliveries", str(delivery_state)).set(number)
    for run_state, number in runs.items():
        observability.QUEUED.labels("runs", str(run_state)).set(number)
    observability.OLDEST_S.set(0 if oldest is None else max(0.0, (now - oldest).total_seconds()))
    observability.WORKERS.set(sum((now - row.renewed_at).total_seconds() < settings.lease_s for row in workers))


class SecurityHeaders:
    """Middleware that adds `HEADERS` and, behind https, HSTS."""

    def __init__(self, app: ASGIApp, *, is_https: bool) -> None:
        self._app = app
        self._headers = dict(HEADERS)
        if is_https:
            self._headers["strict-transport-security"] = "max-age=31536000; includeSubDomains"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)
