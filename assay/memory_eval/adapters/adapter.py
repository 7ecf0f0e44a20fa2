"""The interface of an agent under test: learn, answer and reset."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.memory_eval.adapters.snapshots.snapshot import Entry

from assay.memory_eval.truth import NOT_GIVEN


@dataclass(frozen=True, slots=True)
class AgentResponse:
    """An agent's answer.

    `value` is the same as a typed value: a number, a text, a truth value, a list, a mapping, or None to abstain.
    `confidence` is 0.0 to 1.0; token counts are the agent's; `sources` are the entries the answer is based on.
    `context_tokens` are the tokens of the memory's texts that the answer was written from.
    """

    answer: str
    confidence: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    sources: tuple[str, ...] = ()
    value: Any = NOT_GIVEN
    context_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Retrieved:
    """One text that an agent's retriever found; `id` and `score` are the store's."""

    text: str
    id: str | None = None
    score: float | None = None


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

    retriever: str = "agent"
    """Name of what retrieves for `retrieve`, as reports have it."""

    reader: str = ""
    """Name and version of Assay's reader, if the answers are not the agent's own."""

    @abstractmethod
    def learn(self, content: str) -> None:
        """Learn one turn of the dialogue."""

    @abstractmethod
    def answer(self, question: str) -> AgentResponse | str:
        """Answer a question from the learned turns."""

    def reset(self) -> None:
        """Forget everything that was learned, before the next evaluation."""
        raise NotImplementedError("this agent cannot be reset")

    def retrieve(self, question: str, k: int) -> Sequence[Retrieved]:
        """Return the entries the memory finds for a question, best first, at most `k`. Optional."""
        raise NotImplementedError("this agent does not offer retrieve")

    def date_to(self, moment: datetime) -> None:  # noqa: B027 - only a store on disk has entries that end by themselves
        """Take a moment, the end of the exam's dialogue, as the present of the memory."""

    def entries(self) -> Sequence[Entry] | None:
        """Return the whole store, if it can be read; None otherwise."""
        return None

    def stats(self) -> Mapping[str, Any]:
        """Return memory statistics, such as `{"entries": 812, "bytes": 90112}`; reported, never scored."""
        return {}

    def close(self) -> None:  # noqa: B027 - most agents hold nothing that has to be let go
        """Release all resources; the agent is not called afterwards."""
