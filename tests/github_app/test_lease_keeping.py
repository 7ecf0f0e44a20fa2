"""Who is dead and who only seems to be."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assay.github.errors import SettingsError, StoreUnavailable
from assay.github_app.server.leases import Lease, take_name
from assay.github_app.store import Store
from tests.conftest import ROOT
from tests.github_app.remembering import store_at
from tests.github_app.stand_ins import settings_in

LEASE_S = 0.4


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with store_at(f"sqlite:///{tmp_path / 'assay.sqlite'}") as opened:
        yield opened


def _until(true: Callable[[], object], timeout_s: float = 5) -> None:
    deadline = time.monotonic() + timeout_s
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _noted(taken: list[str]) -> Callable[[str], int]:
    def take_over(executor: str) -> int:
        taken.append(executor)
        return 0

    return take_over


def test_a_silent_worker_is_taken_over_and_then_forgotten(store: Store):
    taken: list[str] = []

    def take_over(executor: str) -> int:
        taken.append(executor)
        return 2 if len(taken) == 1 else 0

    store.leases.renew("silent", "elsewhere", 1, datetime.now(UTC))
    lease = Lease(store, "me", LEASE_S, take_over)
    lease.start()
    _until(lambda: [row.executor for row in store.leases.all()] == ["me"])
    lease.stop(is_idle=True)
    assert taken == ["silent", "silent"]
    assert store.leases.all() == ()


@pytest.mark.system
def test_a_worker_that_shows_signs_of_life_is_left_alone(store: Store):
    taken: list[str] = []
    leases = [Lease(store, name, LEASE_S, _noted(taken)) for name in ("a", "b")]
    for lease in leases:
        lease.start()
    time.sleep(LEASE_S * 4)
    for lease in leases:
        lease.stop(is_idle=False)
    assert taken == []
    assert len(store.leases.all()) == 2


@pytest.mark.system
def test_a_clock_that_is_wrong_kills_nobody(store: Store):
    """The other host's clock is an hour behind, but its row changes."""
    taken: list[str] = []
    lease = Lease(store, "me", LEASE_S, _noted(taken))
    lease.start()
    for second in range(20):
        store.leases.renew("other", "elsewhere", 1, datetime.now(UTC) - timedelta(hours=1, seconds=-second))
        time.sleep(LEASE_S / 8)
    lease.stop(is_idle=True)
    assert taken == []


@pytest.mark.system
def test_a_database_that_was_away_kills_nobody(store: Store, monkeypatch: pytest.MonkeyPatch):
    """When it is back, the other needs a moment to say that it lives."""
    taken: list[str] = []
    store.leases.renew("other", "elsewhere", 1, datetime.now(UTC))
    lease = Lease(store, "me", LEASE_S, _noted(taken))
    lease.start()
    time.sleep(LEASE_S / 2)

    def away(*_: object) -> None:
        raise StoreUnavailable("the server closed the connection")

    with monkeypatch.context() as outage:
        outage.setattr(store.leases, "renew", away)
        time.sleep(LEASE_S * 2)
        assert not lease.holds()
    time.sleep(LEASE_S / 2)
    store.leases.renew("other", "elsewhere", 1, datetime.now(UTC))
    time.sleep(LEASE_S / 2)
    assert taken == []
    assert lease.holds()
    lease.stop(is_idle=True)


def test_a_worker_that_ends_with_work_undone_leaves_its_row_to_be_found(store: Store):
    lease = Lease(store, "me", LEASE_S, lambda _: 0)
    lease.start()
    lease.stop(is_idle=False)
    assert [row.executor for row in store.leases.all()] == ["me"]


def test_names_are_unique_while_they_live_and_the_same_after_a_restart(tmp_path: Path):
    settings = settings_in(tmp_path)
    first, second = take_name(settings), take_name(settings)
    assert str(first) != str(second)
    assert str(first).startswith(os.uname().nodename)
    first.release()
    third = take_name(settings)
    assert str(third) == str(first)
    for name in (second, third):
        name.release()


def test_a_given_name_cannot_be_used_twice(tmp_path: Path):
    settings = settings_in(tmp_path, worker_name="the-one")
    held = take_name(settings)
    with pytest.raises(SettingsError, match="the-one"):
        take_name(settings)
    held.release()
    assert str(take_name(settings)) == "the-one"


@pytest.mark.soak
def test_a_killed_process_gives_its_name_back(tmp_path: Path):
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom assay.github_app.server.leases import take_name\n"
        "from assay.github_app.ops.settings import read_settings\n"
        f"name = take_name(read_settings(data_dir=Path({str(tmp_path)!r}), worker_name='it'))\n"
        "print(name, flush=True)\ntime.sleep(60)"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=ROOT)
    assert child.stdout is not None
    told = child.stdout.readline().strip()
    settings = settings_in(tmp_path, worker_name="it")
    try:
        assert told == b"it"
        with pytest.raises(SettingsError):
            take_name(settings)
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
    take_name(settings).release()
