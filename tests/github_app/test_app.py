"""The web application on a real port: deliveries, health, headers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy

from assay.github.errors import StoreUnavailable
from assay.github.events.parse import ACTIONS
from assay.github_app.store import DeliveryState
from assay.github_app.store.tables.run_tables import ENDED
from assay.github_app.web.dashboard import LoginLinks
from assay.github_app.web.http.webhook import sign
from tests.github_app.payload_examples import example, examples
from tests.github_app.web import SECRET, Web, chunked, web_in


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    with web_in(tmp_path / "data") as running:
        yield running


def test_all_examples_are_taken_or_ignored_and_stored_before_they_are_acknowledged(web: Web):
    num_stored = 0
    for event, payload in examples():
        answer = web.deliver(event, payload, delivery_id=f"example-{num_stored}-{event.replace('_', '-')}")
        is_ours = event in ACTIONS and payload.get("action", "") in ACTIONS[event] and event != "ping"
        num_stored += is_ours
        assert answer.status_code == (200 if event == "ping" else 202), (event, answer.text)
        if event != "ping":
            assert answer.json()["state"] == ("new" if is_ours else "ignored"), (event, payload.get("action"))
    assert num_stored == 90 - 4
    assert web.store.deliveries.counts()[DeliveryState.received] == num_stored


def test_a_delivery_is_filed_under_what_it_is_about(web: Web):
    web.deliver("pull_request", example("pull_request", "opened"), delivery_id="one")
    row = web.store.deliveries.get("one")
    assert row is not None
    assert (row.event, row.action, row.repository, row.number) == (
        "pull_request",
        "opened",
        "Codertocat/Hello-World",
        2,
    )
    assert json.loads(row.body) == example("pull_request", "opened")


def test_a_repeated_delivery_is_known(web: Web):
    payload = example("pull_request", "opened")
    states = [web.deliver("pull_request", payload, delivery_id="same").json()["state"] for _ in range(3)]
    assert states == ["new", "known", "known"]


def test_a_forged_delivery_leaves_nothing_behind(web: Web):
    answer = web.deliver("pull_request", example("pull_request", "opened"), secret="guessed")
    assert answer.status_code == 401
    assert sum(web.store.deliveries.counts(DeliveryState).values()) == 0


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b"\xff", b"[" * 5000])
def test_signed_nonsense_is_a_bad_request(web: Web, body: bytes):
    assert web.deliver("pull_request", body).status_code == 400


def test_a_body_above_the_limit_is_refused_without_being_read(web: Web):
    head = b"POST /webhooks/github HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999\r\n\r\n"
    assert b" 413 " in web.raw(head).split(b"\r\n")[0]


def test_a_body_in_chunks_is_bounded_too(web: Web):
    body = json.dumps(example("ping")).encode()
    head = (
        "POST /webhooks/github HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n"
        "content-type: application/json\r\nx-github-event: ping\r\nx-github-delivery: d-1\r\n"
        f"x-hub-signature-256: {sign(SECRET, body)}\r\n\r\n"
    ).encode()
    parts = [body[start : start + 100] for start in range(0, len(body), 100)]
    assert b" 200 " in web.raw(head, chunked(parts)).split(b"\r\n")[0]
    endless = b"".join(b"%x\r\n%s\r\n" % (65536, b"x" * 65536) for _ in range(33))
    assert web.raw(head, endless).split(b"\r\n")[0] in (b"", b"HTTP/1.1 413 Request Entity Too Large")
    assert sum(web.store.deliveries.counts(DeliveryState).values()) == 0


def test_a_connection_that_breaks_in_the_body_leaves_nothing_behind(web: Web):
    head = b"POST /webhooks/github HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"
    web.raw(head, close=True)
    assert sum(web.store.deliveries.counts(DeliveryState).values()) == 0
    assert web.client.get("/healthz").status_code == 200


def test_what_cannot_be_stored_is_not_acknowledged(web: Web, monkeypatch: pytest.MonkeyPatch):
    def full(*_: object) -> None:
        raise StoreUnavailable("database or disk is full")

    monkeypatch.setattr(web.store.deliveries, "receive", full)
    answer = web.deliver("pull_request", example("pull_request", "opened"))
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "30")


def test_readiness_tells_whether_the_database_answers(web: Web, monkeypatch: pytest.MonkeyPatch):
    assert web.client.get("/readyz").status_code == 200
    monkeypatch.setattr(web.store, "healthy", lambda: False)
    assert web.client.get("/readyz").status_code == 503
    assert web.client.get("/healthz").status_code == 200


def test_figures_count_deliveries_and_queues(web: Web):
    web.deliver("pull_request", example("pull_request", "opened"))
    shown = web.client.get("/metrics").text
    assert 'assay_queue_depth{queue="deliveries",state="received"} 1.0' in shown
    assert 'assay_deliveries_total{event="pull_request",result="new"}' in shown
    assert "assay_delivery_ack_seconds_count" in shown
    assert re.search(r"^assay_delivery_oldest_seconds [0-9.]+$", shown, re.MULTILINE)


def test_figures_of_queues_count_what_is_unfinished_and_dead_alone(web: Web):
    """The rest are millions of rows; counters tell how many ended."""
    shown = web.client.get("/metrics").text
    states = {
        queue: set(re.findall(rf'^assay_queue_depth{{queue="{queue}",state="(\w+)"}}', shown, re.MULTILINE))
        for queue in ("deliveries", "runs")
    }
    assert states == {
        "deliveries": {"received", "started", "failed", "parked"},
        "runs": {"queued", "running", "waiting"},
    }
    outcomes = set(re.findall(r'^assay_runs_total{outcome="(\w+)"}', shown, re.MULTILINE))
    assert outcomes >= {str(state) for state in ENDED}


def test_a_scrape_reads_no_whole_table(web: Web):
    """Millions of rows are read by an index, on SQLite, which says so whatever the size."""
    plans: list[str] = []

    def explain(connection: Any, _cursor: Any, statement: str, parameters: Any, *_more: Any) -> None:
        if statement.startswith("SELECT"):
            plan = connection.connection.cursor().execute(f"EXPLAIN QUERY PLAN {statement}", parameters).fetchall()
            plans.extend(row[-1] for row in plan)

    sqlalchemy.event.listen(web.store._database.engine, "before_cursor_execute", explain)
    assert web.client.get("/metrics").status_code == 200
    web.store.runs.unended()
    of_tables = [one for one in plans if re.match(r"(SEARCH|SCAN) (deliveries|runs)\b", one)]
    assert len(of_tables) == 4
    assert [one for one in of_tables if "INDEX" not in one or not one.endswith("(state=?)")] == []


def test_figures_count_workers_that_live(web: Web):
    at = datetime.now(UTC)
    web.store.leases.renew("living", "host", 1, at)
    web.store.leases.renew("silent", "host", 2, at - timedelta(minutes=5))
    assert "\nassay_workers 1.0\n" in web.client.get("/metrics").text


@pytest.mark.parametrize("header", ["Forwarded", "X-Forwarded-For", "X-Real-IP", "Via"])
def test_figures_are_not_shown_through_a_proxy(web: Web, header: str):
    answer = web.client.get("/metrics", headers={header: "for=192.0.2.1"})
    assert answer.status_code == 403
    assert "assay_" not in answer.text


def test_figures_with_a_token_are_for_those_who_have_it(tmp_path: Path):
    with web_in(tmp_path / "data", metrics_token="a long token") as running:
        codes = [
            running.client.get("/metrics", headers=headers).status_code
            for headers in (
                {},
                {"Authorization": "Bearer another"},
                {"Authorization": "Basic a long token"},
                {"Authorization": "Bearer a long token"},
                {"Authorization": "Bearer a long token", "X-Forwarded-For": "192.0.2.1"},
            )
        ]
    assert codes == [401, 401, 401, 200, 200]


@pytest.mark.parametrize("path", ["/healthz", "/metrics", "/nothing-here", "/docs", "/openapi.json"])
def test_every_answer_tells_browsers_to_trust_nothing(web: Web, path: str):
    answer = web.client.get(path)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"
    assert "server" not in answer.headers
    assert (answer.status_code == 404) == (path in ("/nothing-here", "/docs", "/openapi.json"))


def test_only_posts_are_taken(web: Web):
    assert web.client.get("/webhooks/github").status_code == 405


def test_a_link_to_the_pages_works_once_also_after_a_restart(tmp_path: Path):
    token = LoginLinks(SECRET).link("").partition("token=")[2]
    for expected in (303, 401):
        with web_in(tmp_path / "data") as web:
            assert web.client.get(f"/enter?token={token}").status_code == expected
