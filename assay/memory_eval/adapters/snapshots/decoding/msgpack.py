"""MessagePack into plain data; extension types stay labelled bytes.

A small strict decoder: the packages for it also build objects, and this one needs 60 lines. The format is
https://github.com/msgpack/msgpack/blob/master/spec.md
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

MOST_DEPTH = 100
MOST_VALUES = 1_000_000
"""Values of one message and of those inside it; each takes about 60 bytes, and one byte of the message."""

_NIL, _FALSE, _TRUE = 0xC0, 0xC2, 0xC3
_NUMBERS = {
    0xCA: ">f",
    0xCB: ">d",
    0xCC: ">B",
    0xCD: ">H",
    0xCE: ">I",
    0xCF: ">Q",
    0xD0: ">b",
    0xD1: ">h",
    0xD2: ">i",
    0xD3: ">q",
}
_SIZED = {
    **dict(zip((0xC4, 0xC5, 0xC6), (("bin", size) for size in (1, 2, 4)), strict=True)),
    **dict(zip((0xC7, 0xC8, 0xC9), (("ext", size) for size in (1, 2, 4)), strict=True)),
    **dict(zip((0xD9, 0xDA, 0xDB), (("str", size) for size in (1, 2, 4)), strict=True)),
    **dict(zip((0xDC, 0xDD), (("array", size) for size in (2, 4)), strict=True)),
    **dict(zip((0xDE, 0xDF), (("map", size) for size in (2, 4)), strict=True)),
}
_FIXED_EXT = {0xD4: 1, 0xD5: 2, 0xD6: 4, 0xD7: 8, 0xD8: 16}


class NotMsgpack(ValueError):
    """The data is cut off, nested too deep, or not MessagePack."""


@dataclass(frozen=True, slots=True)
class Ext:
    """A value of an extension type: its number and its bytes."""

    code: int
    data: bytes


class Msgpack:
    """Decoder of one message and of those inside its extension types, which count together."""

    def __init__(self) -> None:
        self.num_values = 0

    def decoded(self, data: bytes) -> Any:
        """Return the one value that the bytes contain; raise NotMsgpack for anything else."""
        try:
            decoder = _Decoder(data, self)
            value = decoder.value(0)
        except (struct.error, UnicodeDecodeError, TypeError) as error:
            raise NotMsgpack(f"damaged MessagePack ({type(error).__name__})") from error
        if decoder.place != len(data):
            raise NotMsgpack("damaged MessagePack (bytes after its end)")
        return value


class _Decoder:
    def __init__(self, data: bytes, whole: Msgpack) -> None:
        self._data = data
        self._whole = whole
        self.place = 0

    def value(self, depth: int) -> Any:
        if depth > MOST_DEPTH:
            raise NotMsgpack(f"MessagePack nested more than {MOST_DEPTH} deep")
        self._whole.num_values += 1
        if self._whole.num_values > MOST_VALUES:
            raise NotMsgpack(f"MessagePack of more than {MOST_VALUES:,} values")
        first = self._taken(1)[0]
        if first < 0x80 or first >= 0xE0:
            return first if first < 0x80 else first - 0x100
        if first < 0xC0:
            kind, size = ("map", first & 15) if first < 0x90 else ("array", first & 15)
            return self._container(kind, size, depth) if first < 0xA0 else self._of("str", first & 31)
        if first in _NUMBERS:
            form = _NUMBERS[first]
            return struct.unpack(form, self._taken(struct.calcsize(form)))[0]
        if first in _SIZED:
            kind, width = _SIZED[first]
            size = int.from_bytes(self._taken(width), "big")
            return self._container(kind, size, depth) if kind in ("array", "map") else self._of(kind, size)
        if first in _FIXED_EXT:
            return self._of("ext", _FIXED_EXT[first])
        if first in (_NIL, _FALSE, _TRUE):
            return None if first == _NIL else first == _TRUE
        raise NotMsgpack("damaged MessagePack (a reserved byte)")

    def _of(self, kind: str, size: int) -> Any:
        if kind == "ext":
            code = self._taken(1)[0]
            return Ext(code - 0x100 if code > 0x7F else code, self._taken(size))
        data = self._taken(size)
        return data.decode("utf-8", "surrogatepass") if kind == "str" else data

    def _container(self, kind: str, size: int, depth: int) -> Any:
        if size * (1 + (kind == "map")) > len(self._data) - self.place:
            raise NotMsgpack("damaged MessagePack (larger than its bytes)")
        if kind == "array":
            return [self.value(depth + 1) for _ in range(size)]
        return {self.value(depth + 1): self.value(depth + 1) for _ in range(size)}

    def _taken(self, size: int) -> bytes:
        end = self.place + size
        if end > len(self._data):
            raise NotMsgpack("MessagePack that is cut off")
        data, self.place = self._data[self.place : end], end
        return data
