"""What can stop an examination, each with the one line a person needs.

    MemoryEvalError
    ├── ExamUsageError            what was asked for does not make sense             exit 2
    │   ├── TooFewQuestions       the world cannot carry so many questions
    │   ├── UnknownAdapter
    │   ├── WorldUnreadable       a world, answers or a snapshot that cannot be read, with file:line
    │   └── UnknownDataset
    └── ExamCouldNotRun           we could not examine; says nothing of the agent     exit 3
        ├── AgentFailed           the agent did not start, died, or never answered
        ├── AgentCallFailed       one call to the agent went wrong; recorded with the question, the run goes on
        │   ├── AgentTimedOut     it took too long
        │   ├── AgentUnreachable  nobody took the call
        │   └── CannotReset       there is no way to make it forget
        └── JudgeUnavailable      the judge model is wanted and cannot be had

An agent that answers wrongly is never an exception: that is a result.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal


class MemoryEvalError(Exception):
    """An examination could not do what was asked; `str(error)` is one clear line."""

    exit_code = 3


class ExamUsageError(MemoryEvalError):
    """What was asked for does not make sense as it stands."""

    exit_code = 2


class TooFewQuestions(ExamUsageError):
    """The world carries fewer questions than were asked for."""

    def __init__(self, asked: int, carried: int, num_turns: int) -> None:
        super().__init__(
            f"{asked} questions were asked for and a dialogue of {num_turns} turns carries {carried}, {asked - carried}"
            " too few: ask for more turns or fewer questions"
        )
        self.asked = asked
        self.carried = carried


class UnknownAdapter(ExamUsageError):
    """No way to reach an agent is called so."""


class WorldUnreadable(ExamUsageError):
    """A file of turns, questions, answers or memory cannot be read as what it should be."""


class UnknownDataset(ExamUsageError):
    """No dataset is called so, or it is not what its checksum says."""


class ExamCouldNotRun(MemoryEvalError):
    """The examination could not be held; it says nothing about the agent's memory."""


class AgentFailed(ExamCouldNotRun):
    """The agent did not start, died half-way, or answered no call at all."""


class AgentCallFailed(ExamCouldNotRun):
    """One call to the agent was not answered as it should be; the next one may be."""


class AgentTimedOut(AgentCallFailed):
    """The agent took longer than a call may take."""


class AgentUnreachable(AgentCallFailed):
    """Nobody took the call: nothing listens there, or no longer."""


class CannotReset(AgentCallFailed):
    """The agent offers no way to forget."""


class JudgeUnavailable(ExamCouldNotRun):
    """Grading by a model was asked for and there is none, or it failed its own probes."""


@contextmanager
def told_in_a_line(place: Path, done: Literal["read", "written"]) -> Iterator[None]:
    """What the disk refuses meanwhile, as one line: what cannot be read or written, and why.

    Raises `ExamUsageError` in the place of an OSError; `place` is named where that names no file.
    """
    try:
        yield
    except OSError as error:
        why = error.strerror or error
        raise ExamUsageError(f"{error.filename or place}: cannot be {done} ({why})") from None
