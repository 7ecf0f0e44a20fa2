"""Sessions of Claude Code: the files under `~/.claude/projects`, and the output of `--output-format stream-json`.

One JSON object a line. An answer of the model may be spread over several lines with one message id, each with the
usage so far, so usage is counted once per id. A tool's call and its result are in different messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from assay.github_app.provenance.traces.loose_values import (
    count,
    items,
    mapping,
    moment,
    said,
    seconds,
    short,
    summary_of,
    text_of,
)
from assay.github_app.provenance.traces.step import BadLine, Ending, Entry, Step, StepKind, Trace

_TYPES = frozenset(("user", "assistant", "system", "summary", "result", "attachment", "progress"))
_INTERRUPTED = "[Request interrupted by user"
_REJECTED = "The user doesn't want to proceed"
_ENDINGS = {
    "success": Ending.completed,
    "error_max_turns": Ending.out_of_time,
    "error_max_budget_usd": Ending.out_of_time,
    "error_during_execution": Ending.failed,
}


def is_claude_code(data: Mapping[str, Any]) -> bool:
    """Detect the format by a session id on a line of one of its types."""
    has_session = isinstance(data.get("sessionId"), str) or isinstance(data.get("session_id"), str)
    return has_session and short(data.get("type")) in _TYPES and "payload" not in data


def read_claude_code(entries: Sequence[Entry]) -> tuple[Sequence[Trace], Sequence[BadLine]]:
    """Return one trace per session id, in order of their first lines."""
    sessions: dict[str, _Session] = {}
    bad: list[BadLine] = []
    last = ""
    for entry in entries:
        data = entry.data
        if not isinstance(data.get("type"), str):
            bad.append(BadLine(entry.line, "an object without a type"))
            continue
        # Summaries and file snapshots have no session id: they belong to the surrounding session.
        last = short(data.get("sessionId")) or short(data.get("session_id")) or last
        sessions.setdefault(last, _Session(last or None)).take(data)
    return [session.trace() for session in sessions.values() if session.is_any], bad


@dataclass
class _Session:
    session_id: str | None
    steps: list[Step] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    usage: dict[str, tuple[int, int]] = field(default_factory=dict)
    times: list[datetime] = field(default_factory=list)
    ending: Ending = Ending.unknown
    model: str | None = None
    branch: str | None = None
    total: tuple[int, int] | None = None
    is_any: bool = False

    def take(self, data: Mapping[str, Any]) -> None:
        at = moment(data.get("timestamp"))
        if at is not None:
            self.times.append(at)
        self.branch = short(data.get("gitBranch")) or self.branch
        kind, message = data["type"], mapping(data.get("message"))
        self.is_any = self.is_any or kind in ("user", "assistant", "result")
        if kind == "assistant":
            self._answer(data, message, at)
        elif kind == "user":
            self._turn(message, at)
        elif kind == "result":
            self._result(data, at)
        elif kind == "system":
            self.model = short(data.get("model")) or self.model

    def _answer(self, data: Mapping[str, Any], message: Mapping[str, Any], at: datetime | None) -> None:
        model = short(message.get("model"))
        self.model = model if model and not model.startswith("<") else self.model
        message_id = short(message.get("id")) or f"#{len(self.steps)}"
        used = _usage(message.get("usage"))
        is_new = message_id not in self.usage
        if used is not None:
            self.usage[message_id] = used
        failed = data.get("isApiErrorMessage") is True
        if is_new or failed:
            words = said(text_of(message.get("content"))) if failed else ""
            self.usage.setdefault(message_id, (0, 0))
            self.steps.append(Step(StepKind.model, model or "model", at, is_error=failed, said=words))
        for part in items(message.get("content")):
            if part.get("type") in ("tool_use", "server_tool_use"):
                self._call(part, at)
        stop = message.get("stop_reason")
        self.ending = Ending.failed if failed else Ending.completed if stop == "end_turn" else Ending.unknown

    def _call(self, part: Mapping[str, Any], at: datetime | None) -> None:
        call_id = short(part.get("id"))
        if call_id is not None:
            self.places[call_id] = len(self.steps)
        self.steps.append(
            Step(StepKind.tool, short(part.get("name")) or "tool", at, about=summary_of(part.get("input")))
        )

    def _turn(self, message: Mapping[str, Any], at: datetime | None) -> None:
        content = message.get("content")
        results = [part for part in items(content) if part.get("type") == "tool_result"]
        for part in results:
            self._result_of(part, at)
        words = text_of(content)
        if words.lstrip().startswith(_INTERRUPTED):
            self.steps.append(Step(StepKind.person, "interrupted", at))
            self.ending = Ending.aborted
        elif not results and words.strip():
            self.steps.append(Step(StepKind.person, "asked", at))
            self.ending = Ending.unknown

    def _result_of(self, part: Mapping[str, Any], at: datetime | None) -> None:
        place = self.places.get(short(part.get("tool_use_id")) or "")
        if place is None:
            return
        call = self.steps[place]
        failed = part.get("is_error") is True
        took = (at - call.at).total_seconds() if at and call.at else None
        self.steps[place] = Step(
            call.kind,
            call.name,
            call.at,
            took if took is not None and took >= 0 else None,
            failed,
            call.about,
            _why(text_of(part.get("content"))) if failed else "",
        )

    def _result(self, data: Mapping[str, Any], at: datetime | None) -> None:
        subtype = data.get("subtype")
        known = _ENDINGS.get(subtype) if isinstance(subtype, str) else None
        self.ending = known or Ending.failed
        if data.get("is_error") is True and self.ending is Ending.completed:
            self.ending = Ending.failed
        if self.ending is not Ending.completed:
            label = short(subtype) or "error"
            self.steps.append(Step(StepKind.note, label, at, is_error=True, said=said(data.get("result"))))
        self.total = _usage(data.get("usage")) or self.total
        self._spread(seconds(data.get("duration_ms"), per_second=1000))

    def _spread(self, duration_s: float | None) -> None:
        """Add a step with the total duration: the stream has no other times."""
        if duration_s is not None and not self.times:
            self.steps.append(Step(StepKind.note, "whole", duration_s=duration_s))

    def trace(self) -> Trace:
        tokens = self.total
        if tokens is None and self.usage:
            tokens = (sum(one for one, _ in self.usage.values()), sum(one for _, one in self.usage.values()))
        return Trace(
            "claude_code",
            self.session_id,
            tuple(self.steps),
            self.ending,
            branch=self.branch,
            agent="claude",
            model=self.model,
            started_at=min(self.times, default=None),
            ended_at=max(self.times) if len(self.times) > 1 else None,
            num_tokens_in=tokens[0] if tokens else None,
            num_tokens_out=tokens[1] if tokens else None,
        )


def _why(text: str) -> str:
    """Return the first words of an error, without the reason a user gave for refusing the call."""
    return "rejected by the user" if text.lstrip().startswith(_REJECTED) else said(text)


def _usage(value: object) -> tuple[int, int] | None:
    """Return (tokens in, tokens out); input counts new, cache-written and cache-read tokens."""
    used = mapping(value)
    if not used:
        return None
    parts = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return sum(count(used.get(part)) or 0 for part in parts), count(used.get("output_tokens")) or 0
