"""What was acknowledged is done, exactly once for each head, whatever dies meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakes.github import FakeGitHub
from tests.github_app.chaos import Storm
from tests.repositories import RealRepository

if TYPE_CHECKING:
    from tests.fakes.postgres import PostgresServer


@pytest.fixture
def make_storm(github: FakeGitHub, repository: RealRepository, tmp_path: Path) -> Iterator[Callable[..., Storm]]:
    made: list[Storm] = []

    def make(**more: Any) -> Storm:
        storm = Storm(github, repository, tmp_path, **more)
        made.append(storm)
        storm.begin()
        return storm

    yield make
    for storm in made:
        storm.end()


@pytest.mark.system
@pytest.mark.timeout(480)
def test_a_dozen_deliveries_survive_a_kill_of_the_server(make_storm: Callable[..., Storm]):
    storm = make_storm(kinds=("serve",))
    storm.open_pulls(2)
    storm.kill_now_and_then((1.0, 2.0))
    storm.push_to_some(2, pause_s=0.5)
    storm.repeat_some(6)
    # A quick machine would be done before the first blow.
    storm.github.wait(lambda: storm.num_kills >= 1, timeout_s=30)
    storm.github.settled(timeout_s=60)
    storm.calm_down()
    storm.github.wait(storm.all_validated, timeout_s=150)
    storm.github.settled(timeout_s=60)
    # What a killed worker had begun waits for its lease to expire; on a busy machine that takes minutes.
    storm.wait_quiet(180)
    storm.check_promises()
    assert len(storm.github.deliveries) >= 12


FAULTS: tuple[tuple[str, Any, dict[str, Any]], ...] = (
    ("/check-runs", 502, {}),
    ("/check-runs", 500, {"after": True}),
    ("/pulls/", "secondary", {"retry_after": 1}),
    ("/labels", 429, {"retry_after": 1}),
    ("/pulls/", "half_close", {}),
    ("/check-runs", "reset", {"after": True}),
    ("/comments", "reset", {}),
    ("/access_tokens", 503, {}),
    ("/commits/", "timeout", {}),
)
"""What GitHub does meanwhile: each again and again, at one request in some."""


def _weather(storm: Storm) -> None:
    for number, (path, kind, more) in enumerate(FAULTS):
        storm.github.front.fault(path, kind, times=1000, every=7 + 3 * number, **more)


def _storm_of_three_hundred(storm: Storm) -> None:
    """300 deliveries over 60 pull requests while processes die and GitHub is unwell."""
    _weather(storm)
    storm.kill_now_and_then((1.5, 5.0))
    storm.open_pulls(60)
    storm.push_to_some(40, pause_s=1.0)
    storm.repeat_some(100)
    storm.github.wait(lambda: storm.num_kills >= 15, timeout_s=180)
    storm.github.settled(timeout_s=300)
    storm.calm_down()
    storm.github.wait(storm.all_validated, timeout_s=1500)
    storm.github.state.faults.clear()
    storm.github.settled(timeout_s=120)
    storm.wait_quiet(300)
    told = storm.check_promises()
    num_acknowledged = storm.check_deliveries()
    print(
        f"\n{len(storm.github.deliveries)} deliveries, {num_acknowledged} acknowledged, {storm.num_kills} kills: {told}"
    )
    assert len(storm.github.deliveries) >= 300
    assert storm.num_kills >= 15


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_three_hundred_deliveries_on_sqlite(make_storm: Callable[..., Storm]):
    _storm_of_three_hundred(make_storm(kinds=("serve", "work")))


@pytest.mark.soak
@pytest.mark.postgres
@pytest.mark.timeout(3600)
def test_three_hundred_deliveries_on_postgresql_with_three_workers(make_storm: Callable[..., Storm], postgres_url: str):
    _storm_of_three_hundred(make_storm(kinds=("web", "work", "work", "work"), database_url=postgres_url))


@pytest.mark.soak
@pytest.mark.postgres
@pytest.mark.timeout(1200)
def test_a_database_that_restarts_loses_nothing(
    make_storm: Callable[..., Storm], postgres_url: str, postgres_server: PostgresServer
):
    storm = make_storm(kinds=("web", "work", "work"), database_url=postgres_url)
    storm.open_pulls(8)
    for mode in ("fast", "immediate", "fast"):
        storm.push_to_some(4, pause_s=0.5)
        postgres_server.stop(mode=mode)
        time.sleep(4)
        postgres_server.start()
        time.sleep(3)
    storm.github.wait(storm.all_validated, timeout_s=400)
    storm.wait_quiet(120)
    assert all(process.is_alive for process in storm.processes)
    storm.check_promises()
    storm.check_deliveries()


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_a_full_disk_acknowledges_nothing_it_cannot_keep(make_storm: Callable[..., Storm]):
    storm = make_storm(kinds=("serve",))
    storm.open_pulls(3)
    storm.github.settled(timeout_s=60)
    (server,) = storm.processes
    server.fill_disk(True)
    num_before = len(storm.github.deliveries)
    storm.push_to_some(4)
    storm.github.settled(timeout_s=120)
    refused = [one for one in storm.github.deliveries[num_before:] if one.event in ("push", "pull_request")]
    assert refused
    assert {one.status_code for one in refused} == {503}
    time.sleep(3)
    server.fill_disk(False)
    storm.github.wait(storm.all_validated, timeout_s=240)
    storm.wait_quiet(120)
    assert server.is_alive
    storm.check_promises()
    storm.check_deliveries()
