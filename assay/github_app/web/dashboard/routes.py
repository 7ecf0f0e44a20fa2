"""Routes of the dashboard: authentication, access checks, pages. Pages run no scripts."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import RedirectResponse

from assay.github.client import SignIn
from assay.github.errors import StoreUnavailable
from assay.github_app.ops.settings import Settings
from assay.github_app.runtime.context import now
from assay.github_app.store import RepositoryRow, Store
from assay.github_app.web.dashboard.access.login_links import LoginLinks
from assay.github_app.web.dashboard.access.sessions import COOKIE, NotNow, Sessions
from assay.github_app.web.dashboard.access.signing_in import SignInFlow, add_sign_in_routes
from assay.github_app.web.dashboard.access.viewer import Viewer
from assay.github_app.web.dashboard.content import spans
from assay.github_app.web.dashboard.content.blocks import Figure, Sheet, Table, csv_of, ordered
from assay.github_app.web.dashboard.forms import form
from assay.github_app.web.dashboard.installations import Installations
from assay.github_app.web.dashboard.measuring import MeasureCache
from assay.github_app.web.dashboard.pages.page import Page, PageRequest, RejectedForm, quoted
from assay.github_app.web.dashboard.pages.register import PAGES
from assay.github_app.web.dashboard.rendering import Addresses, Pages

MOST_ASKED = 300
"""Maximum characters read of a query parameter."""
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}")
_log = logging.getLogger(__name__)


def add_pages(
    app: FastAPI, settings: Settings, store: Store, login_links: LoginLinks, *, clock: Callable[[], datetime] = now
) -> None:
    """Add the pages and the sign-in routes to the web application."""
    client = settings.client()
    sign_in = SignIn(*client, settings.github_url, settings.github_api_url) if client else None
    pages = Pages(settings.github_url)
    sessions = Sessions(store, settings.secret(), sign_in, clock)
    flow = SignInFlow(settings, pages, login_links, sessions, sign_in)
    handler = PageHandler(settings, store, pages, sessions, flow, clock)

    @app.get("/style.css")
    def style() -> Response:
        return pages.style()

    add_sign_in_routes(app, flow)
    for page in PAGES:
        _add(app, handler, page)


def _add(app: FastAPI, handler: PageHandler, page: Page) -> None:
    # Declared versions are arbitrary text and may contain slashes.
    address = page.address.replace("{version}", "{version:path}")

    @app.get(address, name=page.name)
    def look(request: Request) -> Response:
        return handler.answer(page, request, None)

    if page.act is not None:

        @app.post(address, name=f"{page.name} form")
        def send(request: Request, sent: Annotated[Mapping[str, str], Depends(form)]) -> Response:
            return handler.answer(page, request, sent)


class PageHandler:
    """Handler of page requests."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        pages: Pages,
        sessions: Sessions,
        flow: SignInFlow,
        clock: Callable[[], datetime],
    ) -> None:
        self._store = store
        self._measured = MeasureCache(store)
        self._installations = Installations(settings)
        self._github_url = settings.github_url
        self._data_dir = settings.data_dir
        self._pages = pages
        self._sessions = sessions
        self._flow = flow
        self._clock = clock

    def answer(self, page: Page, request: Request, sent: Mapping[str, str] | None) -> Response:
        """Render the page, or the step required first; `sent` is the form, if one was sent."""
        cookie = request.cookies.get(COOKIE)
        try:
            viewer = self._sessions.viewer(cookie)
            if viewer is None or cookie is None:
                query = f"?{request.url.query}" if request.url.query else ""
                return self._flow.sign_in_page(place=f"{request.url.path}{query}")
            asked = self._asked(viewer, request)
            if asked is None:
                return self._missing()
            if sent is not None:
                return self._carried_out(page, asked, cookie, sent)
            return self._render(page, asked, cookie)
        except NotNow as trouble:
            return self._message("GitHub is unavailable", str(trouble), 503)
        except StoreUnavailable as trouble:
            _log.error("page could not be rendered: %s", trouble)
            return self._message("The database is unavailable", "Try again in a moment.", 503)

    def _asked(self, viewer: Viewer, request: Request) -> PageRequest | None:
        """Build the request; None if it names a repository that the viewer cannot read."""
        path = {name: str(value) for name, value in request.path_params.items()}
        query = {name: value[:MOST_ASKED] for name, value in request.query_params.items()}
        mine = viewer.repositories(self._store)
        name = f"{path['owner']}/{path['name']}" if "owner" in path else query.get("repo", "")
        chosen = _named(mine, name) if name else None
        if name and chosen is None:
            return None
        period, at = query.get("period", spans.USUAL), self._clock()
        period = period if period in spans.PERIODS else spans.USUAL
        return PageRequest(
            viewer,
            self._store,
            mine,
            chosen,
            path,
            query,
            at,
            period,
            self._measured,
            self._installations,
            self._github_url,
            self._data_dir,
        )

    def _render(self, page: Page, asked: PageRequest, cookie: str) -> Response:
        sheet = page.view(asked)
        if sheet is None:
            return self._missing()
        wanted = asked.query.get("csv")
        if wanted is not None:
            return self._file(page, sheet, wanted)
        address = quoted(_filled(page.address, asked.path))
        links = Addresses(address, dict(asked.query))
        has_scope = "{owner}" not in page.address and not page.has_search
        return self._pages.show(
            sheet.template,
            sheet=_sorted(sheet, asked.query.get("sort", "")),
            viewer=asked.viewer,
            form_token=self._sessions.form_token(cookie),
            menu=menu_for(PAGES, page, asked.repository),
            scope=asked.readable if has_scope else (),
            chosen=asked.repository,
            address=address,
            periods=spans.PERIODS if page.is_timed else {},
            period=asked.period,
            csv_href=links.csv,
            sorting=links.sorting,
            **sheet.more,
        )

    def _file(self, page: Page, sheet: Sheet, wanted: str) -> Response:
        for block in sheet.blocks:
            if isinstance(block, (Table, Figure)) and block.key == wanted:
                headers = {"content-disposition": f'attachment; filename="assay-{page.name}-{block.key}.csv"'}
                return Response(csv_of(block).encode("utf-8", "replace"), media_type="text/csv", headers=headers)
        return self._missing()

    def _carried_out(self, page: Page, asked: PageRequest, cookie: str, sent: Mapping[str, str]) -> Response:
        if not self._sessions.is_form_of(cookie, sent.get("form_token", "")):
            return self._message("Nothing was done", "This form does not belong to your session; reload the page.", 403)
        if page.act is None:
            return self._missing()
        done = page.act(asked, sent)
        if isinstance(done, RejectedForm):
            return self._missing() if done.status == 404 else self._message("Nothing was done", done.why, done.status)
        _log.info("%s sent a form of the page %s", asked.viewer.name, page.name)
        return RedirectResponse(done, 303)

    def _missing(self) -> Response:
        """Respond equally to unknown subjects and to those the viewer may not read."""
        return self._message("Not here", "There is nothing of this name that you can see.", 404)

    def _message(self, title: str, why: str, status: int) -> Response:
        return self._pages.show("message.html", status, title=title, why=why)


