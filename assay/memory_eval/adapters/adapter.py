"""The interface of an agent under test: learn, answer and reset; and the options of the adapters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.memory_eval.adapters.snapshots.snapshot import Entry

from assay.memory_eval.truth import NOT_GIVEN

CALL_TIMEOUT_S = 60.0
"""Default time limit of one call, in seconds."""

START_TIMEOUT_S = 120.0
"""Seconds an agent's process may take for its first reply: it may have a model to load."""

_STARTS_LIKE_CALLS = 10


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


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """Options of an agent; each adapter uses those that concern it.

    `url` of an HTTP agent; `command` of a subprocess agent; `python_path` the folders of a python agent's module and
    its imports, and `arguments` the keyword arguments of its class; `storage_path` is passed to the class as a keyword
    of that name; `passed_on` the environment variables an agent's process may see although they look like secrets;
    `load_memory` a memory store to evaluate, and `mapping` the file that names the columns of an SQLite database.
    """

    url: str | None = None
    command: tuple[str, ...] = ()
    python_path: Path | tuple[Path, ...] | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    storage_path: Path | None = None
    passed_on: tuple[str, ...] = ()
    load_memory: Path | None = None
    mapping: Path | None = None
    timeout_s: float = CALL_TIMEOUT_S
    start_timeout_s: float | None = None

    @property
    def first_timeout_s(self) -> float:
        """Time limit of a process's first reply: two minutes, but at most ten calls if calls are short."""
        if self.start_timeout_s is not None:
            return self.start_timeout_s
        return max(self.timeout_s, min(START_TIMEOUT_S, _STARTS_LIKE_CALLS * self.timeout_s))
