"""The addresses of the pages, and what each one shows. Templates escape everything; no script runs on any of them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from assay.github_app.dashboard.entrance import COOKIE, SESSION_LIFETIME_S, Entrance
from assay.github_app.dashboard.views import jobs_view, overview_view, pull_view
from assay.github_app.settings import Settings
from assay.github_app.store import Store

HERE = Path(__file__).parent / "templates"
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}")
_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


class Closed(Exception):
    """Whoever asks was not let in."""


def add_pages(app: FastAPI, settings: Settings, store: Store, entrance: Entrance) -> None:
    """Put the pages into the web application."""
    pages = Pages(settings.github_url)

    def known(request: Request) -> None:
        if not entrance.knows(request.cookies.get(COOKIE)):
            raise Closed

    inside = [Depends(known)]

    @app.exception_handler(Closed)
    async def closed(request: Request, error: Exception) -> Response:  # noqa: ARG001 - the framework's signature
        return pages.show("closed.html", 401)

    @app.get("/style.css")
    def style() -> Response:
        return Response((HERE / "style.css").read_text("utf-8"), media_type="text/css")

    @app.get("/", dependencies=inside)
    def overview() -> Response:
        return pages.show("overview.html", **overview_view(store))

    @app.get("/jobs", dependencies=inside)
    def jobs() -> Response:
        return pages.show("jobs.html", **jobs_view(store))

    @app.get("/repos/{owner}/{name}/pulls/{number}", dependencies=inside)
    def pull(owner: str, name: str, number: int) -> Response:
        is_name = _NAME.fullmatch(owner) and _NAME.fullmatch(name)
        shown = pull_view(store, f"{owner}/{name}", number) if is_name and 0 < number < 2**31 else None
        return pages.show("missing.html", 404) if shown is None else pages.show("pull.html", **shown)

    _let_in(app, pages, entrance, is_https=(settings.public_url or "").startswith("https://"))


def _let_in(app: FastAPI, pages: Pages, entrance: Entrance, *, is_https: bool) -> None:
    @app.get("/enter")
    def enter(token: Annotated[str, "from the link"] = "") -> Response:
        cookie = entrance.let_in(token)
        if cookie is None:
            return pages.show("closed.html", 401)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(
            COOKIE, cookie, max_age=SESSION_LIFETIME_S, httponly=True, samesite="lax", secure=is_https, path="/"
        )
        return answer


class Pages:
    """The templates, each made into an answer that no script and no stranger's markup gets into."""

    def __init__(self, github_url: str) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(HERE), autoescape=select_autoescape(default=True), undefined=StrictUndefined
        )
        self._environment.filters["ago"] = ago
        self._github_url = github_url

    def show(self, name: str, status: int = 200, **shown: Any) -> HTMLResponse:
        """One page."""
        text = self._environment.get_template(name).render(github_url=self._github_url, **shown)
        return HTMLResponse(text, status, {"content-security-policy": _POLICY})


def ago(then: datetime | None) -> str:
    """How long ago, in words a person would use."""
    if then is None:
        return "never"
    seconds = max(0, int((datetime.now(UTC) - then).total_seconds()))
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            number = seconds // size
            return f"{number} {unit}{'s' if number > 1 else ''} ago"
    return "just now"
