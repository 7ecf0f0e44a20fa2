"""Errors of a memory evaluation; each message is one line.

    MemoryEvalError
    ├── ExamUsageError            invalid request                                      exit 2
    │   ├── TooFewQuestions       the world has too few questions
    │   ├── UnknownAdapter
    │   ├── WorldUnreadable       unreadable world, answers or snapshot, with file:line
    │   └── UnknownDataset
    └── ExamCouldNotRun           could not run; no statement about the agent          exit 3
        ├── AgentFailed           the agent did not start, died, or never answered
        ├── AgentCallFailed       one call failed; recorded with the question, the run continues
        │   ├── AgentTimedOut     the call took too long
        │   ├── AgentUnreachable  cannot connect
        │   └── CannotReset       the agent does not support reset
        └── JudgeUnavailable      a judge model is required and not available

A wrong answer is never an exception: it is a result.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from assay.coded_error import CodedError


class MemoryEvalError(CodedError):
    """An evaluation could not do what was requested; `str(error)` is one line."""

    exit_code = 3


class ExamUsageError(MemoryEvalError):
    """Invalid request."""

    exit_code = 2


class TooFewQuestions(ExamUsageError):
    """The world has fewer questions than requested."""

    code = "memory.too-few-questions"

    def __init__(self, asked: int, carried: int, num_turns: int) -> None:
        super().__init__(
            f"{asked} questions were asked for and a dialogue of {num_turns} turns carries {carried}, {asked - carried}"
            " too few: ask for more turns or fewer questions"
        )
        self.asked = asked
        self.carried = carried


class UnknownAdapter(ExamUsageError):
    """Unknown adapter name."""

    code = "memory.unknown-adapter"


class WorldUnreadable(ExamUsageError):
    """A file of turns, questions, answers or memory cannot be read."""


class UnknownDataset(ExamUsageError):
    """Unknown dataset, or one that does not match its checksum."""


class ExamCouldNotRun(MemoryEvalError):
    """The evaluation could not run; says nothing about the agent's memory."""


class AgentFailed(ExamCouldNotRun):
    """The agent did not start, died, or answered no call at all."""


class AgentCallFailed(ExamCouldNotRun):
    """One call to the agent failed; the next one may succeed."""


class AgentTimedOut(AgentCallFailed):
    """The agent took longer than the time limit of a call."""

    code = "agent.timed-out"


class AgentUnreachable(AgentCallFailed):
    """Cannot connect to the agent, or the connection was lost."""

    code = "agent.unreachable"


class CannotReset(AgentCallFailed):
    """The agent does not support reset."""

    code = "agent.cannot-reset"


class CannotRetrieve(AgentCallFailed):
    """The agent does not offer `retrieve`."""

    code = "agent.cannot-retrieve"


class JudgeUnavailable(ExamCouldNotRun):
    """A judge model is required, but is not available or failed its probes."""


@contextmanager
def told_in_a_line(place: Path, done: Literal["read", "written"]) -> Iterator[None]:
    """Report an OSError of the block in one line: what cannot be read or written, and why.

    Raises `ExamUsageError` instead of the OSError; `place` is named if the error has no file name.
    """
    try:
        yield
    except OSError as error:
        why = error.strerror or error
        raise ExamUsageError(f"{error.filename or place}: cannot be {done} ({why})", code=f"file.not-{done}") from None
