"""The interface for agents as it is served, over a store of its own, with callers to speak to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.testclient import TestClient

from assay.github.events.model import RepositoryFacts
from assay.github_app.store import Scope, Store
from assay.github_app.web.api import ApiContext, Body, Caller, Route, answered, body_of, make_api
from assay.github_app.web.api.caller import Callers
from assay.github_app.web.http.oidc import IdentityTokens
from tests.github_app.identity_tokens import AUDIENCE, ISSUER, TRUSTED, Issuer
from tests.github_app.stand_ins import settings_in

SHOP = RepositoryFacts(77, "acme/shop")
OTHER = RepositoryFacts(78, "acme/secret")
AT = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


@dataclass
class Now:
    """A clock that stands until it is moved."""

    at: datetime = AT

    def __call__(self) -> datetime:
        return self.at


class Thing(Body):
    """A body for a route of the tests' own."""

    name: str
    size: int = 0


@dataclass
class Served:
    """The interface, a store that knows two repositories, and a token for the first of them."""

    store: Store
    now: Now
    client: TestClient
    issuer: Issuer
    secret: str = field(default="", repr=False)
    answers: list[Any] = field(default_factory=list)

    def token(
        self, *scopes: Scope, repositories: Iterable[int] = (SHOP.id,), lifetime: timedelta = timedelta(days=30)
    ) -> str:
        made = self.store.tokens.make("the tests", repositories, scopes or tuple(Scope), self.now.at, lifetime)
        return made.secret

    def get(self, path: str, secret: str | None = None, **params: Any) -> Any:
        return self.client.get(path, params=params, headers=self.headers(secret))

    def post(self, path: str, body: Any = None, secret: str | None = None, **more: Any) -> Any:
        if isinstance(body, bytes):
            more["content"] = body
        else:
            more["json"] = body
        return self.client.post(path, headers=self.headers(secret), **more)

    def headers(self, secret: str | None = None) -> dict[str, str]:
        chosen = self.secret if secret is None else secret
        return {"authorization": f"Bearer {chosen}"} if chosen else {}


def served(store: Store, folder: Any, *, is_trusting: bool = False) -> Served:
    """Everything under `/api/v1`, and a route of the tests' own that shows who asks."""
    store.repositories.put(SHOP, 4242, AT)
    store.repositories.put(OTHER, 4242, AT)
    now, issuer = Now(), Issuer()
    jobs = IdentityTokens(ISSUER, AUDIENCE, fetch=issuer.fetch)
    settings = settings_in(folder, trusted_workflows=(TRUSTED,) if is_trusting else ())
    app = FastAPI()
    routes = make_api(settings, store, jobs=jobs, clock=now)
    _add_things(routes, ApiContext(settings, store, Callers(store, jobs, now), now))
    assert routes.route_class is Route
    app.include_router(routes)
    made = Served(store, now, TestClient(app, raise_server_exceptions=True), issuer)
    made.secret = made.token()
    return made


def _add_things(routes: Any, api: ApiContext) -> None:
    writing = Depends(api.caller(Scope.tasks, Scope.rules_write))

    @routes.post("/api/v1/things")
    async def post(request: Request, caller: Caller = writing) -> Response:
        thing = await body_of(request, Thing, 10_000)
        repository = caller.repository(api.store, thing.name)
        return await answered(lambda: {"name": caller.name, "repository": repository.id})
