"""Redis exported as JSON, one object a key with `key`, `type` and `value`, as RIOT writes it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.snapshots.json_lines import items_of, parsed
from assay.memory_eval.adapters.snapshots.object_text import (
    DAY_FIELDS,
    TEXT_FIELDS,
    about_of,
    first_text,
    first_value,
    flat,
)
from assay.memory_eval.adapters.snapshots.reading import Reading, candidates, head_of
from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot
from assay.memory_eval.adapters.snapshots.stored import stored

_SUFFIXES = frozenset({".json", ".jsonl"})
_KEY = re.compile(r'"key"\s*:\s*"')
_TYPE = re.compile(r'"type"\s*:\s*"(?:hash|json|rejson-rl|string|list|set|zset|stream)"', re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,20}(?:\.[0-9]{1,20})?")
_VALUE = re.compile(r'"value"\s*:')


class RedisJson:
    """Reader of an export; a dump of Redis (`dump.rdb`) is refused."""

    name = "redis_json"
    title = "Redis (JSON export)"

    def detects(self, path: Path) -> bool:
        return any(map(_is_export, candidates(path, _SUFFIXES)))

    def read(self, path: Path) -> Snapshot:
        reading = Reading(path)
        for file in reading.files(_SUFFIXES, _is_export):
            for number, item in items_of(reading, file):
                found = list(_entries(item))
                reading.keep(found)
                if not found:
                    reading.leave(file, number, "a key with no text in it")
        return reading.snapshot(self.name)


def _is_export(file: Path) -> bool:
    head = head_of(file)
    if head is None or head.lstrip()[:1] not in ("{", "["):
        return False
    return all(mark.search(head) for mark in (_KEY, _TYPE, _VALUE))


def _entries(item: dict[str, Any]) -> Iterator[Entry]:
    value = item.get("value")
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        value = parsed(value)[0] or value
    if isinstance(value, list) and len(value) == 1:
        value = value[0]  # RedisJSON returns a path's matches as a list
    fields = value if isinstance(value, dict) else {"text": value}
    text = first_text(fields, ("data", *TEXT_FIELDS)) or flat(fields)
    yield from stored(
        text,
        str(item.get("key")),
        str(item.get("type")),
        about=about_of(fields),
        created=_time(fields, ("created_at", "createdAt", "timestamp", "date")),
        updated=_time(fields, DAY_FIELDS),
        speaker=fields.get("role"),
    )


def _time(fields: dict[str, Any], names: tuple[str, ...]) -> Any:
    """Return the first time; a hash keeps numbers as text."""
    value = first_value(fields, names)
    return float(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else value
