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

from assay.memory_eval.adapters.snapshots.reading import MOST_FILE_BYTES, read_bytes
from assay.memory_eval.errors import WorldUnreadable

MOST_OBJECTS = 20_000
MOST_OBJECT_BYTES = 8_192
"""A page's size in most databases is 4,096 bytes."""

_BEGINS = re.compile(rb'\{\s?"')
_DECODER = json.JSONDecoder()


def json_leftovers(path: Path) -> Iterator[dict[str, Any]]:
    """Yield every JSON object in the raw bytes of a database and its log, live ones included."""
    num_found = 0
    for file in (path, path.with_name(f"{path.name}-wal")):
        data = b""
        with suppress(WorldUnreadable):
            data = read_bytes(file, MOST_FILE_BYTES)
        place = 0
        while (match := _BEGINS.search(data, place)) and num_found < MOST_OBJECTS:
            text = data[match.start() : match.start() + MOST_OBJECT_BYTES].decode("utf-8", "replace")
            place = match.end()
            with suppress(ValueError, RecursionError):
                value, length = _DECODER.raw_decode(text)
                # Replaced bytes make the text shorter than the data, which only repeats a search.
                place = match.start() + max(length, match.end() - match.start())
                num_found += 1
                yield value
