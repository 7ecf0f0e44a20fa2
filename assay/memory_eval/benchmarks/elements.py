"""Objects of a large JSON file, one at a time, with their lines; bounded, since the file is untrusted.

A benchmark file can be larger than the memory of a machine (LongMemEval's longest has 2.7 GB), its elements are not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from pydantic import BaseModel, ConfigDict

from assay.memory_eval.errors import WorldUnreadable
from assay.memory_eval.files.rows import Row, strict_decoder

MOST_CHARACTERS = 128 * 1024 * 1024
"""Longest element, in characters. A haystack of LongMemEval-M has 6 million, a chat of BEAM 500K 3 million."""
MOST_ELEMENTS = 20_000
FIRST_CHARACTERS = 1024 * 1024


_BLANK = re.compile(r"[ \t\r\n]*")


class Part(BaseModel):
    """A part of a benchmark's file. Other keys are ignored: copies add their own."""

    model_config = ConfigDict(extra="ignore", frozen=True)


def elements_of(path: Path) -> Iterator[Row]:
    """Yield the elements of the list in a JSON file; raises `WorldUnreadable` with file:line.

    A file with one object is a list of one.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            yield from _Elements(path, file).read()
    except UnicodeDecodeError:
        raise WorldUnreadable(f"{path}: not UTF-8", code="world.invalid-row") from None
    except OSError as error:
        raise WorldUnreadable(f"{path}: cannot be read ({error.strerror or error})", code="file.not-read") from None


class _Elements:
    def __init__(self, path: Path, file: TextIO) -> None:
        self._path = str(path)
        self._file = file
        self._decoder = strict_decoder()
        self._text = ""
        self._line = 1
        self._is_whole = False

    def read(self) -> Iterator[Row]:
        """Yield each element of the list."""
        first = self._next_sign()
        if first == "{":
            yield self._element()
        elif first == "[":
            self._take(1)
            yield from self._list()
        else:
            self._row().wrong("expected a list or an object" if first else "the file is empty")
        if self._next_sign():
            self._row().wrong("not JSON: text after the end")

    def _list(self) -> Iterator[Row]:
        if self._next_sign() == "]":
            self._take(1)
            return
        for number in range(MOST_ELEMENTS + 1):
            if number == MOST_ELEMENTS:
                self._row().wrong(f"more than {MOST_ELEMENTS:,} elements")
            if (sign := self._next_sign()) != "{":
                self._row().wrong(f"element {number}: expected an object" if sign else "the list does not end")
            yield self._element()
            sign = self._next_sign()
            if sign not in (",", "]"):
                self._row().wrong("not JSON: expected ',' or ']'" if sign else "the list does not end")
            self._take(1)
            if sign == "]":
                return

    def _element(self) -> Row:
        """Decode one object, reading on while it is not complete."""
        while True:
            try:
                data, end = self._decoder.raw_decode(self._text)
            except RecursionError:
                self._row().wrong("nested too deeply")
            except json.JSONDecodeError as error:
                if self._more():
                    continue
                line = self._line + self._text.count("\n", 0, error.pos)
                Row(self._path, line, None).wrong(f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}")
            except ValueError as error:
                self._row().wrong(f"not JSON: {error}")
            else:
                row = Row(self._path, self._line, data)
                self._take(end)
                return row

    def _next_sign(self) -> str:
        """Skip blanks and return the next character, "" at the end of the file."""
        while True:
            blank = _BLANK.match(self._text)
            self._take(blank.end() if blank else 0)
            if self._text or not self._more():
                return self._text[:1]

    def _take(self, num: int) -> None:
        self._line += self._text.count("\n", 0, num)
        self._text = self._text[num:]

    def _more(self) -> bool:
        """Read as much again as there is, so that decoding again costs twice its length in all."""
        if self._is_whole:
            return False
        if len(self._text) >= MOST_CHARACTERS:
            self._row().wrong(f"an element of more than {MOST_CHARACTERS // 1024 // 1024} million characters")
        read = self._file.read(max(FIRST_CHARACTERS, len(self._text)))
        self._is_whole = not read
        self._text += read
        return bool(read)

    def _row(self) -> Row:
        return Row(self._path, self._line, None)
