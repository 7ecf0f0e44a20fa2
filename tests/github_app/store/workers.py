"""What other processes do in these tests; they load nothing but the store."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta
from typing import Any

from assay.github.events.model import Person, PullFacts, RepositoryFacts
from assay.github_app.store import RunState, Store
from tests.github_app.remembering import take

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def open_and_write(url: str, name: str, go: Any, told: Any) -> None:
    """Wait for the others, open the store, write a line, tell how it went."""
    go.wait(60)
    with Store.open(url) as store:
        told.put(str(store.deliveries.receive(name, "ping", None, None, None, None, b"", START)))


def work(url: str, stop: Any) -> None:
    """A worker: takes deliveries, validates their pull requests, and says so, until told to stop."""
    store = Store.open(url)
    late = START + timedelta(days=1)
    while not stop.is_set():
        for row in take(store, 3, late, stale_s=-1):
            number = int(row.id)
            run, _ = store.runs.begin(5, number, "a" * 40, "opened", START)
            store.runs.advance(run.id, RunState.running, START, executor=str(os.getpid()))
            store.events.append("validation_completed", run.id, START, 5, number)
            store.runs.advance(run.id, RunState.completed, START)
            store.deliveries.done(row.id, late)
        time.sleep(0.005)


def write_without_pause(url: str, stop: Any) -> None:
    """A worker that has always something to write."""
    store, number = Store.open(url), 0
    while not stop.is_set():
        number += 1
        at = START + timedelta(seconds=number)
        person, body = Person("ada"), "x" * 5000
        facts = PullFacts(9, 7, "Sell hats", body, person, "a" * 40, "hats", "0" * 40, "main", updated_at=at)
        store.pulls.see(facts, RepositoryFacts(5, "octo/shop"), at)
