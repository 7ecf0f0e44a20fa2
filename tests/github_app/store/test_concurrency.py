"""Many threads and processes at once: nothing is lost, nothing is done twice, nobody waits for ever."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import select

from assay.github.errors import StoreUnavailable
from assay.github_app.store import DeliveryState, RunState, Store
from assay.github_app.store.database import database as databases
from assay.github_app.store.database.database import rows
from assay.github_app.store.tables.pull_tables import PullRow
from tests.github_app.remembering import REPOSITORY, after, pull, sha, take
from tests.github_app.store.workers import work, write_without_pause

SPAWN = multiprocessing.get_context("spawn")
NUM_DELIVERIES = 60


def test_one_of_many_threads_wins(store: Store):
    with ThreadPoolExecutor(8) as pool:

        def in_all(ask):
            return [job.result() for job in [pool.submit(ask, i) for i in range(16)]]

        assert sum(in_all(lambda i: store.alerts.once("kind", "key", after()))) == 1
        assert sum(in_all(lambda i: store.events.append("pr_opened", "5#7", after(), 5, 7))) == 1
        assert sum(made for _, made in in_all(lambda i: store.runs.begin(5, 7, sha("a"), "opened", after()))) == 1
        receipts = in_all(lambda i: store.deliveries.receive("d", "ping", None, None, None, None, b"", after()))
        assert sorted(receipts)[-1:] == ["new"]
        assert receipts.count("new") == 1
        store.holds.place(5, 7, sha("a"), "high", [], after())
        released = in_all(lambda i: store.holds.release(5, 7, sha("a"), f"p{i}", "ok", after()))
        assert sum(hold is not None for hold in released) == 1


def test_the_newest_of_many_at_once_stands(store: Store):
    heads = [pull(head_sha=f"{i:040x}", title=f"at {i}", updated_at=after(minutes=i)) for i in range(24)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda facts: store.pulls.see(facts, REPOSITORY, after()), [*heads[::-2], *heads]))
    row = store.pulls.get(5, 7)
    assert row is not None
    assert row.title == "at 23"
    assert len(store.pulls.heads(5, 7)) == 24


def test_a_read_block_sees_one_state(store: Store):
    store.pulls.see(pull(title="before"), REPOSITORY, after())
    titles = select(PullRow.title)
    with store._database.read() as connection:
        (row,) = rows(connection, select(PullRow))
        with ThreadPoolExecutor(1) as pool:
            later = pull(title="after", updated_at=after(minutes=1))
            pool.submit(store.pulls.see, later, REPOSITORY, after(minutes=1)).result()
        assert [row.title, *connection.scalars(titles)] == ["before", "before"]
    with store._database.read() as connection:
        assert list(connection.scalars(titles)) == ["after"]


def test_a_delivery_goes_to_one_of_many_takers(store: Store):
    for i in range(40):
        store.deliveries.receive(f"d{i}", "ping", None, None, None, None, b"", after(seconds=i))
    with ThreadPoolExecutor(4) as pool:
        taken = list(pool.map(lambda _: take(store, 5, after(hours=1)), range(16)))
    ids = [row.id for rows in taken for row in rows]
    assert len(ids) == len(set(ids)) == 40


def test_together_is_all_or_nothing(store: Store):
    class Stop(Exception): ...

    def write_and_stop():
        with store.together():
            store.alerts.once("kind", "key", after())
            store.events.append("pr_opened", "1", after())
            raise Stop

    with pytest.raises(Stop):
        write_and_stop()
    assert store.alerts.once("kind", "key", after())
    with store.together():
        store.alerts.once("kind", "other", after())
        assert not store.alerts.once("kind", "other", after())
        with ThreadPoolExecutor(1) as pool:
            seen_outside = pool.submit(lambda: [one.key for one in store.events.of(5, 7)]).result()
    assert seen_outside == []


@pytest.mark.soak
def test_workers_that_are_killed_lose_nothing_and_do_nothing_twice(store: Store, store_url: str):
    stop = SPAWN.Event()

    def begin():
        process = SPAWN.Process(target=work, args=(store_url, stop))
        process.start()
        return process

    workers = [begin() for _ in range(2)]
    for i in range(NUM_DELIVERIES):
        store.deliveries.receive(str(i), "ping", None, None, None, None, b"x" * 500, after(seconds=i))
        if i % 20 == 10:
            os.kill(workers[0].pid, signal.SIGKILL)
            workers[0].join()
            workers = [workers[1], begin()]
        time.sleep(0.02)
    deadline = time.monotonic() + 60
    while store.deliveries.counts(DeliveryState)[DeliveryState.done] < NUM_DELIVERIES and time.monotonic() < deadline:
        time.sleep(0.05)
    stop.set()
    for worker in workers:
        worker.join(30)
    assert store.deliveries.counts(DeliveryState)[DeliveryState.done] == NUM_DELIVERIES
    assert store.runs.counts(RunState)[RunState.completed] == NUM_DELIVERIES
    assert len(store.events.of_kind("validation_completed", after(), after(days=1))) == NUM_DELIVERIES


@pytest.mark.soak
def test_a_writer_that_never_pauses_lets_others_in(sqlite_url: str):
    """With SQLite's own waiting some of these take seconds."""
    stop = SPAWN.Event()
    busy = SPAWN.Process(target=write_without_pause, args=(sqlite_url, stop))
    with Store.open(sqlite_url) as store:
        busy.start()
        while store.pulls.get(5, 7) is None:
            time.sleep(0.05)
        waits = []
        for i in range(60):
            begin = time.perf_counter()
            store.deliveries.receive(str(i), "ping", None, None, None, None, b"", after())
            waits.append(time.perf_counter() - begin)
            time.sleep(0.01)
        stop.set()
        busy.join(30)
    assert sorted(waits)[len(waits) // 2] < 0.25
    assert max(waits) < 3


def test_a_turn_that_does_not_come_is_said_and_not_waited_for(sqlite_url: str, monkeypatch):
    monkeypatch.setattr(databases, "BUSY_TIMEOUT_S", 0.2)
    held, done = threading.Event(), threading.Event()
    with Store.open(sqlite_url) as store, Store.open(sqlite_url) as other:

        def hold():
            with other.together():
                held.set()
                done.wait(10)

        thread = threading.Thread(target=hold)
        thread.start()
        held.wait(10)
        with pytest.raises(StoreUnavailable, match=r"store\.locked"):
            store.alerts.once("kind", "key", after())
        assert store.healthy()
        done.set()
        thread.join()
        assert store.alerts.once("kind", "key", after())


@pytest.mark.soak
@pytest.mark.postgres
def test_after_a_restart_of_the_database_the_same_store_works(tabled_postgres_url: str, postgres_server):
    with Store.open(tabled_postgres_url) as store:
        store.alerts.once("kind", "key", after())
        postgres_server.stop(mode="immediate")
        with pytest.raises(StoreUnavailable):
            store.alerts.once("kind", "other", after())
        assert not store.healthy()
        postgres_server.start()
        assert store.healthy()
        assert not store.alerts.once("kind", "key", after())


def test_a_full_disk_is_said_and_leaves_the_store_whole(sqlite_url: str, tmp_path: Path):
    with Store.open(sqlite_url) as store:
        with store._database.engine.connect() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        store.close()
        from sqlalchemy import event

        @event.listens_for(store._database.engine, "connect")
        def bound(connection, entry):
            connection.execute(f"PRAGMA max_page_count={pages + 8}")

        with pytest.raises(StoreUnavailable, match="full"):
            store.deliveries.receive("big", "ping", None, None, None, None, os.urandom(500_000), after())
        assert store.deliveries.get("big") is None
        assert store.alerts.once("kind", "small", after())
