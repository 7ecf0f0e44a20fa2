"""The pages: closed to strangers, and true to what the store holds."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from assay.github_app.dashboard import Entrance, add_pages
from assay.github_app.events import Person, PullFacts, RepositoryFacts
from assay.github_app.settings import read_settings
from assay.github_app.store import Store
from assay.validators import FORMATS, Options, Tier, ValidationConfig, change_between, validate
from assay.validators import Repository as GitRepository
from tests.repositories import RealRepository

NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
SHOP = RepositoryFacts(11, "octo/shop")
HOSTILE = "<script>alert(1)</script>{{ 7 * 7 }}"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path / 'assay.sqlite'}") as store:
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
    app = FastAPI()
    add_pages(app, read_settings(data_dir=tmp_path), store, Entrance("secret"))
    return TestClient(app)


@pytest.fixture
def guest(visitor: TestClient) -> TestClient:
    """Somebody who came by a link."""
    visitor.get(Entrance("secret").link(""))
    return visitor


@pytest.mark.parametrize("path", ["/", "/jobs", "/repos/octo/shop/pulls/7"])
def test_a_stranger_sees_nothing(path: str, visitor: TestClient):
    answer = visitor.get(path)
    assert answer.status_code == 401
    assert "octo" not in answer.text


def test_a_link_leads_in_and_its_cookie_is_out_of_reach_of_scripts(visitor: TestClient):
    entered = visitor.get(Entrance("secret").link(""), follow_redirects=False)
    assert entered.status_code == 303
    assert {"httponly", "samesite=lax"} <= {part.strip().lower() for part in entered.headers["set-cookie"].split(";")}
    assert visitor.get("/").status_code == 200


def test_a_forged_link_leads_nowhere(visitor: TestClient):
    assert visitor.get("/enter", params={"token": "1.x.y"}).status_code == 401
    assert visitor.get("/").status_code == 401


@pytest.mark.parametrize(
    "path", ["/repos/octo/shop/pulls/8", "/repos/octo/none/pulls/7", "/repos/octo/..%2F/pulls/7", "/repos/a/b/pulls/0"]
)
def test_what_is_not_there_is_said_so(path: str, guest: TestClient):
    assert guest.get(path).status_code == 404


def test_what_strangers_wrote_stays_text(guest: TestClient, store: Store):
    store.runs.begin(11, 7, "a" * 40, "pull_request.opened", NOW)
    for path in ("/", "/repos/octo/shop/pulls/7"):
        text = guest.get(path).text
        assert "<script>" not in text
        assert "&lt;script&gt;alert(1)&lt;/script&gt;{{ 7 * 7 }}" in text


def test_no_page_lets_a_script_run(guest: TestClient):
    policy = guest.get("/").headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'self'")


def test_the_jobs_show_what_was_given_up(guest: TestClient, store: Store):
    store.deliveries.receive("d-1", "pull_request", "opened", "octo/shop", 7, 1, b"{}", NOW)
    store.deliveries.park("d-1", HOSTILE, NOW)
    text = guest.get("/jobs").text
    assert "pull_request.opened" in text
    assert "1 parked" in text
    assert "<script>" not in text


def test_a_report_is_shown_as_it_was_stored(guest: TestClient, store: Store, repository: RealRepository):
    base = repository.commit("Start", {"shop.py": "def price(n):\n    return n\n", "test_shop.py": "import shop\n"})
    head = repository.commit("Break", {"shop.py": "".join(f"x{n} = {n}\n" for n in range(90))})
    with GitRepository(repository.path) as opened:
        report = validate(
            change_between(opened, base, head), ValidationConfig(), Options(tiers=(Tier.quality, Tier.risk))
        )
    assert report.risk is not None
    run, _ = store.runs.begin(11, 7, "a" * 40, "pull_request.opened", NOW)
    store.runs.save_report(
        run.id,
        FORMATS["json"].render(report).encode(),
        conclusion=report.conclusion,
        title=report.title,
        risk_level=report.risk.level,
        is_hold=report.hold,
        findings=(),
        factors=(),
        config_hash=None,
        durations_s={},
        at=NOW,
    )
    text = guest.get("/repos/octo/shop/pulls/7").text
    assert report.risk.factors
    for factor in report.risk.factors:
        assert f"<code>{factor.signal}</code>" in text
    assert "Tier 3 — Risk Assessment" in text
    assert report.title in text
