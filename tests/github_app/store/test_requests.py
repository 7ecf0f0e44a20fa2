"""Requests for validation: each is admitted once, repositories take turns, and a pull request has one job at a time."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.github.events.model import RepositoryFacts
from assay.github_app.store import RequestRow, Store
from assay.github_app.store.runs.requests import Candidate, choose
from tests.github_app.remembering import after


def request(repository: int, pull: int, minute: float = 0, **more: object) -> RequestRow:
    """A request of a pull request's first head, made that many minutes after the beginning."""
    run, at = f"run:{repository}:{pull}:a:1", after(minutes=minute)
    given: dict[str, object] = {
        "job_id": f"validate:{run}:1",
        "run_id": run,
        "repository_id": repository,
        "place": f"{repository}#{pull}",
        "attempt": 1,
        "first_at": at,
        "is_urgent": False,
        "asked_at": at,
        "due_at": at,
    }
    return RequestRow(**given | more)  # type: ignore[arg-type]


def admitted(store: Store, limit: int, minute: float = 60, weight: float = 1.0) -> list[tuple[int, str]]:
    rows = store.requests.admit(limit, after(minutes=minute), lambda _: weight)
    return [(row.repository_id, row.place.split("#")[1]) for row in rows]


def test_a_quiet_repository_is_next_however_many_requests_another_one_has(store: Store):
    for pull in range(30):
        store.requests.ask(request(1, pull, minute=pull / 60))
    assert admitted(store, 3) == [(1, "0"), (1, "1"), (1, "2")]
    store.requests.ask(request(2, 1, minute=30))
    store.requests.ask(request(3, 1, minute=31))
    assert admitted(store, 4) == [(2, "1"), (3, "1"), (1, "3"), (1, "4")]


def test_a_repository_that_waited_for_nothing_gathers_no_credit(store: Store):
    store.requests.ask(request(2, 0))
    assert admitted(store, 1) == [(2, "0")]
    for pull in range(20):
        store.requests.ask(request(1, pull))
    assert len(admitted(store, 10)) == 10
    for pull in range(1, 11):
        store.requests.ask(request(2, pull))
    shares = Counter(repository for repository, _ in admitted(store, 8))
    assert abs(shares[1] - shares[2]) <= 2


@pytest.mark.parametrize(("weight", "share"), [(3.0, 9), (1.0, 6), (0.5, 4)])
def test_a_weight_is_a_share_of_the_slots(store: Store, weight: float, share: int):
    store.repositories.put(RepositoryFacts(1, "acme/shop"), 42, after())
    for pull in range(12):
        store.requests.ask(request(1, pull))
        store.requests.ask(request(2, pull))
    chosen = store.requests.admit(12, after(minutes=1), lambda name: weight if name == "acme/shop" else 1.0)
    assert [row.repository_id for row in chosen].count(1) == share


def test_within_a_repository_users_come_first_and_then_the_oldest(store: Store):
    for pull in (3, 1, 2):
        store.requests.ask(request(1, pull, minute=pull))
    store.requests.ask(request(1, 9, minute=9, is_urgent=True))
    assert admitted(store, 4) == [(1, "9"), (1, "1"), (1, "2"), (1, "3")]


def test_a_pull_request_has_one_job_at_a_time_and_in_order(store: Store):
    first, second = request(1, 7), request(1, 7, minute=1, job_id="second", run_id="run:1:7:b:1", is_urgent=True)
    store.requests.ask(second)
    store.requests.ask(first)
    assert [row.job_id for row in store.requests.admit(5, after(minutes=2), lambda _: 1.0)] == [first.job_id]
    assert admitted(store, 5) == []
    store.requests.end(first.run_id, 2)
    assert admitted(store, 5) == []
    store.requests.end(first.run_id, 1)
    assert admitted(store, 5) == [(1, "7")]


def test_a_retry_that_is_not_due_holds_up_nothing(store: Store):
    store.requests.ask(request(1, 7, due_at=after(minutes=90)))
    store.requests.ask(request(1, 7, minute=1, job_id="next", run_id="run:1:7:b:1"))
    assert admitted(store, 5) == [(1, "7")]
    hours = timedelta(hours=2)
    assert not store.requests.are_waiting(after(minutes=89), hours)
    store.requests.end_job("next")
    assert store.requests.are_waiting(after(minutes=90), hours)
    assert admitted(store, 5, minute=90) == [(1, "7")]


def test_a_request_is_stored_once_and_withdrawn_only_before_it_begins(store: Store):
    store.requests.ask(request(1, 7))
    store.requests.ask(request(1, 7, minute=5))
    store.requests.ask(request(1, 8))
    store.requests.ask(request(1, 9, minute=1, job_id="again", attempt=2))
    assert admitted(store, 1) == [(1, "7")]
    for pull in (7, 8, 9):
        store.requests.withdraw(f"run:1:{pull}:a:1")
    assert store.requests.runs() == {"run:1:7:a:1", "run:1:9:a:1"}


def test_what_was_admitted_long_ago_is_looked_at_once_in_a_while(store: Store):
    store.requests.ask(request(1, 7))
    admitted(store, 1, minute=1)
    minute = timedelta(minutes=1)
    assert not store.requests.are_waiting(after(minutes=1.5), minute)
    assert store.requests.are_waiting(after(minutes=2), minute)
    assert store.requests.stale(after(minutes=1.5), minute) == ()
    assert [row.place for row in store.requests.stale(after(minutes=2), minute)] == ["1#7"]
    assert store.requests.stale(after(minutes=2.5), minute) == ()


def test_many_workers_admit_each_request_once(store: Store):
    for repository in range(1, 6):
        for pull in range(8):
            store.requests.ask(request(repository, pull))
            store.requests.ask(request(repository, pull, job_id=f"{repository}-{pull}-b", run_id="run:b", minute=1))
    with ThreadPoolExecutor(6) as pool:
        parts = list(pool.map(lambda _: admitted(store, 3), range(20)))
    places = [place for part in parts for place in part]
    assert len(places) == len(set(places)) == 40


REPOSITORIES = st.lists(st.integers(1, 5), min_size=1, max_size=40)


@given(backlog=REPOSITORIES, late=st.integers(6, 7), before=st.integers(0, 20), slots=st.integers(1, 4))
def test_who_comes_late_waits_for_at_most_one_job_of_each_other(backlog: list[int], late: int, before: int, slots: int):
    """With equal weights, and however the slots become free."""
    waiting = [Candidate(request(repository, place), "") for place, repository in enumerate(backlog)]
    starts: dict[int, float] = {}
    at_work: Counter[int] = Counter()
    first, line = choose(waiting, before, 0.0, starts, at_work, lambda _: 1.0)
    taken = {row.job_id for row in first}
    rest = [one for one in waiting if one.row.job_id not in taken]
    order: list[int] = []
    rest.append(Candidate(request(late, 99, minute=1), ""))
    while rest:
        chosen, line = choose(rest, slots, line, starts, at_work, lambda _: 1.0)
        order += [row.repository_id for row in chosen]
        taken = {row.job_id for row in chosen}
        rest = [one for one in rest if one.row.job_id not in taken]
    ahead = Counter(order[: order.index(late)])
    assert max(ahead.values(), default=0) <= 1
    assert len(order) == len(backlog) - len(first) + 1
