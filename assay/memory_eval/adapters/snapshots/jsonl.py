"""Memories as JSON: one object per line, or one file with a list of objects that have a text.

The text is the first of `TEXT_FIELDS` in an object; without one, its fields are joined ("entity: Ada; attribute:
pet; value: cat"). The object's subject (`ABOUT_FIELDS`) precedes the text. Other stores are read as an export of this
form, with ids (`ID_FIELDS`) and times (`created`, `updated`, and `valid_to` when an entry ended).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.snapshots.dates import moment_of
from assay.memory_eval.adapters.snapshots.json_lines import listed, objects_in, objects_of, parsed, whole_of
from assay.memory_eval.adapters.snapshots.object_text import (
    CREATED_FIELDS,
    DAY_FIELDS,
    ENDED_FIELDS,
    ID_FIELDS,
    SPEAKER_FIELDS,
    about_of,
    first_text,
    first_value,
    flat,
)
from assay.memory_eval.adapters.snapshots.reading import Reading, candidates, head_of
from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot
from assay.memory_eval.adapters.snapshots.stored import MOST_NAME, state_until, stored

LIST_FIELDS = tuple("memories results entries items data messages documents records".split())

_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson"})
_BEGINS = re.compile(r"\s*(?:\[\s*(?:\{|\]|$)|\{\s*(?:\"|\}|$))")
_FIRST_LINES = 20


class Jsonl:
    """Reader of a file of JSON objects, or of every such file in a folder."""

    name = "jsonl"
    title = "JSON lines, or a JSON list of objects"

    def detects(self, path: Path) -> bool:
        return any(map(_is_json, candidates(path, _SUFFIXES)))

    def read(self, path: Path) -> Snapshot:
        reading = Reading(path)
        for file in reading.files(_SUFFIXES):
            for line, item in _objects(reading, file):
                found = list(_entries_of(file, line, item))
                reading.keep(found)
                if not found:
                    reading.leave(file, line, "an object with no text in it")
        return reading.snapshot(self.name)


def _is_json(path: Path) -> bool:
    head = head_of(path)
    if head is None:
        return False
    lines = [line for line in head.split("\n", _FIRST_LINES)[:_FIRST_LINES] if line.strip()]
    return _BEGINS.match(head) is not None or any(isinstance(parsed(line)[0], dict) for line in lines)


def _objects(reading: Reading, file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line, object); for a list, the objects' numbers replace lines."""
    text = reading.text(file)
    whole, why, is_by_line = whole_of(text)
    if is_by_line or (why and not text.lstrip().startswith("[")):
        yield from objects_of(reading, file, text)
    elif why:
        reading.leave(file, 1, why)
    else:
        yield from objects_in(reading, file, listed(whole, LIST_FIELDS))


def _entries_of(file: Path, line: int, item: dict[str, Any]) -> Iterator[Entry]:
    about = (about_of(item) or "")[:MOST_NAME]
    text = first_text(item)
    if text and about and about.lower() not in text.lower():
        text = f"{about}: {text}"
    own = next((str(value) for value in map(item.get, ID_FIELDS) if isinstance(value, str | int)), "")
    ended = first_value(item, ENDED_FIELDS)
    until = moment_of(ended)
    yield from stored(
        text or flat(item, (*ID_FIELDS, *DAY_FIELDS, *ENDED_FIELDS)),
        own or f"{file.name}:{line}",
        "object",
        about=about or None,
        created=first_value(item, CREATED_FIELDS),
        updated=first_value(item, DAY_FIELDS),
        valid_to=ended,
        state=state_until(until) if until or not ended else "history",
        speaker=first_value(item, SPEAKER_FIELDS),
        ends_by_itself=until is not None,
    )
