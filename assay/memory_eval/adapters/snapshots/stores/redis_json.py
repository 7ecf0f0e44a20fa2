"""Redis exported as JSON, one object a key with `key`, `type` and `value`, as RIOT writes it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.snapshots.json_lines import first_line, objects_of, parsed
from assay.memory_eval.adapters.snapshots.object_text import ABOUT_FIELDS, DAY_FIELDS, TEXT_FIELDS, flat, text_of
from assay.memory_eval.adapters.snapshots.reading import Reading, has_suffix, head_of, shown, walk
from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot
from assay.memory_eval.adapters.snapshots.stored import stored
from assay.memory_eval.errors import WorldUnreadable

_SUFFIXES = frozenset({".json", ".jsonl"})
_KEY = re.compile(r'"key"\s*:\s*"')
_TYPE = re.compile(r'"type"\s*:\s*"(?:hash|json|rejson-rl|string|list|set|zset|stream)"', re.IGNORECASE)
_VALUE = re.compile(r'"value"\s*:')


class RedisJson:
    """Reader of an export; a dump of Redis (`dump.rdb`) is refused."""

    name = "redis_json"
    title = "Redis (JSON export)"

    def detects(self, path: Path) -> bool:
        return any(map(_is_export, _candidates(path)))

    def read(self, path: Path) -> Snapshot:
        reading = Reading(path)
        for file in filter(_is_export, _candidates(path)):
            for number, item in _items(reading, file):
                found = list(_entries(item))
                reading.keep(found)
                if not found:
                    reading.leave(file, number, "a key with no text in it")
        return reading.snapshot(self.name)


def _candidates(path: Path) -> list[Path]:
    return sorted(item for item in walk(path) if has_suffix(item, _SUFFIXES)) if path.is_dir() else [path]


def _is_export(file: Path) -> bool:
    head = head_of(file)
    if head is None or head.lstrip()[:1] not in ("{", "["):
        return False
    return all(mark.search(head) for mark in (_KEY, _TYPE, _VALUE))


def _items(reading: Reading, file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    text = reading.text(file)
    first = first_line(text)
    if isinstance(parsed(first)[0], dict):
        yield from objects_of(reading, file, text)
        return
    whole, why = parsed(text)
    if whole is None:
        raise WorldUnreadable(f"{shown(file)}: a damaged export: {why}", code="snapshot.damaged")
    for number, item in enumerate(whole if isinstance(whole, list) else [whole], start=1):
        if isinstance(item, dict):
            yield number, item
        else:
            reading.leave(file, number, "a JSON value, but no object")


def _entries(item: dict[str, Any]) -> Iterator[Entry]:
    value = item.get("value")
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        value = parsed(value)[0] or value
    if isinstance(value, list) and len(value) == 1:
        value = value[0]  # RedisJSON returns a path's matches as a list
    fields = value if isinstance(value, dict) else {"text": value}
    text = next((text for name in ("data", *TEXT_FIELDS) if (text := text_of(fields.get(name)))), "") or flat(fields)
    yield from stored(
        text,
        str(item.get("key")),
        str(item.get("type")),
        about=next((fields[name] for name in ABOUT_FIELDS if isinstance(fields.get(name), str)), None),
        created=_time(fields, ("created_at", "createdAt", "timestamp", "date")),
        updated=_time(fields, DAY_FIELDS),
        speaker=fields.get("role"),
    )


def _time(fields: dict[str, Any], names: tuple[str, ...]) -> Any:
    """Return the first time; a hash keeps numbers as text."""
    value = next((fields[name] for name in names if fields.get(name)), None)
    return float(value) if isinstance(value, str) and value.replace(".", "", 1).isdigit() else value
