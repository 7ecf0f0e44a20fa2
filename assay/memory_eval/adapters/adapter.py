"""The interface of an agent under test: learn, answer and reset."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class AgentResponse:
    """An agent's answer.

    `confidence` is 0.0 to 1.0; token counts are the agent's; `sources` are the entries the answer is based on.
    """

    answer: str
    confidence: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    sources: tuple[str, ...] = ()


class AgentAdapter(ABC):
    """An agent under test; subclasses implement `learn` and `answer`, and `reset` if they keep state.

    A call that cannot be answered raises; the error is recorded with the question and counts as no answer.
    """

    name: str = ""
    """Name in the report; the class name by default."""

    fingerprint: str = ""
    """Identity among agents of the same name, such as a checksum of the command; resuming compares it."""

    parallel_safe: bool = False
    """Whether several threads may call the agent at once."""

    @abstractmethod
    def learn(self, content: str) -> None:
        """Learn one turn of the dialogue."""

    @abstractmethod
    def answer(self, question: str) -> AgentResponse | str:
        """Answer a question from the learned turns."""

    def reset(self) -> None:
        """Forget everything that was learned, before the next evaluation."""
        raise NotImplementedError("this agent cannot be reset")

    def stats(self) -> Mapping[str, Any]:
        """Return memory statistics, such as `{"entries": 812, "bytes": 90112}`; reported, never scored."""
        return {}

    def close(self) -> None:  # noqa: B027 - most agents hold nothing that has to be let go
        """Release all resources; the agent is not called afterwards."""
