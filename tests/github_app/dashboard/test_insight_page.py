"""The page of an insight: a maintainer delivers it to agents, withdraws it, and deletes it."""

from __future__ import annotations

import re

from fastapi.testclient import TestClient

from assay.github.events.model import RepositoryFacts
from assay.github_app.store import InsightType, Store
from tests.github_app.dashboard.conftest import HOSTILE, NOW

OTHER = RepositoryFacts(12, "octo/other")


def insight(store: Store, text: str = "the tests need a database", repository_id: int = 11) -> str:
    row, _ = store.insights.put(
        repository_id, InsightType.agent_self_feedback, text, NOW, source="api", seen_at=NOW, task_id="T-1",
        why_not="not confirmed yet",
    )  # fmt: skip
    return row.id


def test_an_answer_is_delivered_withdrawn_and_deleted(guest: TestClient, store: Store):
    insight_id = insight(store)
    address = f"/insights/octo/shop/{insight_id}"
    assert f'href="{address}"' in guest.get("/tasks?period=all").text
    (token,) = set(re.findall(r'name="form_token" value="([^"]+)"', guest.get(address).text))
    for sent, status, is_trusted in (
        ({"decision": "withdraw"}, 400, False),
        ({"decision": "none"}, 400, False),
        ({"decision": "deliver"}, 303, True),
        ({"decision": "withdraw", "why": "it is wrong"}, 303, False),
        ({"decision": "delete"}, 400, False),
    ):
        answer = guest.post(address, data={**sent, "form_token": token}, follow_redirects=False)
        row = store.insights.get(insight_id)
        assert row is not None
        assert (answer.status_code, row.is_trusted) == (status, is_trusted), sent
    assert row is not None
    assert row.why_not == "it is wrong"
    done = guest.post(address, data={"decision": "delete", "sure": "yes", "form_token": token}, follow_redirects=False)
    assert (done.status_code, store.insights.get(insight_id)) == (303, None)
    assert guest.get(address).status_code == 404


def test_a_summary_of_a_failure_waits_next_to_the_answers(guest: TestClient, store: Store):
    row, _ = store.insights.put(
        11, InsightType.failure_summary, "out of time: commit early", NOW, source="evaluation", seen_at=NOW,
        task_id="T-1", why_not="not confirmed yet",
    )  # fmt: skip
    insight(store)
    _, line = guest.get("/tasks?period=all&csv=insights").text.splitlines()
    assert "out of time: commit early" in line
    assert f'href="/insights/octo/shop/{row.id}"' in guest.get("/tasks?period=all").text


def test_words_of_an_agent_are_no_markup(guest: TestClient, store: Store):
    page = guest.get(f"/insights/octo/shop/{insight(store, HOSTILE)}").text
    assert HOSTILE not in page
    assert "&lt;script&gt;" in page


def test_an_insight_of_another_repository_is_not_there(guest: TestClient, store: Store):
    store.repositories.put(OTHER, 1, NOW)
    assert guest.get(f"/insights/octo/shop/{insight(store, repository_id=OTHER.id)}").status_code == 404
    assert guest.get("/insights/octo/shop/%00").status_code == 404