def _named(repositories: tuple[RepositoryRow, ...], full_name: str) -> RepositoryRow | None:
    owner, _, name = full_name.partition("/")
    if not (_NAME.fullmatch(owner) and _NAME.fullmatch(name)):
        return None
    return next((one for one in repositories if one.full_name.lower() == full_name.lower()), None)


def _filled(address: str, path: Mapping[str, str]) -> str:
    for name, value in path.items():
        address = address.replace("{" + name + "}", value)
    return address


def _sorted(sheet: Sheet, sort: str) -> Sheet:
    """Sort the table that `sort` (`TABLE.COLUMN`) names."""
    sign = "-" if sort.startswith("-") else ""
    key, _, column = sort.removeprefix("-").partition(".")
    blocks = tuple(
        replace(ordered(block, f"{sign}{column}"), is_folded=False)
        if isinstance(block, Table) and block.key == key
        else block
        for block in sheet.blocks
    )
    return replace(sheet, blocks=blocks)


@dataclass(frozen=True, slots=True)
class Entry:
    """Menu entry."""

    label: str
    href: str
    is_here: bool


def menu_for(pages: Sequence[Page], here: Page, repository: RepositoryRow | None) -> tuple[Entry, ...]:
    """Build the menu for a page; a selected repository stays selected."""
    stays = f"?{urlencode({'repo': repository.full_name})}" if repository is not None else ""
    return tuple(Entry(one.label, f"{one.address}{stays}", one.name == here.name) for one in pages if one.label)
