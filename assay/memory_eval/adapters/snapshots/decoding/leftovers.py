"""JSON objects that deleted rows leave in a database file: in freed space, and in the write-ahead log.

SQLite overwrites freed space only when it needs it. An object that spans pages is not found, so this is what can be
proved to be left, not everything that is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.snapshots.reading import MOST_FILE_BYTES, Reading, read_bytes, shown
from assay.memory_eval.errors import WorldUnreadable

MOST_DECODED = 128 * 2**20
"""Bytes decoded in all attempts to find an object, and `_ATTEMPT` for each of them."""
MOST_OBJECT_BYTES = 8_192
"""A page's size in most databases is 4,096 bytes."""

_ATTEMPT = 512
_BEGINS = re.compile(rb'\{\s?"')
_DECODER = json.JSONDecoder()


def json_leftovers(reading: Reading, path: Path) -> Iterator[dict[str, Any]]:
    """Yield every JSON object in the raw bytes of a database and its log, live ones included.

    A note says where the search ended early.
    """
    num_decoded = 0
    for file in (path, path.with_name(f"{path.name}-wal")):
        data = b""
        with suppress(WorldUnreadable):
            data = read_bytes(file, MOST_FILE_BYTES + 1)
        if len(data) > MOST_FILE_BYTES:
            reading.note(f"{shown(file)}: residue is searched in its first {MOST_FILE_BYTES >> 20} MB only")
        place = 0
        while match := _BEGINS.search(data, place, MOST_FILE_BYTES):
            if num_decoded > MOST_DECODED:
                reading.note(f"{shown(file)}: residue is searched in its first {match.start():,} bytes only")
                break
            text = data[match.start() : match.start() + MOST_OBJECT_BYTES].decode("utf-8", "replace")
            place = match.end()
            num_decoded += _ATTEMPT
            try:
                value, length = _DECODER.raw_decode(text)
            except json.JSONDecodeError as error:
                num_decoded += error.pos
            except (ValueError, RecursionError):
                num_decoded += len(text)
            else:
                # Replaced bytes make the text shorter than the data, which only repeats a search.
                num_decoded += length
                place = match.start() + max(length, match.end() - match.start())
                yield value
