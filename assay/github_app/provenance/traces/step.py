"""An agent's steps in one session, independent of the recording program, and the session's ending.

Prompts, answers and the output of tools are not stored. Of a tool call its name, a short description and, if it
failed, the first words of the error are stored, without text that looks like a credential.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import PlainSerializer, TypeAdapter

MOST_STEPS = 20_000
"""Maximum stored steps of one session; of a longer one, half from its start and half from its end."""


class StepKind(StrEnum):
    """Actor of a step."""

    model = "model"
    tool = "tool"
    person = "person"
    note = "note"


class Ending(StrEnum):
    """Ending of a session, as recorded in its file."""

    completed = "completed"
    failed = "failed"
    aborted = "aborted"
    out_of_time = "out_of_time"
    unknown = "unknown"


Milliseconds = Annotated[float, PlainSerializer(lambda seconds: round(seconds, 3))]
"""Seconds, stored to the millisecond."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step. `about` is a command, path or query; `said` the first words of an error."""

    kind: StepKind
    name: str
    at: datetime | None = None
    duration_s: Milliseconds | None = None
    is_error: bool = False
    about: str = ""
    said: str = ""

    def as_data(self) -> dict[str, Any]:
        """Return plain data without empty values."""
        data: dict[str, Any] = _STEP.dump_python(self, mode="json", exclude_defaults=True)
        return data


_STEP = TypeAdapter(Step)


@dataclass(frozen=True, slots=True)
class Trace:
    """One session. Input tokens are those of every prompt, cached or not; None if they were not counted."""

    source: str
    session_id: str | None
    steps: tuple[Step, ...]
    ending: Ending = Ending.unknown
    task_id: str | None = None
    branch: str | None = None
    agent: str | None = None
    model: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    num_tokens_in: int | None = None
    num_tokens_out: int | None = None

    @property
    def duration_s(self) -> float | None:
        if self.started_at is None or self.ended_at is None:
            return None
        return max(0.0, (self.ended_at - self.started_at).total_seconds())

    @property
    def num_tool_calls(self) -> int:
        return sum(step.kind is StepKind.tool for step in self.steps)

    @property
    def num_errors(self) -> int:
        return sum(step.is_error for step in self.steps)


def bounded(trace: Trace) -> Trace:
    """Cut the trace to `MOST_STEPS` steps, with a note of what was omitted in the middle."""
    if len(trace.steps) <= MOST_STEPS:
        return trace
    half = MOST_STEPS // 2
    gap = Step(StepKind.note, "left_out", about=f"{len(trace.steps) - 2 * half + 1} steps")
    return replace(trace, steps=(*trace.steps[:half], gap, *trace.steps[-half + 1 :]))


def step_from(data: Mapping[str, Any]) -> Step:
    """Restore a step from the data of `as_data`."""
    return _STEP.validate_python(data)


@dataclass(frozen=True, slots=True)
class Entry:
    """One object of a session's file, and the line it begins on."""

    line: int
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that could not be read, and the reason, without quoting it."""

    line: int
    why: str
