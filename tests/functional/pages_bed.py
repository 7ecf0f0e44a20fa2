"""The pages as they are served, over half a year of a made-up team, and people with a browser who look at them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, ViewportSize

from assay.github.events.model import RepositoryFacts
from assay.github_app.store import Store
from assay.github_app.web.dashboard import LoginLinks
from tests.fakes.browser import AXE
from tests.fakes.github import FakeGitHub
from tests.github_app.dashboard.world import fill
from tests.github_app.web import SECRET, Web, web_in

DESKTOP, PHONE = ViewportSize(width=1280, height=800), ViewportSize(width=390, height=844)
SHOTS = os.environ.get("PAGES_SHOTS")
"""A folder to put pictures of the pages into, for whoever wants to review them."""
# Found by axe in what one cannot help: none so far.
_AXE = "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"


@dataclass
class Bed:
    """The pages on a port, the GitHub behind them, and the browser before them."""

    github: FakeGitHub
    web: Web
    browser: Browser
    shop: str
    vault: str

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.web.port}"

    @property
    def store(self) -> Store:
        return self.web.store

    @contextmanager
    def window(self, *, dark: bool = False, size: ViewportSize | None = None) -> Iterator[Page]:
        """A browser window of somebody new; nothing on its pages may be refused by their own policy."""
        context = self.browser.new_context(
            base_url=self.url, color_scheme="dark" if dark else "light", viewport=size or DESKTOP
        )
        page, said = context.new_page(), []
        page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
        try:
            yield page
            refused = [text for text in said if "Content Security Policy" in text]
            assert refused == [], refused
        finally:
            context.close()

    def sign_in(self, page: Page, login: str) -> None:
        """Through GitHub, as a person does it."""
        page.goto("/")
        page.get_by_role("link", name="Sign in with GitHub").click()
        page.locator("form", has=page.locator(f"input[name=login][value='{login}']")).locator("button").click()
        page.wait_for_url(f"{self.url}/**")

    def enter(self, page: Page) -> None:
        """By the operator's link."""
        page.goto(LoginLinks(SECRET).link(self.url))


@contextmanager
def pages_in(folder: Path, github: FakeGitHub, browser: Browser, **more: Any) -> Iterator[Bed]:
    """Serve the pages under the settings `more`.

    Ada maintains the shop and knows nothing of the vault, Rita reads both, Sam sees neither.
    """
    shop, vault = github.create_repository("shop"), github.create_repository("vault")
    github.person("ada", role="maintain", repo=shop)
    github.person("rita", role="read", repo=shop)
    github.person("rita", role="read", repo=vault)
    github.person("sam", role="none", repo=shop)
    settings: dict[str, Any] = {
        "client_id": github.client_id,
        "client_secret": github.client_secret,
        "github_url": github.url,
        "github_api_url": github.url,
        **more,
    }
    with web_in(folder, **settings) as web:
        ids = {name: RepositoryFacts(github.repository_id(name), name) for name in (shop, vault)}
        fill(web.store, datetime.now(UTC), shop=ids[shop], vault=ids[vault])
        yield Bed(github, web, browser, shop, vault)


def troubles(page: Page) -> list[str]:
    """What axe-core finds wrong with the page as it stands, one line each."""
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate(_AXE)
    return [f"{one['id']}: {node['target']} {node['failureSummary'][:200]}" for one in found for node in one["nodes"]]


def shot(page: Page, name: str) -> None:
    """A picture of the whole page, where pictures are wanted."""
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=f"{SHOTS}/{name}.png", full_page=True)
