"""The page of what waits for a person: complete, in order of urgency, only what the viewer may read, and bounded."""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import io
import re
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event

from assay.github_app.runs.current import facts_of
from assay.github_app.store import RunState, SessionRow, Store
from assay.github_app.web.dashboard.access.sessions import COOKIE
from assay.github_app.web.dashboard.pages import needs
from tests.examples import sampled
from tests.github_app.dashboard.conftest import HOSTILE
from tests.github_app.dashboard.needing import asked, failed, fill, lost, pull, repository, validated

NOW = datetime.now(UTC).replace(microsecond=0)
QUIET = NOW - needs.QUIET - timedelta(days=1)


def rows(client: TestClient, table: str = "needs", **query: str) -> list[dict[str, str]]:
    """A table of the page, as its file has it."""
    answer = client.get("/attention", params={"csv": table, **query})
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(answer.text)))


def subjects(client: TestClient, **query: str) -> list[str]:
    return [row["subject"] for row in rows(client, **query)]


def ada(visitor: TestClient, store: Store, *repository_ids: int) -> TestClient:
    """Somebody signed in through GitHub who reads these repositories."""
    number = "a" * 43
    key, until = hashlib.sha256(number.encode()).hexdigest(), datetime.now(UTC) + timedelta(hours=1)
    rights = dict.fromkeys(repository_ids, "read")
    store.sessions.begin(SessionRow(key, "ada", 5, None, rights, datetime.now(UTC), datetime.now(UTC), until))
    visitor.cookies.set(COOKIE, number)
    return visitor


def test_each_kind_stands_in_its_place(guest: TestClient, store: Store):
    """Most urgent first, and of one kind the one that waits longest."""
    shop, vault = repository(store, 21, "acme/shop", NOW), repository(store, 22, "acme/vault", NOW)
    repository(store, 23, "gone/away", NOW, installation=2)
    repository(store, 24, "hush/hush", QUIET, installation=3)
    validated(store, shop, 1, NOW - timedelta(hours=1), "action_required", hold=True)
    validated(store, vault, 1, NOW - timedelta(hours=2), "action_required", hold=True)
    validated(store, shop, 2, NOW, "action_required", hold=False)
    validated(store, shop, 3, NOW, "action_required", hold=False)
    lost_tests = "tests missing: source changed, and the base has tests"
    validated(store, shop, 5, NOW, "action_required", hold=True, reasons=[lost_tests])
    validated(store, shop, 6, NOW, "action_required", hold=True, reasons=[lost_tests, "schema: drops a column"])
    failed(store, vault, 4, NOW)
    lost(store, "d-1", "acme/shop", NOW - timedelta(hours=1))
    store.installations.suspend(2, "gone", NOW)
    store.installations.put(1, "octo", NOW)
    assert [(int(row["urgency"]), row["subject"]) for row in rows(guest)] == [
        (1, "1 repository of gone"),
        (2, "acme/shop#3"),
        (3, "acme/shop#3"),
        (3, "acme/vault#4"),
        (4, "acme/vault#1"),
        (4, "acme/shop#1"),
        (4, "acme/shop#6"),
        (5, "acme/shop#5"),
        (7, "1 repository of octo"),
        (7, "1 repository of hush"),
    ]


def test_the_overview_says_held_only_of_heads_that_are_on_hold(guest: TestClient, store: Store):
    """Four verdicts that asked for approval: on hold, released, merged and closed."""
    shop = repository(store, 21, "acme/shop", NOW)
    for number, ended in ((1, {}), (2, {}), (3, {"state": "closed", "is_merged": True}), (4, {"state": "closed"})):
        validated(store, shop, number, NOW, "action_required", hold=True)
        found = store.pulls.get(21, number)
        assert found is not None
        store.pulls.see(dataclasses.replace(facts_of(found), updated_at=NOW + timedelta(minutes=1), **ended), shop, NOW)
    store.holds.release(21, 2, pull(store, shop, 2, NOW), "olivia", "seen", NOW)
    table = guest.get("/").text.partition('id="runs"')[2].partition("</table>")[0]
    rows = {row.partition("<")[0]: set(re.findall("held|merged|closed", row)) for row in table.split("acme/shop#")[1:]}
    assert rows == {"1": {"held"}, "2": set(), "3": {"merged"}, "4": {"closed"}}


