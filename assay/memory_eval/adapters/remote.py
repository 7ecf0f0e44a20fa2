"""Agents outside this process; every call is bounded and fails only with errors of this package."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from assay.memory_eval.adapters.adapter import AgentAdapter, AgentResponse, Retrieved


class RemoteAgent(AgentAdapter):
    """Agent in another process; every call ends in time and raises only `AgentCallFailed` or `AgentFailed`."""

    remembers_without_us: bool = False
    """Whether the agent's memory survives the end of this process and of everything it started."""

    carries_value: bool = False
    """Whether answers may have a typed value; the question then asks for one."""

    @abstractmethod
    def answer(self, question: str) -> AgentResponse:
        """Answer a question and return a validated response."""

    @abstractmethod
    def retrieve(self, question: str, k: int) -> Sequence[Retrieved]:
        """Return the validated texts retrieved for a question; raises `CannotRetrieve` if the agent offers none."""
