"""Sessions of Codex: the rollout files under `~/.codex/sessions`, and the output of `codex exec --json`.

Rollouts wrap each line as {timestamp, type, payload}; those of 2025 have the bare items, without times, after a line
with its author. `exec --json` writes flat events of threads, turns and items. Tokens of a rollout are cumulative
totals of the session, so the last one counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from assay.github_app.provenance.traces.step import Ending, Step, StepKind, Trace
from assay.github_app.provenance.traces.trace_reader import BadLine, Entry

_WRAPPED = frozenset(("session_meta", "response_item", "event_msg", "turn_context", "compacted"))
_BARE = frozenset(
    ("message", "reasoning", "function_call", "function_call_output", "local_shell_call", "web_search_call")
)
_FLAT = re.compile(r"(?:thread|turn|item)\.[a-z_]+")
_EXIT = re.compile(r"(?:Process exited with code|Exit code:)\s*(-?\d{1,6})")
_CALLS = frozenset(("function_call", "custom_tool_call", "local_shell_call", "web_search_call"))
_OUTPUTS = frozenset(("function_call_output", "custom_tool_call_output"))
_ITEMS = frozenset(("command_execution", "mcp_tool_call", "file_change", "web_search", "collab_tool_call"))
_MOST_OUTPUT = 256 * 1024


class Codex:
    """Reader of Codex sessions."""

    name = "codex"

    def fits(self, data: Mapping[str, Any]) -> bool:
        """Detect the format by its wrapping, the dotted names of flat events, or the first line of an old rollout."""
        kind = data.get("type")
        if not isinstance(kind, str):
            return _is_old_beginning(data)
        return (kind in _WRAPPED and isinstance(data.get("payload"), dict)) or _FLAT.fullmatch(kind) is not None

    def read(self, entries: Sequence[Entry]) -> tuple[Sequence[Trace], Sequence[BadLine]]:
        """Return the single trace of a file; a forked session only names its origin."""
        session, bad = _Session(), []
        for entry in entries:
            kind, payload = entry.data.get("type"), entry.data.get("payload")
            if _is_old_beginning(entry.data):
                session.take("session_meta", entry.data, moment(entry.data.get("timestamp")))
            elif entry.data.get("record_type") == "state":
                continue
            elif isinstance(kind, str) and kind in _BARE:
                session.take("response_item", entry.data, None)
            elif not isinstance(kind, str) or (kind in _WRAPPED and not isinstance(payload, dict)):
                bad.append(BadLine(entry.line, "an object that is not a session event"))
            elif kind in _WRAPPED:
                session.take(kind, mapping(payload), moment(entry.data.get("timestamp")))
            else:
                session.take_flat(kind, entry.data)
        return [session.trace()], bad


def _is_old_beginning(data: Mapping[str, Any]) -> bool:
    return "type" not in data and {"id", "timestamp", "instructions"} <= data.keys()


@dataclass
class _Session:
    session_id: str | None = None
    steps: list[Step] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    times: list[datetime] = field(default_factory=list)
    ending: Ending = Ending.unknown
    model: str | None = None
    branch: str | None = None
    tokens: tuple[int, int] | None = None

    def take(self, kind: str, payload: Mapping[str, Any], at: datetime | None) -> None:
        """Read a line of a rollout."""
        if at is not None:
            self.times.append(at)
        if kind == "session_meta" and self.session_id is None and "id" in payload:
            self.session_id = short(payload.get("id"))
            self.branch = short(mapping(payload.get("git")).get("branch"))
        elif kind == "turn_context":
            self.model = short(payload.get("model")) or self.model
        elif kind == "response_item":
            self._item(payload, at)
        elif kind == "event_msg":
            self._event(payload, at)

    def _item(self, payload: Mapping[str, Any], at: datetime | None) -> None:
        kind = short(payload.get("type")) or ""
        if kind in _CALLS:
            given = payload.get("action") or payload.get("input") or _decoded(payload.get("arguments"))
            self._call(payload.get("call_id"), short(payload.get("name")) or kind, summary_of(given), at)
        elif kind in _OUTPUTS:
            self._output(payload, at)
        elif kind == "message" and payload.get("role") == "assistant":
            self.steps.append(Step(StepKind.model, self.model or "model", at))

    def _call(self, call_id: object, name: str, about: str, at: datetime | None) -> None:
        known = short(call_id)
        if known is not None:
            self.places[known] = len(self.steps)
        self.steps.append(Step(StepKind.tool, name, at, about=about))

    def _output(self, payload: Mapping[str, Any], at: datetime | None) -> None:
        output = payload.get("output")
        text = output[:_MOST_OUTPUT] if isinstance(output, str) else text_of(mapping(output).get("content") or output)
        decoded = mapping(_decoded(text))
        code = mapping(decoded.get("metadata")).get("exit_code")
        if not isinstance(code, int):
            found = _EXIT.search(text[:500])
            code = int(found[1]) if found else 0
        failed = code != 0 or mapping(output).get("success") is False
        words = decoded.get("output") if isinstance(decoded.get("output"), str) else text
        self._ended(payload.get("call_id"), at, None, failed, said(words) if failed else "")

    def _ended(self, call_id: object, at: datetime | None, took_s: float | None, failed: bool, words: str) -> None:
        place = self.places.get(short(call_id) or "")
        if place is None:
            return
        call = self.steps[place]
        if took_s is None and at and call.at and at >= call.at:
            took_s = (at - call.at).total_seconds()
        # A call recorded both as an event and as an output failed if either says so.
        self.steps[place] = replace(
            call,
            duration_s=call.duration_s if took_s is None else took_s,
            is_error=call.is_error or failed,
            said=call.said or words,
        )

    def _event(self, payload: Mapping[str, Any], at: datetime | None) -> None:
        kind = short(payload.get("type"))
        if kind == "token_count":
            info = mapping(payload.get("info"))
            self.tokens = _usage(info.get("total_token_usage")) or self.tokens
        elif kind == "user_message":
            self.steps.append(Step(StepKind.person, "asked", at))
            self.ending = Ending.unknown
        elif kind in ("task_complete", "turn_complete"):
            self.ending = Ending.completed
        elif kind == "turn_aborted":
            self.ending = Ending.aborted
            self.steps.append(Step(StepKind.person, "aborted", at, about=short(payload.get("reason")) or ""))
        elif kind in ("error", "stream_error"):
            self._failed(payload.get("message"), at, is_last=kind == "error")
        elif kind == "exec_command_end":
            code = payload.get("exit_code")
            failed = isinstance(code, int) and code != 0
            words = said(payload.get("stderr") or payload.get("aggregated_output")) if failed else ""
            self._ended(payload.get("call_id"), at, _span(payload.get("duration")), failed, words)

    def _failed(self, message: object, at: datetime | None, *, is_last: bool) -> None:
        self.steps.append(Step(StepKind.model, self.model or "model", at, is_error=True, said=said(message)))
        if is_last:
            self.ending = Ending.failed

    def take_flat(self, kind: str, data: Mapping[str, Any]) -> None:
        """Read a line of `codex exec --json`, which has no times."""
        if kind == "thread.started":
            self.session_id = self.session_id or short(data.get("thread_id"))
        elif kind == "turn.completed":
            self.ending = Ending.completed
            used = _usage(data.get("usage"))
            if used is not None:
                before = self.tokens or (0, 0)
                self.tokens = (before[0] + used[0], before[1] + used[1])
        elif kind == "turn.failed":
            self._failed(mapping(data.get("error")).get("message"), None, is_last=True)
        elif kind == "item.completed":
            self._flat_item(mapping(data.get("item")))

    def _flat_item(self, item: Mapping[str, Any]) -> None:
        kind = short(item.get("type")) or ""
        if kind == "agent_message":
            self.steps.append(Step(StepKind.model, self.model or "model"))
        elif kind == "error":
            self._failed(item.get("message"), None, is_last=False)
        elif kind in _ITEMS:
            code, status = item.get("exit_code"), item.get("status")
            failed = status == "failed" or (isinstance(code, int) and code != 0)
            words = item.get("aggregated_output") or mapping(item.get("error")).get("message")
            changes = [one.get("path") for one in items(item.get("changes"))]
            about = summary_of(item) if not changes else summary_of({"command": [str(one) for one in changes]})
            name = short(item.get("tool")) or kind
            self.steps.append(
                Step(StepKind.tool, name, is_error=failed, about=about, said=said(words) if failed else "")
            )

    def trace(self) -> Trace:
        return Trace(
            "codex",
            self.session_id,
            tuple(self.steps),
            self.ending,
            branch=self.branch,
            agent="codex",
            model=self.model,
            started_at=min(self.times, default=None),
            ended_at=max(self.times) if len(self.times) > 1 else None,
            num_tokens_in=self.tokens[0] if self.tokens else None,
            num_tokens_out=self.tokens[1] if self.tokens else None,
        )


def _usage(value: object) -> tuple[int, int] | None:
    """Return (tokens in, tokens out); the input already includes cached tokens."""
    used = mapping(value)
    if not used:
        return None
    return count(used.get("input_tokens")) or 0, count(used.get("output_tokens")) or 0


def _span(value: object) -> float | None:
    """Return a duration in seconds from {secs, nanos} or a plain number."""
    parts = mapping(value)
    whole = seconds(parts.get("secs")) if parts else seconds(value)
    return None if whole is None else whole + (seconds(parts.get("nanos"), per_second=1e9) or 0.0)


def _decoded(text: object) -> object:
    """Parse a text that is JSON; return any other unchanged."""
    if not isinstance(text, str) or not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
