"""What an agent has to do to be examined: learn, answer, forget everything."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class AgentResponse:
    """An agent's answer. `confidence` 0.0 to 1.0; tokens as the agent counts them; `sources` what it drew on."""

    answer: str
    confidence: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    sources: tuple[str, ...] = ()


class AgentAdapter(ABC):
    """An agent under examination. Write your own by filling `learn` and `answer`, and `reset` where it keeps anything.

    A call that cannot be answered raises; what is raised is recorded with the question and counts as no answer.
    """

    name: str = ""
    """What the report calls it; its class's name where it says nothing."""

    fingerprint: str = ""
    """What tells it from another agent of the same name, such as a checksum of its command; resuming asks for it."""

    parallel_safe: bool = False
    """Whether several calls may be under way at once, from several threads."""

    @abstractmethod
    def learn(self, content: str) -> None:
        """Take in one turn of the dialogue."""

    @abstractmethod
    def answer(self, question: str) -> AgentResponse | str:
        """Answer from what was learned."""

    def reset(self) -> None:
        """Forget everything that was learned: the next examination begins."""
        raise NotImplementedError("this agent cannot be reset")

    def stats(self) -> Mapping[str, Any]:
        """What the agent says of its memory, such as `{"entries": 812, "bytes": 90112}`; reported, never scored."""
        return {}

    def close(self) -> None:  # noqa: B027 - most agents hold nothing that has to be let go
        """Let go of whatever is held; nothing is called afterwards."""