def test_heads_that_wait_for_githubs_limit_are_one_line_for_an_installation(guest: TestClient, store: Store):
    """Those put off alone: not what is due, what a user asked for, what is tried again, or is at work."""
    until = NOW + timedelta(minutes=40)
    shop, vault = repository(store, 21, "acme/shop", NOW), repository(store, 22, "acme/vault", NOW)
    other = repository(store, 23, "other/shop", NOW, installation=10)
    asked(store, shop, 1, NOW - timedelta(minutes=5))
    asked(store, shop, 2, NOW)
    asked(store, vault, 3, NOW)
    asked(store, vault, 4, NOW, is_urgent=True)
    asked(store, other, 5, NOW)
    assert subjects(guest) == []
    assert len(store.requests.postpone(9, NOW, until)) == 3
    asked(store, vault, 6, NOW, attempt=2, due_at=until)
    (found,) = store.attention.put_off((21, 22, 23), NOW)
    assert (found.installation_id, found.num_heads, found.repository_ids) == (9, 3, (21, 22))
    assert (found.since, found.until) == (NOW - timedelta(minutes=5), until)
    assert [(int(row["urgency"]), row["subject"]) for row in rows(guest)] == [(6, "2 repositories of acme")]
    assert f"{until:%H:%M} UTC" in guest.get("/attention").text
    (only,) = store.attention.put_off((22,), NOW)
    assert (only.num_heads, only.repository_ids) == (1, (22,))
    assert store.attention.put_off((21, 22, 23), until) == ()
    store.requests.admit(9, until, lambda _: 1.0)
    assert subjects(guest) == []


@pytest.mark.parametrize(
    ("ending", "left"),
    sampled(
        [
            ("released", {"acme/shop#2", "acme/shop#3"}),
            ("pushed", {"acme/shop#2", "acme/shop#3"}),
            ("closed", {"acme/shop#2", "acme/shop#3"}),
            ("again", {"acme/shop#1", "acme/shop#2"}),
            ("corrected", {"acme/shop#1", "acme/shop#3"}),
            ("taken", set()),
        ],
        2,
    ),
)
def test_what_was_done_is_gone(guest: TestClient, store: Store, ending: str, left: set[str]):
    shop = repository(store, 21, "acme/shop", NOW)
    validated(store, shop, 1, NOW, "action_required", hold=True)
    validated(store, shop, 2, NOW, "action_required", hold=False)
    failed(store, shop, 3, NOW)
    heads = {number: pull(store, shop, number, NOW) for number in (1, 2, 3)}
    later = NOW + timedelta(minutes=1)
    match ending:
        case "released":
            store.holds.release(21, 1, heads[1], "bob", "read it", later)
        case "pushed":
            with store._database.write() as connection:
                connection.exec_driver_sql("UPDATE pulls SET head_sha = 'f' WHERE number = 1")
        case "closed":
            pull(store, shop, 1, later, state="closed")
        case "again":
            store.runs.begin(21, 3, heads[3], "comment", later, is_again=True)
        case "corrected":
            run, _ = store.runs.begin(21, 2, heads[2], "configuration", later, is_again=True)
            store.runs.advance(run.id, RunState.running, later)
        case "taken":
            store.repositories.remove(shop, 1, later)
    assert set(subjects(guest)) == left


def test_a_viewer_sees_what_they_may_read_and_no_more(visitor: TestClient, store: Store):
    shop, vault = repository(store, 21, "acme/shop", NOW), repository(store, 22, "acme/vault", QUIET, installation=2)
    for number, of in enumerate((shop, vault), 1):
        validated(store, of, 1, NOW, "action_required", hold=True)
        validated(store, of, 2, NOW, "action_required", hold=False)
        failed(store, of, 3, NOW)
        lost(store, f"d-{number}", of.full_name, NOW)
    lost(store, "d-app", None, NOW)
    client = ada(visitor, store, shop.id)
    text = client.get("/attention").text
    assert ("vault" in text, "the App#" in text, "of acme" in text) == (False, False, False)
    assert subjects(client) == ["acme/shop#2", "acme/shop#3", "acme/shop#3", "acme/shop#1"]
    assert [row["repository"] for row in rows(client, "repositories")] == ["acme/shop"]
    assert client.get("/attention", params={"repo": "acme/vault"}).status_code == 404
    assert re.findall(r"<dd>(?:<a[^>]*>)?([^<]+)", text)[:4] == ["0", "1", "2", "1"]


