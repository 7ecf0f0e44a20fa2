"""Output lines of an agent's process, bounded in length and parsed as JSON objects."""

from __future__ import annotations

import json
from collections import deque
from typing import Any

from assay.memory_eval.errors import AgentCallFailed

MOST_BYTES = 8 * 1024 * 1024
"""The longest line that is read; a longer one is skipped and its call fails."""

MOST_LINES = 10_000
"""Most unread lines; calls to a program that is further ahead fail."""

TOO_LONG = b"{too long}"
"""Placeholder for a line that was too long to keep."""


class Lines:
    """Buffer of complete lines; lines that are too long are discarded while they arrive."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._lines: deque[bytes] = deque()
        self._skipping = False

    @property
    def is_full(self) -> bool:
        """Whether too many unread lines are waiting; reading must then stop."""
        return len(self._lines) > MOST_LINES or sum(map(len, self._lines)) > MOST_BYTES

    def add(self, data: bytes) -> None:
        *ends, rest = data.split(b"\n")
        for end in ends:
            self._more(end)
            self._lines.append(TOO_LONG if self._skipping else b"".join(self._parts))
            self._parts, self._size, self._skipping = [], 0, False
        self._more(rest)

    def next(self) -> bytes | None:
        """Return the next complete line."""
        return self._lines.popleft() if self._lines else None

    def drop(self) -> bytes:
        """Discard all complete lines and return the last one; keep a partial line."""
        last = self._lines[-1] + b"\n" if self._lines else b""
        self._lines.clear()
        return last

    def _more(self, data: bytes) -> None:
        self._size += len(data)
        if self._size > MOST_BYTES:
            self._parts, self._skipping = [], True
        elif data:
            self._parts.append(data)


def object_of(line: bytes) -> dict[str, Any]:
    """Parse a line as a JSON object; raises `AgentCallFailed` if it is not one or was too long."""
    if line is TOO_LONG:
        raise AgentCallFailed(f"the answer is longer than {MOST_BYTES // 1024 // 1024} MB")
    try:
        value = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise AgentCallFailed(
            f"replied with something other than a JSON object: {line[:100].decode('utf-8', 'replace')!r}",
            code="agent.invalid-reply",
        )
    return value
