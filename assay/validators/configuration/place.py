"""A value of a configuration file together with the line it stands on, whatever the file is written in."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import TypeAlias

MOST_BYTES = 256 * 1024
"""A configuration nobody could read is no configuration."""
MOST_DEPTH = 32
MOST_VALUES = 20_000

_LINE_END = re.compile("\r\n?|\n")

Scalar: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One key of a mapping, the line it stands on, and its value."""

    key: str
    line: int
    place: Place


@dataclass(frozen=True, slots=True)
class Place:
    """A value where it stands (1-based line). Mappings keep every entry, in the order written."""

    line: int
    value: Scalar | tuple[Place, ...] | Mapping

    def shown(self) -> str:
        """The value as a message quotes it, short."""
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
    """Something wrong on a line of the file being read."""

    line: int
    message: str


class Lines:
    r"""Where the lines of a text end, as editors count them: at `\n`, `\r\n` and `\r`, and nowhere else.

    YAML 1.1 and Python know more line ends (U+0085, U+2028, a form feed); their line numbers lead nobody anywhere.
    """

    def __init__(self, text: str) -> None:
        self._ends = [found.end() - 1 for found in _LINE_END.finditer(text)]

    def at(self, index: int) -> int:
        """The 1-based line of the character at `index`."""
        return bisect_left(self._ends, index) + 1

    def __len__(self) -> int:
        return len(self._ends) + 1


class Unusable(Exception):
    """The file as a whole cannot be read; carries the one problem that says so."""

    def __init__(self, line: int | None, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message
