"""Router of the REST API under `/api/v1`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from fastapi import APIRouter

from assay.github_app.ops.settings import Settings
from assay.github_app.runtime.context import now
from assay.github_app.store import Store
from assay.github_app.web.api.caller import Callers
from assay.github_app.web.api.events import add_events
from assay.github_app.web.api.experiments import add_experiments
from assay.github_app.web.api.feedback import add_feedback
from assay.github_app.web.api.insights import add_insights
from assay.github_app.web.api.metrics import add_metrics
from assay.github_app.web.api.prompts import add_prompts
from assay.github_app.web.api.routing import ApiContext, Route
from assay.github_app.web.api.rules import add_rules
from assay.github_app.web.api.tasks import add_tasks
from assay.github_app.web.api.traces import add_traces
from assay.github_app.web.http.oidc import IdentityTokens

if TYPE_CHECKING:
    from assay.embedding.embedder import Embedder

PARTS: tuple[Callable[[APIRouter, ApiContext], None], ...] = (
    add_feedback,
    add_tasks,
    add_events,
    add_traces,
    add_insights,
    add_metrics,
    add_prompts,
    add_experiments,
    add_rules,
)
"""Parts of the API; each adds its routes."""


def make_api(
    settings: Settings,
    store: Store,
    *,
    jobs: IdentityTokens | None = None,
    embedder: Embedder | None = None,
    clock: Callable[[], datetime] = now,
) -> APIRouter:
    """Return all routes. `jobs` verifies identity tokens of workflows; default: those of the configured issuer."""
    audience = settings.results_audience or settings.public_url or ""
    verifier = jobs or IdentityTokens(settings.oidc_issuer, audience)
    trusted, most = settings.trusted_workflows, settings.api_requests_per_minute
    callers = Callers(store, verifier, clock, trusted=trusted, most_requests=most)
    api = ApiContext(settings, store, callers, clock, embedder)
    routes = APIRouter(route_class=Route)
    for add in PARTS:
        add(routes, api)
    return routes
