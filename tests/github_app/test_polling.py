"""A thread that polls: quick while it finds something, slower after that, and alive whatever happens."""

from __future__ import annotations

import threading

import pytest

from assay.github.errors import StoreUnavailable
from assay.github_app.server import idling, pace
from assay.github_app.server.idling import Idling
from assay.github_app.server.pace import SLOWEST, Poller


class Counting(Poller):
    """Finds what it is told, poll by poll; an exception is raised."""

    def __init__(self, *found: int | Exception, every_s: float = 0.001, batch: int | None = None) -> None:
        super().__init__("counting", every_s, batch=batch)
        self.found = list(found)
        self.done = threading.Event()

    def once(self) -> int:
        if not self.found:
            self.done.set()
            return 0
        found = self.found.pop(0)
        if isinstance(found, Exception):
            raise found
        return found


def test_it_waits_longer_the_longer_it_finds_nothing_and_not_at_all_after_a_full_batch():
    poller = Counting(every_s=1.0, batch=50)
    waits = [poller.wait_s(0) for _ in range(20)]
    assert waits == sorted(waits)
    assert (waits[0], waits[-1]) == (1.2, SLOWEST)
    assert [poller.wait_s(3), poller.wait_s(50), poller.wait_s(0)] == [1.0, 0.0, 1.2]


def test_it_survives_any_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pace, "AFTER_ERROR_S", 0.001)
    poller = Counting(1, StoreUnavailable("away"), RuntimeError("ours"), 0, 2)
    poller.start()
    assert poller.done.wait(10)
    poller.stop()
    assert not poller._thread.is_alive()


class Reader:
    """Stand-in for the library's database, which counts the polls that ask it."""

    def __init__(self) -> None:
        self.num = 0

    def get_queue(self, name: str) -> str:
        self.num += 1
        return name


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    monkeypatch.setattr(idling, "AWAKE_S", 0.0)
    monkeypatch.setattr(idling, "MOST_S", 30.0)
    return Reader()


def asking(reader: Reader) -> threading.Thread:
    thread = threading.Thread(target=lambda: reader.get_queue("deliveries"), daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("act", ["wake", "end"])
def test_an_idle_worker_polls_again_when_it_has_put_a_job_or_stops(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, act: str
):
    pausing = Idling(reader, lambda: ())
    thread = asking(reader)
    thread.join(0.2)
    assert reader.num == 0
    monkeypatch.setattr(idling, "AWAKE_S", 5.0)
    getattr(pausing, act)()
    thread.join(5)
    assert reader.num == 1
    assert reader.get_queue("validation") == "validation", "no pause for some time"


def test_a_worker_with_a_job_does_not_pause(reader: Reader, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(idling, "AWAKE_S", 0.0)
    monkeypatch.setattr(idling, "MOST_S", 600.0)
    Idling(reader, lambda: {"job"})
    assert reader.get_queue("deliveries") == "deliveries"


def test_a_pause_is_short_because_others_enqueue_jobs_too(reader: Reader, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(idling, "MOST_S", 0.1)
    Idling(reader, lambda: ())
    assert reader.get_queue("deliveries") == "deliveries"
