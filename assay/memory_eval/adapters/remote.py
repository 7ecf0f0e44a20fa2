"""An agent outside this process, whose adapter bounds every call and fails in no other way than ours."""

from __future__ import annotations

from abc import abstractmethod

from assay.memory_eval.adapters.adapter import AgentAdapter, AgentResponse


class RemoteAgent(AgentAdapter):
    """An agent reached over a wire: every call ends within its time, and raises `AgentCallFailed` or `AgentFailed`.

    `parallel_safe`: several calls may be under way at once. `remembers_without_us`: what it learned is still there
    when this process, and all it started, is gone.
    """

    name = "agent"
    parallel_safe = False
    remembers_without_us = False

    @abstractmethod
    def answer(self, question: str) -> AgentResponse:
        """Answer from what was learned; always a response that was looked through."""
