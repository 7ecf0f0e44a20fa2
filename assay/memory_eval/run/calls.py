"""Calls of an agent: their progress, concurrent work in order, and the failures after which a run ends."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from assay.memory_eval.errors import AgentCallFailed, AgentFailed, AgentTimedOut, AgentUnreachable

# ------------------ progress

Progress = Callable[[str, int, int], None]
"""Called with the phase ("calibrating", "learning", "asking", "grading"), the number done, and the total."""


def silent(_phase: str, _num_done: int, _num_all: int) -> None:
    """Ignore progress."""


# ------------------ failure budget

TIMEOUTS_IN_A_ROW = 5
UNREACHED_IN_A_ROW = 5
TOTAL_TIMEOUT_S = 24 * 3600.0
"""Default time limit of a whole run, in seconds."""


class FailureBudget:
    """Failure budget of an agent; raises `AgentFailed` once it is exhausted.

    A run ends after five timeouts in a row, after five failed connections in a row, and at the time limit of the whole
    run. Calls that fail quickly are cheap and not limited.
    """

    def __init__(self, total_timeout_s: float) -> None:
        self._total_timeout_s = total_timeout_s
        self._deadline = time.monotonic() + total_timeout_s
        self._timeouts = 0
        self._unreached = 0

    def heard(self, error: AgentCallFailed | None) -> None:
        """Record the end of a call, successful (None) or failed."""
        self._timeouts = self._timeouts + 1 if isinstance(error, AgentTimedOut) else 0
        self._unreached = self._unreached + 1 if isinstance(error, AgentUnreachable) else 0
        if self._timeouts >= TIMEOUTS_IN_A_ROW:
            raise AgentFailed(f"the agent hangs: {self._timeouts} calls in a row, {error}", code="agent.hangs")
        if self._unreached >= UNREACHED_IN_A_ROW:
            raise AgentFailed(f"the agent is gone: {self._unreached} calls in a row, {error}", code="agent.gone")
        if time.monotonic() > self._deadline:
            raise AgentFailed(
                f"the run exceeded its time limit of {self._total_timeout_s:g} s", code="memory.time-limit"
            )


# ------------------ ordered workers

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Pace:
    """Number of concurrent calls, seconds without a result after which they are stuck, and the progress callback."""

    num_workers: int
    stuck_after_s: float
    progress: Progress


def run_ordered(chains: Sequence[Sequence[T]], work: Callable[[T], R], pace: Pace) -> Iterator[R]:
    """Yield the result of `work` for every item as it completes; items of one chain run in order.

    With one worker everything runs in this thread, in order. An exception of `work` is raised here and ends all work,
    and so does `AgentFailed` if no worker returns anything for `stuck_after_s`.
    """
    if pace.num_workers <= 1 or len(chains) <= 1:
        for chain in chains:
            yield from map(work, chain)
        return
    yield from _Threads(chains, work).results(min(pace.num_workers, len(chains)), pace.stuck_after_s)


class _Threads(Generic[T, R]):
    def __init__(self, chains: Sequence[Sequence[T]], work: Callable[[T], R]) -> None:
        self._num_items = sum(len(chain) for chain in chains)
        self._work = work
        self._waiting: queue.SimpleQueue[Sequence[T]] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[R | BaseException] = queue.SimpleQueue()
        self._stopped = threading.Event()
        for chain in chains:
            self._waiting.put(chain)

    def results(self, num_workers: int, stuck_after_s: float) -> Iterator[R]:
        for number in range(num_workers):
            # Daemon threads: a call that never returns must not block the exit of the program.
            threading.Thread(target=self._labour, name=f"agent-calls-{number}", daemon=True).start()
        try:
            for _ in range(self._num_items):
                try:
                    done = self._done.get(timeout=stuck_after_s)
                except queue.Empty:
                    raise AgentFailed(
                        f"none of {num_workers} concurrent calls returned in {stuck_after_s:g} s", code="agent.hangs"
                    ) from None
                if isinstance(done, BaseException):
                    raise done
                yield done
        finally:
            self._stopped.set()

    def _labour(self) -> None:
        while True:
            try:
                chain = self._waiting.get_nowait()
            except queue.Empty:
                return
            for item in chain:
                if self._stopped.is_set():
                    return
                try:
                    self._done.put(self._work(item))
                except BaseException as error:  # noqa: BLE001 - raised again where the results are awaited
                    self._done.put(error)
                    return
