"""The pages: closed to strangers, and true to what the store holds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from assay.github.events.model import Person, PullFacts
from assay.github_app.dashboard import LoginLinks
from assay.github_app.dashboard.pages.register import PAGES
from assay.github_app.store import (
    DeclaredBy,
    EvaluationRow,
    InsightType,
    MatchRow,
    MemoryRunRow,
    OutcomeKind,
    Store,
)
from assay.validators import FORMATS, Options, Tier, ValidationConfig, change_between, validate
from assay.validators import Repository as GitRepository
from tests.github_app.dashboard.conftest import HOSTILE, NOW, SECRET, SHOP
from tests.repositories import RealRepository

LISTED = [page.address for page in PAGES if page.label]


def test_a_stranger_sees_nothing(visitor: TestClient, subtests: pytest.Subtests):
    for path in (*LISTED, "/repos/octo/shop/pulls/7", "/repos/octo/none/pulls/7"):
        with subtests.test(path):
            answer = visitor.get(path)
            assert answer.status_code == 401
            assert "octo" not in answer.text


def test_a_link_leads_in_and_its_cookie_is_out_of_reach_of_scripts(visitor: TestClient):
    entered = visitor.get(LoginLinks(SECRET).link(""), follow_redirects=False)
    assert entered.status_code == 303
    assert {"httponly", "samesite=lax"} <= {part.strip().lower() for part in entered.headers["set-cookie"].split(";")}
    assert visitor.get("/").status_code == 200


def test_a_forged_link_leads_nowhere(visitor: TestClient):
    assert visitor.get("/enter", params={"token": "1.x.y"}).status_code == 401
    assert visitor.get("/").status_code == 401


NOT_THERE = [
    "/repos/octo/shop/pulls/8",
    "/repos/octo/none/pulls/7",
    "/repos/octo/..%2F/pulls/7",
    "/repos/octo/shop/pulls/0",
    "/repos/octo/shop/pulls/99999999999999999999",
    "/repos/octo/shop/pulls/00000000000199999999999999999999",
    "/repos/octo/shop/pulls/seven",
    "/risk?repo=octo/none",
    "/risk?csv=nothing",
    "/rules/octo/shop/0123456789ab",
    "/rules/octo/shop/zzz",
    "/prompts/octo/shop/unknown",
]


@pytest.mark.soak
def test_what_is_not_there_is_said_so(guest: TestClient, subtests: pytest.Subtests):
    for path in NOT_THERE:
        with subtests.test(path):
            assert guest.get(path).status_code == 404


def test_what_strangers_wrote_stays_text(guest: TestClient, store: Store):
    store.runs.begin(11, 7, "a" * 40, "pull_request.opened", NOW)
    for path in ("/", "/repos/octo/shop/pulls/7"):
        text = guest.get(path).text
        assert "<script>" not in text
        assert "&lt;script&gt;alert(1)&lt;/script&gt;{{ 7 * 7 }}" in text


@pytest.mark.soak
def test_no_page_takes_a_stranger_s_words_for_markup(guest: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch):
    """Agents, rules, versions, tasks, answers and experiments are named by whoever likes; charts show some of them."""
    monkeypatch.setattr("assay.github_app.dashboard.measuring.KEEP_S", -1.0)
    at = datetime.now(UTC) - timedelta(days=3)
    pull = PullFacts(
        id=6, number=8, title=HOSTILE, body="", author=Person(HOSTILE), head_sha="c" * 40, head_ref="x",
        base_sha="b" * 40, base_ref="main", head_repository=SHOP, base_repository_id=11, created_at=at, updated_at=at,
        state="closed", is_merged=True, merged_at=at, closed_at=at,
    )  # fmt: skip
    store.pulls.see(pull, SHOP, at)
    store.pulls.set_agent(11, 8, HOSTILE, 0.9, [], at)
    store.pulls.declare(11, 8, DeclaredBy.trailer, at, task_id=HOSTILE, model=HOSTILE, prompt_version=HOSTILE)
    store.runs.begin(11, 8, "c" * 40, "pull_request.opened", at)
    store.outcomes.put(11, 8, OutcomeKind.merged, "c" * 40, at)
    store.prompt_versions.put(11, HOSTILE, "files", {HOSTILE: HOSTILE}, at)
    store.rules.put_pending(11, "0123456789ab", HOSTILE, {}, at, key="k", polarity="do", paths=[HOSTILE])
    store.rules.match(MatchRow(11, "line:1", "0123456789ab", 8, "line", 1, at, 1, 0.9, HOSTILE, HOSTILE, HOSTILE))
    failure = {"category": HOSTILE, "evidence": [{"text": HOSTILE}], "suggestion": {"text": HOSTILE}}
    store.evaluations.put(EvaluationRow(11, HOSTILE, 8, False, HOSTILE, True, (failure,), HOSTILE, at))
    store.insights.put(
        11, InsightType.agent_self_feedback, HOSTILE, at, source="api", seen_at=at, task_id=HOSTILE, agent=HOSTILE
    )
    run = MemoryRunRow(11, "k", at, HOSTILE, HOSTILE, None, 1, 1, 0.5, {HOSTILE: 0.5}, {HOSTILE: 0.4}, None, HOSTILE)
    store.memory_runs.put(run)
    version = f"/prompts/octo/shop/{quote(HOSTILE)}"
    for path in (*LISTED, "/rules/octo/shop/0123456789ab", version, "/repos/octo/shop/pulls/8", "/figures?by=author"):
        answer = guest.get(path)
        assert answer.status_code == 200, path
        assert "<script" not in answer.text, path
    shown = [path for path in LISTED if "&lt;script&gt;" in guest.get(path).text]
    assert {"/", "/agents", "/prompts", "/rules", "/repeats", "/failures", "/feedback", "/memory"} <= set(shown)


def test_no_page_lets_a_script_run(guest: TestClient):
    for path in LISTED:
        answer = guest.get(path)
        assert answer.headers["content-security-policy"].startswith("default-src 'none'; style-src 'self';")
        assert "<script" not in answer.text
        assert "style=" not in answer.text


@pytest.mark.soak
def test_the_jobs_show_what_was_given_up(guest: TestClient, store: Store):
    store.deliveries.receive("d-1", "pull_request", "opened", "octo/shop", 7, 1, b"{}", NOW)
    store.deliveries.park("d-1", HOSTILE, NOW)
    text = guest.get("/jobs").text
    assert "pull_request.opened" in text
    assert "Failed jobs" in text
    assert "<script>" not in text


@pytest.mark.soak
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


def test_a_page_with_nothing_on_it_says_what_to_do(guest: TestClient, subtests: pytest.Subtests):
    for path in LISTED:
        with subtests.test(path):
            answer = guest.get(path)
            assert answer.status_code == 200
            assert 'class="empty"' in answer.text


@pytest.mark.soak
def test_whatever_an_address_asks_a_page_is_shown(guest: TestClient, store: Store, subtests: pytest.Subtests):
    store.runs.begin(11, 7, "a" * 40, "pull_request.opened", NOW)
    for query in ("sort=runs.risk", "sort=-runs.at", "sort=none.none", "sort=-", "period=never", "by=x"):
        with subtests.test(query):
            for path in LISTED:
                assert guest.get(f"{path}?{query}").status_code == 200
