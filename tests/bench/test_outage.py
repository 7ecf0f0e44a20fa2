"""How long the sweep takes after a day's outage until every open head has a verdict requested, and what it costs.

    make bench PYTEST_ARGS="-k outage"                              20 repositories x 20 pull requests missed
    OUTAGE_REPOSITORIES=500 make bench PYTEST_ARGS="-k outage"      all of 500 (many minutes of pushes)

Sweeps and jobs are called with an advanced clock; GitHub is the emulator, and what it redelivers is received as usual.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from assay.github.events.model import RepositoryFacts
from assay.github_app.maintenance.missed import PASSING, redeliver_older
from assay.github_app.maintenance.sweep import request_runs, sweep
from assay.github_app.ops.settings import read_settings
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.queues import Job
from assay.github_app.server.worker import opened
from tests.bench.scale import Organisation
from tests.fakes.github import FakeGitHub
from tests.github_app.processes import environment_for
from tests.repositories import RealRepository

PULLS = 20
NUM_REPOSITORIES = int(os.environ.get("OUTAGE_REPOSITORIES", "20"))
SWEEP_S = 300
REAL = (500, 20, 44)
"""Repositories, pull requests a day in each, and deliveries of a pull request, of the organisation that is meant."""


@dataclass
class Aftermath:
    """What the sweep did, by the clock: when heads and ends were known, and what it asked GitHub for."""

    heads_s: int = 0
    lists_s: int = 0
    jobs: int = 0
    of_app: Counter[str] = field(default_factory=Counter)
    of_installation: Counter[str] = field(default_factory=Counter)


@contextmanager
def receiving(context: Context) -> Iterator[str]:
    """A web server that stores deliveries, as the App's does."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            guid, event = self.headers["x-github-delivery"], self.headers["x-github-event"]
            context.store.deliveries.receive(guid, event, None, None, None, None, body, context.clock())
            self.send_response(202)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base names it
            """Nothing on the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/webhooks/github"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def context(github: FakeGitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Context]:
    for name, value in environment_for(github, tmp_path / "data", sweep_s=SWEEP_S).items():
        monkeypatch.setenv(name, value)
    with opened(read_settings()) as made:
        yield made


def missed_day(github: FakeGitHub, repository: RealRepository, context: Context, num: int, pulls: int) -> Organisation:
    """Two pull requests are known in each repository; then nothing is delivered while others come and half end."""
    organisation = Organisation(github, repository)
    organisation.create(num)
    for name in organisation.names:
        data = github.get(f"/repos/{name}")
        facts = RepositoryFacts(data["id"], name, "main")
        context.store.repositories.put(facts, github.installation_id, context.clock())
        for _ in range(2):
            organisation.open_pull(name)
        request_runs(context, data["id"])
    github.deliver_to("http://127.0.0.1:9/webhooks/github")
    for name in organisation.names:
        for _ in range(pulls):
            organisation.open_pull(name)
    for _ in range(num * (pulls + 2) // 2):
        organisation.merge()
    github.settled(timeout_s=600)
    return organisation


def at(moment: datetime) -> Callable[[], datetime]:
    """A clock that stands still."""
    return lambda: moment


def recovered(github: FakeGitHub, context: Context, put: list[Job], is_done: Callable[[], bool]) -> Aftermath:
    """Run sweeps, five minutes apart, and the jobs they enqueue, until all is done."""
    found, began, started = Aftermath(), context.clock(), len(github.state.log)
    first = int(began.timestamp() // SWEEP_S) + 1
    for turn in range(40):
        later = replace(context, clock=at(began + timedelta(seconds=turn * SWEEP_S)))
        sweep(later, first + turn)
        github.settled(timeout_s=600)
        if not found.heads_s and is_done():
            found.heads_s = max(1, turn * SWEEP_S)
        jobs = [job for job in put if job.name == "redeliver"]
        put.clear()
        for job in jobs:
            redeliver_older(later, *job.arguments)  # type: ignore[arg-type]
            github.settled(timeout_s=600)
            found.jobs += 1
        if found.heads_s and not any(job.name == "redeliver" for job in put):
            found.lists_s = max(1, turn * SWEEP_S)
            break
    for one in github.state.log[started:]:
        where = found.of_app if one.path.startswith("/app/") else found.of_installation
        kind = "attempts" if one.path.endswith("/attempts") else one.path.rpartition("/")[2]
        where[f"{one.method} {kind}"] += 1
    return found


def after_outage(
    github: FakeGitHub,
    repository: RealRepository,
    context: Context,
    monkeypatch: pytest.MonkeyPatch,
    num: int,
    pulls: int,
) -> Aftermath:
    """Recover from a missed day; check that nothing is missing."""
    put: list[Job] = []
    monkeypatch.setattr(type(context.queues), "put", lambda _, job: put.append(job))
    organisation = missed_day(github, repository, context, num, pulls)
    store, ids = context.store, {row.full_name: row.id for row in context.store.repositories.active()}
    standing = {(ids[name], number) for name, number in organisation.pulls}

    def is_done() -> bool:
        known = {(row.repository_id, row.number) for one in ids.values() for row in store.pulls.open_in(one)}
        return known == standing and all(store.runs.newest(*place) is not None for place in standing)

    with receiving(context) as address:
        github.deliver_to(address)
        organisation.open_pull()
        standing.update((ids[name], number) for name, number in organisation.pulls)
        github.settled(timeout_s=600)
        found = recovered(github, context, put, is_done)
    lost = {one.guid for one in github.deliveries if one.event not in PASSING and one.event in ("pull_request", "push")}
    assert lost <= store.deliveries.stored(sorted(lost))
    assert found.heads_s > 0
    return found


@pytest.mark.soak
def test_a_small_outage_is_made_up_for(
    github: FakeGitHub, repository: RealRepository, context: Context, monkeypatch: pytest.MonkeyPatch
):
    found = after_outage(github, repository, context, monkeypatch, 2, 3)
    assert found.heads_s <= 3600
    assert found.of_installation["GET pulls"] <= 2 * (1 + 1), "its open ones, and the ends of those that were open"


@pytest.mark.bench
@pytest.mark.timeout(7200)
def test_an_outage_of_a_day(
    github: FakeGitHub, repository: RealRepository, context: Context, monkeypatch: pytest.MonkeyPatch
):
    num = NUM_REPOSITORIES
    found = after_outage(github, repository, context, monkeypatch, num, PULLS)
    lists, pages = found.of_installation["GET pulls"], found.of_app["GET deliveries"]
    again = found.of_app["POST attempts"]
    missed = num * PULLS
    print(
        f"\n{num} repositories x {PULLS} pull requests missed, {len(github.deliveries)} deliveries"
        f"\n| every open head requested, every end recorded | {found.heads_s / 60:.0f} minutes after the first sweep |"
        f"\n| requests of the installation | {sum(found.of_installation.values())},"
        f" {lists / num:.1f} lists a repository |"
        f"\n| redeliveries | {again}, {again / missed:.1f} a pull request, in {found.jobs} jobs and"
        f" {found.lists_s // SWEEP_S + 1} sweeps |"
        f"\n| pages of GitHub's list | {pages} |"
        f"\n| of the App | {dict(found.of_app)} |\n| of the installation | {dict(found.of_installation)} |"
    )
