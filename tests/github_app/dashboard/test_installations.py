"""What GitHub says of the installations, on the page of what waits for a person."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from assay.github.events.model import RepositoryFacts
from assay.github_app.store import Store
from assay.github_app.web.dashboard import LoginLinks, add_pages
from assay.github_app.web.dashboard.installations import KEEP_S, RETRY_S, Installations
from tests.fakes.github import FakeGitHub
from tests.github_app.dashboard.conftest import NOW, SECRET
from tests.github_app.stand_ins import settings_in


class Clock:
    """Seconds that are set by hand."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def asked(github: FakeGitHub, tmp_path: Path) -> tuple[Installations, Clock]:
    settings = settings_in(
        tmp_path, app_id=github.app_id, private_key=github.private_key, github_api_url=github.url, github_url=github.url
    )
    clock = Clock()
    return Installations(settings, clock), clock


def after(asked: tuple[Installations, Clock], seconds: float) -> dict[int, tuple[bool, tuple[str, ...]]] | None:
    """What is known so much later, once GitHub has answered."""
    installations, clock = asked
    clock.at += seconds
    installations.known()
    if installations._asking is not None:
        installations._asking.join()
    known = installations.known()
    return None if known is None else {one.id: (one.is_suspended, one.lacking) for one in known.values()}


def test_a_permission_that_is_missing_is_known_after_a_while(asked: tuple[Installations, Clock], github: FakeGitHub):
    whole = {github.installation_id: (False, ())}
    assert after(asked, 0) == whole
    github.grant(checks="read")
    assert after(asked, KEEP_S - 1) == whole
    assert after(asked, 1) == {github.installation_id: (False, ("checks: write",))}


def test_a_suspension_is_known(asked: tuple[Installations, Clock], github: FakeGitHub):
    github.create_repository("shop")
    github.suspend()
    assert after(asked, 0) == {github.installation_id: (True, ())}


def test_while_github_is_away_the_last_answer_stands(asked: tuple[Installations, Clock], github: FakeGitHub):
    whole = after(asked, 0)
    right = asked[0]._settings
    asked[0]._settings = right.model_copy(update={"app_id": None})
    assert after(asked, KEEP_S) == whole
    github.grant(checks="read")
    asked[0]._settings = right
    assert after(asked, RETRY_S - 1) == whole
    assert after(asked, 1) == {github.installation_id: (False, ("checks: write",))}


def test_the_page_says_which_permission_to_accept(github: FakeGitHub, store: Store, tmp_path: Path):
    github.grant(checks="read", statuses=None)
    store.installations.put(github.installation_id, "acme", NOW)
    store.repositories.put(RepositoryFacts(21, "acme/shop"), github.installation_id, NOW)
    app = FastAPI()
    settings = settings_in(
        tmp_path, app_id=github.app_id, private_key=github.private_key, github_api_url=github.url, webhook_secret=SECRET
    )
    add_pages(app, settings, store, LoginLinks(SECRET))
    client = TestClient(app)
    client.get(LoginLinks(SECRET).link(""))
    found = list(csv.DictReader(io.StringIO(client.get("/attention?csv=needs").text)))
    assert (found[0]["urgency"], found[0]["subject"]) == ("1", "1 repository of acme")
    text = client.get("/attention").text
    assert "lacks checks: write, statuses: read" in text
    assert "has not listed" not in text


def test_without_an_app_the_page_says_that_permissions_are_not_known(guest: TestClient):
    assert "missing permissions are not known" in guest.get("/attention").text
