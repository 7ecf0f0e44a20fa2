"""Agent that is an object of this program, called in the caller's thread with a time limit."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from types import FrameType
from typing import TYPE_CHECKING, Any

from assay.memory_eval.adapters.adapter import AgentAdapter, AgentResponse, RemoteAgent, Retrieved
from assay.memory_eval.adapters.replies import response_from, retrieved_from, shortly, stats_from
from assay.memory_eval.errors import AgentCallFailed, AgentTimedOut, CannotReset, CannotRetrieve, ExamUsageError

if TYPE_CHECKING:
    from assay.memory_eval.adapters.snapshots.snapshot import Entry

_TAUGHT: weakref.WeakSet[Any] = weakref.WeakSet()
"""Objects that were already taught in this process."""

_OWN = f"{__package__}."
"""Modules of agents that are part of Assay."""


class InProcessAgent(RemoteAgent):
    """Adapter for any object with `learn` and `answer`.

    A call that takes too long is interrupted by an alarm in the main thread. Python cannot interrupt other threads;
    there only the time limit of the whole run applies.
    """

    def __init__(self, agent: Any, timeout_s: float) -> None:
        for method in ("learn", "answer"):
            if not callable(getattr(agent, method, None)):
                raise ExamUsageError(
                    f"{type(agent).__name__} is not an agent: it has no method `{method}`", code="agent.missing-method"
                )
        self._agent = agent
        self._timeout_s = timeout_s
        self.name = str(getattr(agent, "name", "") or type(agent).__name__)
        self.fingerprint = agent.fingerprint if isinstance(agent, AgentAdapter) else ""
        self.reader = agent.reader if isinstance(agent, AgentAdapter) else ""
        self.retriever = agent.retriever if isinstance(agent, AgentAdapter) else "agent"
        self.carries_value = getattr(agent, "carries_value", False) is True
        self.parallel_safe = getattr(agent, "parallel_safe", False) is True

    @property
    def was_taught(self) -> bool:
        """Whether any run of this process taught this object before."""
        with contextlib.suppress(TypeError):  # not every object supports weak references
            return self._agent in _TAUGHT
        return False

    def learn(self, content: str) -> None:
        with contextlib.suppress(TypeError):
            _TAUGHT.add(self._agent)
        with self._called():
            _no_coroutine(self._agent.learn(content))

    def answer(self, question: str) -> AgentResponse:
        with self._called():
            value = self._agent.answer(question)
            _no_coroutine(value)
            return response_from(value)

    def reset(self) -> None:
        if not callable(getattr(self._agent, "reset", None)):
            raise CannotReset("this agent has no method `reset`")
        try:
            with self._called():
                self._agent.reset()
        except AgentCallFailed as failed:
            if isinstance(failed.__cause__, NotImplementedError):
                raise CannotReset("this agent cannot be reset") from None
            raise

    def retrieve(self, question: str, k: int) -> Sequence[Retrieved]:
        if not callable(getattr(self._agent, "retrieve", None)):
            raise CannotRetrieve("this agent has no method `retrieve`")
        try:
            with self._called():
                return retrieved_from(self._agent.retrieve(question, k))
        except AgentCallFailed as failed:
            if isinstance(failed.__cause__, NotImplementedError):
                raise CannotRetrieve("this agent does not offer retrieve") from None
            raise

    def date_to(self, moment: datetime) -> None:
        if isinstance(self._agent, AgentAdapter):
            self._agent.date_to(moment)
            self.fingerprint = self._agent.fingerprint

    def entries(self) -> Sequence[Entry] | None:
        return self._agent.entries() if isinstance(self._agent, AgentAdapter) else None

    def stats(self) -> Mapping[str, Any]:
        if not callable(getattr(self._agent, "stats", None)):
            return {}
        with self._called():
            return stats_from(self._agent.stats())

    @contextlib.contextmanager
    def _called(self) -> Iterator[None]:
        try:
            with _time_limit(self._timeout_s):
                yield
        except AgentCallFailed:
            raise
        except (Exception, SystemExit) as raised:
            raise AgentCallFailed(shortly(f"{type(raised).__name__}: {raised}")) from raised


class _TimeIsUp(BaseException):
    """Timeout that is not an `Exception`, so that an agent that catches everything does not catch it."""


@contextlib.contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Set an alarm for the block; restore an earlier alarm with its remaining time."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _ring)
    began = time.monotonic()
    left_s, interval_s = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _TimeIsUp:
        raise AgentTimedOut(f"no answer in {seconds:g} s") from None
    finally:
        signal.signal(signal.SIGALRM, before)
        if left_s:
            signal.setitimer(signal.ITIMER_REAL, max(0.001, left_s - (time.monotonic() - began)), interval_s)


def _ring(_number: int, _frame: FrameType | None) -> None:
    raise _TimeIsUp


def _no_coroutine(value: object) -> None:
    if hasattr(value, "__await__"):
        if hasattr(value, "close"):
            value.close()
        raise AgentCallFailed("returned a coroutine: `learn` and `answer` are plain methods, not `async def`")
