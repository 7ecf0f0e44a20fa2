"""Pictures of the App's pages, taken by Chromium: the pages as they are served, over a made-up team's half year."""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import ViewportSize

from tests.fakes.browser import chromium
from tests.fakes.contract import judge
from tests.fakes.github import FakeGitHub
from tests.fakes.github_server import GitHubServer
from tests.functional.pages_bed import pages_in

WINDOW = ViewportSize(width=1200, height=760)
PAGES = {
    "page-overview.png": "/",
    "page-needs-you.png": "/attention",
    "page-pull-request.png": "/repos/acme/shop/pulls/45",
    "page-risk.png": "/risk?period=180",
    "page-rules.png": "/rules",
}
"""Name of the file, and address of the page."""


def take(folder: Path) -> None:
    """Write a picture of the top of each page into `folder`."""
    server = GitHubServer(judge)
    try:
        with tempfile.TemporaryDirectory(prefix="assay-pages-") as scratch, chromium() as browser:
            github = FakeGitHub(server, Path(scratch) / "github")
            key = {"app_id": github.app_id, "private_key": github.private_key}
            with (
                pages_in(Path(scratch) / "data", github, browser, **key) as bed,
                bed.window(size=WINDOW) as page,
            ):
                bed.enter(page)
                for name, address in PAGES.items():
                    page.goto(address)
                    page.screenshot(path=folder / name)
            github.close()
    finally:
        server.close()
