"""The stop hook of coding agents: ask the feedback question once in a session, then take the answer.

Claude Code, Codex and Copilot run a command when the agent is about to stop and pass a JSON object on its standard
input. `{"decision": "block", "reason": …}` on standard output continues the turn with the reason as the next message.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from assay.coded_error import CodedError
from assay.github_app.provenance.declarations import FEEDBACK_QUESTION

MOST_TRANSCRIPT_BYTES = 64 * 1024 * 1024
"""Bytes read from the end of a transcript."""
MOST_PAYLOAD_BYTES = 8 * 1024 * 1024
ASK = json.dumps({"decision": "block", "reason": FEEDBACK_QUESTION})
"""Response that asks the question as a further turn."""
STOP = "{}"
"""Response that lets the agent stop; Codex rejects an empty one."""


class HookFailed(CodedError):
    """The hook could not run. Its exit code lets the agent stop: 2 would send the error to the agent as a task."""

    code = "feedback.hook"
    exit_code = 3


@dataclass(frozen=True, slots=True)
class Stopping:
    """A session about to stop: what to do, and the agent's answer with `step` "take"."""

    step: Literal["ask", "take", "stop"]
    session_id: str | None
    answer: str = ""


def stopping(payload: bytes) -> Stopping:
    """Read the payload of a stop hook, and the transcript that it names.

    The answer is the agent's last message if the question is the last message to the agent. A session in which the
    question was asked before is not asked again, and neither is a turn that another hook continued.

    Raises:
        HookFailed: the payload is not a JSON object, or the answer cannot be found.
    """
    try:
        data = json.loads(payload)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise HookFailed("standard input is not the JSON object of a stop hook")
    session_id = _text(data, "session_id", "sessionId")
    last = _text(data, "last_assistant_message")
    said = list(_messages(_text(data, "transcript_path", "transcriptPath")))
    is_continued = data.get("stop_hook_active") is True
    asked = [place for place, (role, text) in enumerate(said) if role == "user" and FEEDBACK_QUESTION in text]
    if not asked:
        if is_continued and not said and last:
            return Stopping("take", session_id, last)
        return Stopping("stop" if is_continued else "ask", session_id)
    later = said[asked[-1] + 1 :]
    if any(role == "user" for role, _ in later):
        return Stopping("stop", session_id)
    answer = last or (later[-1][1] if later else None)
    if answer is None:
        raise HookFailed("the transcript does not hold the agent's answer")
    return Stopping("take", session_id, answer)


def _text(data: Mapping[str, Any], *names: str) -> str | None:
    found = (data.get(name) for name in names)
    return next((value for value in found if isinstance(value, str) and value.strip()), None)


def _messages(transcript: str | None) -> Iterator[tuple[str, str]]:
    """Yield role and text of each message of a transcript; nothing if it cannot be read."""
    if transcript is None:
        return
    try:
        with Path(transcript).expanduser().open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - MOST_TRANSCRIPT_BYTES))
            lines = file.read(MOST_TRANSCRIPT_BYTES).splitlines()
    except (OSError, ValueError, RuntimeError):
        return
    for line in lines:
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            continue
        role, text = _message(_object(data))
        if role in ("user", "assistant") and text.strip():
            yield role, text


def _message(data: Mapping[str, Any]) -> tuple[object, str]:
    """Return role and text of a line: of Claude Code, Codex (`response_item`), or Copilot (`user.message`)."""
    kind = data.get("type")
    if kind in ("user", "assistant"):
        return kind, _text_of(_object(data.get("message")).get("content"))
    if kind == "response_item":
        payload = _object(data.get("payload"))
        return payload.get("role"), _text_of(payload.get("content"))
    if kind in ("user.message", "assistant.message"):
        return kind.partition(".")[0], _text_of(_object(data.get("data")).get("content"))
    return None, ""


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text_of(content: object) -> str:
    """Return the text of a message's content: itself, or the texts of its parts."""
    if isinstance(content, str):
        return content
    parts = [_object(part).get("text") for part in content] if isinstance(content, list) else []
    return "\n".join(part for part in parts if isinstance(part, str))