def test_one_repository_is_looked_at_alone(guest: TestClient, store: Store):
    shop, vault = repository(store, 21, "acme/shop", NOW), repository(store, 22, "acme/vault", NOW)
    for of in (shop, vault):
        validated(store, of, 1, NOW, "action_required", hold=True)
    lost(store, "d-app", None, NOW)
    assert subjects(guest, repo="acme/vault") == ["acme/vault#1"]
    assert subjects(guest) == ["the App", "acme/shop#1", "acme/vault#1"]


def test_each_need_links_to_the_place_of_its_action(guest: TestClient, store: Store):
    shop = repository(store, 21, "acme/shop", NOW)
    validated(store, shop, 1, NOW, "action_required", hold=True)
    validated(store, shop, 2, NOW, "action_required", hold=False)
    lost(store, "d-1", "acme/shop", NOW)
    text = guest.get("/attention").text
    for address in (
        "https://github.com/acme/shop/pull/1",
        "https://github.com/acme/shop/blob/main/.github/assay.yml",
        "https://github.com/acme/shop/pull/3",
        "/repos/acme/shop/pulls/1",
        "/attention?repo=acme%2Fshop",
    ):
        assert f'href="{address}"' in text, address
    assert "assay jobs retry d-1" in text


def test_untrusted_text_stays_text(guest: TestClient, store: Store):
    shop = repository(store, 21, "acme/shop", NOW)
    head = pull(store, shop, 1, NOW, title=HOSTILE)
    store.holds.place(21, 1, head, "high", [HOSTILE], NOW)
    failed(store, shop, 2, NOW, error=HOSTILE)
    lost(store, "d-1", "acme/shop", NOW, error=HOSTILE)
    for query in ({}, {"find": HOSTILE}, {"find": "acme", "repositories_page": HOSTILE, "sort": HOSTILE}):
        answer = guest.get("/attention", params=query)
        assert answer.status_code == 200
        assert "<script" not in answer.text
    assert guest.get("/attention").text.count("&lt;script&gt;") == 3


@pytest.mark.parametrize(
    ("query", "first", "number"),
    sampled(
        [
            ({}, "acme/0000", 50),
            ({"repositories_page": "3"}, "acme/0100", 20),
            ({"repositories_page": "99"}, "acme/0100", 20),
            ({"repositories_page": "0"}, "acme/0000", 50),
            ({"repositories_page": "x"}, "acme/0000", 50),
            ({"sort": "-repositories.repository"}, "acme/0119", 50),
            ({"sort": "-repositories.repository", "repositories_page": "3"}, "acme/0019", 20),
            ({"find": "ACME/001"}, "acme/0010", 10),
        ],
        3,
    ),
)
def test_repositories_are_found_and_paged(
    guest: TestClient, store: Store, query: dict[str, str], first: str, number: int
):
    for place in range(120):
        repository(store, 1000 + place, f"acme/{place:04}", NOW)
    text = guest.get("/attention", params={"find": "acme", **query}).text.partition('id="title-repositories"')[2]
    shown = re.findall(r">(\w+/\w+)</a>", text)
    assert (shown[0], len(shown)) == (first, number)


@pytest.mark.parametrize("num", [8, pytest.param(500, marks=pytest.mark.soak)])
def test_many_repositories_take_as_many_queries_as_one(guest: TestClient, store: Store, num: int):
    def num_queries() -> int:
        asked: list[str] = []

        def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
            asked.append(statement)

        engine = store._database.engine
        event.listen(engine, "before_cursor_execute", note)
        try:
            assert guest.get("/attention").status_code == 200
        finally:
            event.remove(engine, "before_cursor_execute", note)
        return sum(one.lstrip().upper().startswith("SELECT") for one in asked)

    fill(store, NOW, 1)
    few = num_queries()
    fill(store, NOW, num)
    began = time.perf_counter()
    assert num_queries() == few <= 10
    print(f"\n{num} repositories: {few} queries, {time.perf_counter() - began:.2f} s")
    assert len(rows(guest)) == 4 * num
