"""A store, the pages over it, and somebody who came by the operator's link."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from assay.github.events.model import Person, PullFacts, RepositoryFacts
from assay.github_app.ops.settings import read_settings
from assay.github_app.store import Store
from assay.github_app.web.dashboard import LoginLinks, add_pages
from tests.github_app.remembering import store_at

NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
SHOP = RepositoryFacts(11, "octo/shop")
HOSTILE = "<script>alert(1)</script>{{ 7 * 7 }}"
SECRET = "a secret of the tests"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store that knows one pull request, whose title is hostile."""
    with store_at(f"sqlite:///{tmp_path / 'assay.sqlite'}") as store:
        store.repositories.put(SHOP, 1, NOW)
        pull = PullFacts(
            id=5, number=7, title=HOSTILE, body="", author=Person("ada"), head_sha="a" * 40, head_ref="topic",
            base_sha="b" * 40, base_ref="main", head_repository=SHOP, base_repository_id=11, created_at=NOW,
            updated_at=NOW,
        )  # fmt: skip
        store.pulls.see(pull, SHOP, NOW)
        yield store


@pytest.fixture
def visitor(store: Store, tmp_path: Path) -> TestClient:
    """Somebody who was not let in."""
    app = FastAPI()
    add_pages(app, read_settings(data_dir=tmp_path, webhook_secret=SECRET), store, LoginLinks(SECRET))
    return TestClient(app)


@pytest.fixture
def guest(visitor: TestClient) -> TestClient:
    """Somebody who came by a link."""
    visitor.get(LoginLinks(SECRET).link(""))
    return visitor
