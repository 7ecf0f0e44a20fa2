"""Output of a process, kept within limits."""

from __future__ import annotations

from collections import deque


class Kept:
    """Beginning and end of a stream, within a limit."""

    def __init__(self, limit: int) -> None:
        self._room = limit // 2
        self._tail_limit = limit - self._room
        self._head: list[bytes] = []
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self.num_dropped = 0

    def add(self, data: bytes) -> None:
        if self._room:
            self._head.append(data[: self._room])
            data, self._room = data[self._room :], max(0, self._room - len(data))
        if data:
            self._tail.append(data)
            self._tail_size += len(data)
        while self._tail and self._tail_size - len(self._tail[0]) >= self._tail_limit:
            dropped = len(self._tail.popleft())
            self._tail_size -= dropped
            self.num_dropped += dropped

    def value(self) -> bytes:
        note = f"\n[... {self.num_dropped} bytes not kept ...]\n".encode() if self.num_dropped else b""
        return b"".join(self._head) + note + b"".join(self._tail)


class ShortLines(Kept):
    """Beginning of each line of a stream."""

    def __init__(self, limit: int, longest: int) -> None:
        super().__init__(limit)
        self._longest = self._left = longest

    def add(self, data: bytes) -> None:
        kept = []
        for at, part in enumerate(data.split(b"\n")):
            self._left = self._longest if at else self._left
            kept.append(part[: self._left])
            self._left -= len(kept[-1])
        super().add(b"\n".join(kept))
