"""An agent outside this process, whose adapter bounds every call and fails in no other way than ours."""

from __future__ import annotations

from abc import abstractmethod

from assay.memory_eval.adapters.adapter import AgentAdapter, AgentResponse


class RemoteAgent(AgentAdapter):
    """An agent reached over a wire: every call ends within its time, and raises `AgentCallFailed` or `AgentFailed`."""

    remembers_without_us: bool = False
    """Whether what it learned is still there when this process, and all it started, is gone."""

    @abstractmethod
    def answer(self, question: str) -> AgentResponse:
        """Answer from what was learned; always a response that was looked through."""
