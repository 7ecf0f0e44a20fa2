"""What an agent's program says, as lines: kept while they are of a sensible length, read as JSON objects."""

from __future__ import annotations

import json
from collections import deque
from typing import Any

from assay.memory_eval.errors import AgentCallFailed

MOST_BYTES = 8 * 1024 * 1024
"""The longest line that is read; a longer one is skipped, and its call has failed."""

MOST_LINES = 10_000
"""Lines that wait to be read; nothing is asked of a program that is so far ahead of its questions."""

TOO_LONG = b"{too long}"
"""Stands in for a line that was too long to be kept."""


class Lines:
    """Lines as they become complete; one that is too long is dropped as it comes, so that it takes no room."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._lines: deque[bytes] = deque()
        self._skipping = False

    @property
    def is_full(self) -> bool:
        """Whether more of them wait than anybody asked for: then no more are to be taken in."""
        return len(self._lines) > MOST_LINES or sum(map(len, self._lines)) > MOST_BYTES

    def add(self, data: bytes) -> None:
        *ends, rest = data.split(b"\n")
        for end in ends:
            self._more(end)
            self._lines.append(TOO_LONG if self._skipping else b"".join(self._parts))
            self._parts, self._size, self._skipping = [], 0, False
        self._more(rest)

    def next(self) -> bytes | None:
        """The next complete line."""
        return self._lines.popleft() if self._lines else None

    def drop(self) -> bytes:
        """Forget every complete line, and give the last of them; one that is still coming goes on."""
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
    """The object a line holds; raises `AgentCallFailed` where it holds none, or was too long."""
    if line is TOO_LONG:
        raise AgentCallFailed(f"the answer is longer than {MOST_BYTES // 1024 // 1024} MB")
    try:
        value = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise AgentCallFailed(f"said what is no JSON object: {line[:100].decode('utf-8', 'replace')!r}")
    return value
