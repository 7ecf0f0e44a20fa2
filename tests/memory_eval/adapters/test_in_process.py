"""An object of this program, made to behave like every other agent."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from assay.memory_eval import AgentAdapter, AgentCallFailed, AgentResponse
from assay.memory_eval.adapters.in_process import InProcessAgent
from assay.memory_eval.errors import AgentTimedOut, CannotReset


class Duck:
    """No adapter, but learns and answers."""

    def __init__(self, value: object = "x", wait_s: float = 0.0) -> None:
        self.value, self.wait_s = value, wait_s

    def learn(self, content: str) -> None:
        self.answer(content)

    def answer(self, question: str) -> object:
        try:
            time.sleep(self.wait_s)
        except Exception:  # noqa: BLE001 - it excuses everything
            return "excused"
        if isinstance(self.value, BaseException):
            raise self.value
        return self.value


class Derived(AgentAdapter):
    name = "the derived"
    parallel_safe = True

    def learn(self, content: str) -> None: ...

    def answer(self, question: str) -> AgentResponse:
        return AgentResponse("y", confidence=1)


@pytest.mark.parametrize("agent", [Duck(), Derived()])
def test_one_without_a_reset_says_so(agent: object):
    with pytest.raises(CannotReset):
        InProcessAgent(agent, 5).reset()


@pytest.mark.parametrize(
    "value", [b"x", None, 42, ["x"], {"text": "x"}, object(), RuntimeError("a\nb"), SystemExit("c")]
)
def test_everything_else_is_a_failed_call_in_one_line(value: object):
    with pytest.raises(AgentCallFailed) as raised:
        InProcessAgent(Duck(value), 5).answer("?")
    assert "\n" not in str(raised.value)


def test_a_coroutine_is_refused_without_a_warning():
    class Async:
        async def learn(self, content: str) -> None: ...

        async def answer(self, question: str) -> str:
            return "x"

    agent = InProcessAgent(Async(), 5)
    for call in (agent.learn, agent.answer):
        with pytest.raises(AgentCallFailed, match="async def"):
            call("x")


def test_one_that_hangs_is_interrupted_though_it_excuses_everything():
    with pytest.raises(AgentTimedOut, match=r"agent\.timed-out"):
        InProcessAgent(Duck(wait_s=600), 0.1).answer("?")


def test_an_alarm_that_was_set_before_is_set_again():
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append("theirs"))
    left = signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        InProcessAgent(Duck(), 5).answer("?")
        with pytest.raises(AgentTimedOut):
            InProcessAgent(Duck(wait_s=5), 0.05).answer("?")
        time.sleep(0.4)
    finally:
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *left)
    assert rung == ["theirs"]


def test_in_a_thread_it_works_without_an_alarm():
    answers: list[AgentResponse] = []
    thread = threading.Thread(target=lambda: answers.append(InProcessAgent(Duck(), 5).answer("?")))
    thread.start()
    thread.join()
    assert answers == [AgentResponse("x")]


def test_interrupting_the_program_is_not_taken_for_an_answer():
    with pytest.raises(KeyboardInterrupt):
        InProcessAgent(Duck(KeyboardInterrupt()), 5).answer("?")
