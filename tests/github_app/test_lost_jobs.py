"""Jobs of workers that died or lost them, and workers without any."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

import pytest
import sqlalchemy

from assay.github_app.runtime.queues import JOBS_VERSION, JobState
from assay.github_app.server.dispatcher import delivery_job
from assay.github_app.store import RunState
from tests.github_app.conftest import Engine
from tests.github_app.remembering import take
from tests.github_app.stand_ins import pull_facts, sha


def test_the_jobs_of_a_dead_worker_are_taken_over_once_and_stay_in_their_line(engine: Engine):
    """Pins the one private function of the library we call: only what names the dead worker is touched."""
    engine.validator.go.set()
    engine.dispatcher.stop()
    engine.deliver("opened", pull_facts(1, sha(10)), "d-1")
    (row,) = take(engine.context.store, 1, engine.context.clock())
    job = delivery_job(row)
    engine.context.queues.put(replace(job, delay_s=3600))
    path = engine.context.settings.jobs_url().removeprefix("sqlite:///")
    with closing(sqlite3.connect(path)) as database:
        database.execute(
            "UPDATE workflow_status SET status = 'PENDING', executor_id = 'dead', delay_until_epoch_ms = NULL"
            " WHERE workflow_uuid = ?",
            (job.id,),
        )
        database.commit()
        assert engine.jobs.take_over("somebody-else") == 0
        assert engine.context.queues.state(job.id) is JobState.running
        assert engine.jobs.take_over("dead") == 1
        line = "SELECT queue_name, queue_partition_key FROM workflow_status WHERE workflow_uuid = ?"
        assert database.execute(line, (job.id,)).fetchone() == ("deliveries", "acme/shop#1")
    engine.until(lambda: engine.state(1, sha(10)) is RunState.completed)
    assert engine.jobs.take_over("dead") == 0


@pytest.mark.soak
def test_what_is_stored_of_a_job_is_plain_json(engine: Engine):
    engine.validator.go.set()
    engine.deliver("opened", pull_facts(1, sha(10)))
    engine.until(lambda: engine.state(1, sha(10)) is RunState.completed)
    path = engine.context.settings.jobs_url().removeprefix("sqlite:///")
    with closing(sqlite3.connect(path)) as database:
        kept = database.execute("SELECT serialization, application_version FROM workflow_status").fetchall()
        given = database.execute("SELECT inputs FROM workflow_input").fetchall()
        journal = database.execute("PRAGMA journal_mode").fetchone()
    assert set(kept) == {("portable_json", JOBS_VERSION)}
    assert len(given) == len(kept)
    assert all(isinstance(json.loads(inputs), dict) for (inputs,) in given)
    assert journal == ("wal",)


@pytest.mark.system
def test_an_idle_worker_polls_no_queue_and_takes_what_comes_at_once(
    make_engine: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
):
    """Pins what the library asks before each poll."""
    monkeypatch.setattr("assay.github_app.server.idling.AWAKE_S", 0.3)
    monkeypatch.setattr("assay.github_app.server.idling.MOST_S", 60.0)
    engine = make_engine()
    polled: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if "partition" in statement and threading.current_thread().name == "queue-worker-deliveries":
            polled.append(statement)

    sqlalchemy.event.listen(sqlalchemy.Engine, "before_cursor_execute", note)
    try:
        time.sleep(1)
        polled.clear()
        time.sleep(1)
        assert polled == []
        engine.validator.go.set()
        engine.deliver("opened", pull_facts(1, sha(10)))
        engine.until(lambda: engine.state(1, sha(10)) is RunState.completed, timeout_s=5)
        assert polled != []
    finally:
        sqlalchemy.event.remove(sqlalchemy.Engine, "before_cursor_execute", note)


@pytest.mark.soak
def test_a_job_that_was_claimed_and_never_begun_goes_back_in_line(engine: Engine):
    """As when the database went away between the claim and its answer."""
    engine.dispatcher.stop()
    engine.deliver("opened", pull_facts(1, sha(10)), "d-1")
    (row,) = take(engine.context.store, 1, engine.context.clock())
    job = delivery_job(row)
    engine.context.queues.put(replace(job, delay_s=3600))
    with closing(sqlite3.connect(engine.context.settings.jobs_url().removeprefix("sqlite:///"))) as database:
        database.execute(
            "UPDATE workflow_status SET status = 'PENDING', executor_id = ?, delay_until_epoch_ms = NULL"
            " WHERE workflow_uuid = ?",
            (engine.me.executor, job.id),
        )
        database.commit()
    assert engine.jobs.put_back_lost(after_s=0.2) == 0
    time.sleep(0.3)
    assert engine.jobs.put_back_lost(after_s=0.2) == 1
    engine.until(lambda: sha(10) in engine.validator.at_work)
    engine.jobs.put_back_lost(after_s=0)
    assert engine.jobs.put_back_lost(after_s=0) == 0
    engine.validator.go.set()
    engine.until(lambda: engine.state(1, sha(10)) is RunState.completed)
    assert len(engine.validator.spans) == 1
