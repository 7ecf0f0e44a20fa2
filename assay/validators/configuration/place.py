"""Values of a configuration file with their lines, for any file format."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import TypeAlias

MOST_BYTES = 256 * 1024
"""Bytes; a valid configuration is far smaller."""
MOST_DEPTH = 32
MOST_VALUES = 20_000

_LINE_END = re.compile("\r\n?|\n")

Scalar: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Entry:
    """Key of a mapping, with its line and value."""

    key: str
    line: int
    place: Place


@dataclass(frozen=True, slots=True)
class Place:
    """Value with its 1-based line. Mappings keep every entry, in the order written."""

    line: int
    value: Scalar | tuple[Place, ...] | Mapping

    def shown(self) -> str:
        """Return the value in short form for a message."""
        if isinstance(self.value, Mapping):
            return "a mapping"
        if isinstance(self.value, tuple):
            return "a list"
        if isinstance(self.value, bool) or self.value is None:
            return {True: "true", False: "false", None: "nothing"}[self.value]
        text = str(self.value)
        text = text if len(text) <= 60 else text[:57] + "…"
        return f"'{text}'" if isinstance(self.value, str) else text


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys and their values."""

    entries: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """Problem on a line of the file."""

    line: int
    message: str
    code: str


class Lines:
    r"""Line ends of a text as editors count them: `\n`, `\r\n` and `\r` only.

    YAML 1.1 and Python count more (U+0085, U+2028, a form feed), which would give wrong line numbers.
    """

    def __init__(self, text: str) -> None:
        self._ends = [found.end() - 1 for found in _LINE_END.finditer(text)]

    def at(self, index: int) -> int:
        """Return the 1-based line of the character at `index`."""
        return bisect_left(self._ends, index) + 1

    def __len__(self) -> int:
        return len(self._ends) + 1


class Bounds:
    """Limits of a file while it is read: its depth and the number of its values."""

    def __init__(self) -> None:
        self._num_values = 0

    def count(self, line: int, depth: int) -> None:
        """Count a value; raise `Unusable` if it is one too many, or too deep."""
        self._num_values += 1
        if depth > MOST_DEPTH:
            raise Unusable(line, f"nested deeper than {MOST_DEPTH} levels", "config.too-large")
        if self._num_values > MOST_VALUES:
            raise Unusable(line, f"more than {MOST_VALUES} values", "config.too-large")


class Unusable(Exception):
    """File that cannot be read at all, with the one problem that says why."""

    def __init__(self, line: int | None, message: str, code: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message
        self.code = code
