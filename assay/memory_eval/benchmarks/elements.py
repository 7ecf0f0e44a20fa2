"""Objects of a large JSON file, one at a time.

A benchmark file can be larger than the memory of a machine (LongMemEval's longest has 2.7 GB), its elements are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import ijson
from pydantic import BaseModel, ConfigDict

from assay.memory_eval.errors import WorldUnreadable
from assay.memory_eval.files import Row

MOST_ELEMENTS = 20_000
_BOM = b"\xef\xbb\xbf"
_BLANKS = b" \t\r\n"


class Part(BaseModel):
    """A part of a benchmark's file. Other keys are ignored: copies add their own."""

    model_config = ConfigDict(extra="ignore", frozen=True)


def elements_of(path: Path) -> Iterator[Row]:
    """Yield the elements of the list in a JSON file, with their numbers from 1 as lines.

    A file with one object is a list of one. Raises `WorldUnreadable`, with file:number for a wrong element.
    """
    try:
        with path.open("rb") as file:
            prefix = _prefix(path, file)
            for number, data in enumerate(ijson.items(file, prefix, use_float=True), start=1):
                row = Row(str(path), number, data)
                if number > MOST_ELEMENTS:
                    row.wrong(f"more than {MOST_ELEMENTS:,} elements")
                if not isinstance(data, dict):
                    row.wrong("expected an object")
                yield row
    except (ijson.JSONError, ValueError, OverflowError, RecursionError) as error:
        why = " ".join(str(error).split())[:200]
        raise WorldUnreadable(f"{path}: not JSON: {why}", code="world.invalid-row") from None
    except OSError as error:
        raise WorldUnreadable(f"{path}: cannot be read ({error.strerror or error})", code="file.not-read") from None


def _prefix(path: Path, file: BinaryIO) -> str:
    """Return ijson's prefix of the elements; the file is left at its first sign."""
    if file.read(len(_BOM)) != _BOM:
        file.seek(0)
    while (sign := file.read(1)) and sign in _BLANKS:
        pass
    if sign not in (b"{", b"["):
        Row(str(path), 1, None).wrong("expected a list or an object" if sign else "the file is empty")
    file.seek(-1, 1)
    return "item" if sign == b"[" else ""
