"""PostgreSQL dumps in plain text (`pg_dump`): the rows of `COPY`, such as those of pgvector and LangGraph's store."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.snapshots.dates import moment_of
from assay.memory_eval.adapters.snapshots.json_lines import parsed
from assay.memory_eval.adapters.snapshots.object_text import (
    DAY_FIELDS,
    ID_FIELDS,
    TEXT_FIELDS,
    about_of,
    first_text,
    first_value,
)
from assay.memory_eval.adapters.snapshots.reading import Reading, candidates, head_of, lines_of, shown
from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot, State
from assay.memory_eval.adapters.snapshots.stored import state_until, stored
from assay.memory_eval.errors import WorldUnreadable

_BEGINS = re.compile(r"\s*--\s*\n-- PostgreSQL database dump")
_VERSION = re.compile(r"(?m)^-- Dumped from database version ([\w.]{1,20})")
_COPY = re.compile(r"COPY ([\w.\"]{1,200}) \(([^()]{1,4000})\) FROM stdin;$")
_SUFFIXES = frozenset({".sql", ".dump", ".txt"})
_TEXT = ("data", *TEXT_FIELDS)
_OBJECTS = ("payload", "value", "cmetadata", "metadata_", "metadata")
"""Columns of JSON: mem0's and Qdrant-like payloads, LangGraph's values, the metadata of vector stores."""
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
_ESCAPE = re.compile(r"\\([bfnrtv\\])")
_END = "\\."


class PgDump:
    """Reader of a plain dump; tables without a column of text or JSON are named in a note."""

    name = "pg_dump"
    title = "PostgreSQL dump (plain pg_dump)"

    def detects(self, path: Path) -> bool:
        return any(map(_is_dump, candidates(path, _SUFFIXES)))

    def read(self, path: Path) -> Snapshot:
        reading = Reading(path)
        version = None
        for file in reading.files(_SUFFIXES, _is_dump):
            text = reading.text(file)
            version = version or next(iter(_VERSION.findall(text[:2000])), None)
            for table, number, row in _rows(file, text):
                if not (set(row) & {*_TEXT, *_OBJECTS}):
                    reading.note(f"table {table} has no column of text or JSON that is read")
                    continue
                found = list(_entries(table, number, row))
                reading.keep(found)
                if not found:
                    reading.leave(file, number, f"a row of {table} with no text in it")
        return reading.snapshot(self.name, f"PostgreSQL {version}" if version else None)


def _is_dump(file: Path) -> bool:
    head = head_of(file)
    return head is not None and _BEGINS.match(head) is not None


def _rows(file: Path, text: str) -> Iterator[tuple[str, int, dict[str, str | None]]]:
    """Yield (table, line, row) of every COPY."""
    table, columns, is_open = "", list[str](), False
    for number, line in enumerate(lines_of(text), start=1):
        if not is_open:
            if match := _COPY.match(line):
                table, is_open = match[1].replace('"', ""), True
                columns = [name.strip().strip('"') for name in match[2].split(",")]
        elif line == _END:
            is_open = False
        else:
            values = [_value(part) for part in line.split("\t")]
            if len(values) != len(columns):
                raise WorldUnreadable(
                    f"{shown(file)}:{number}: a row of {table} with {len(values)} columns", code="snapshot.damaged"
                )
            yield table, number, dict(zip(columns, values, strict=True))
    if is_open:
        raise WorldUnreadable(f"{shown(file)}: cut off within table {table}", code="snapshot.damaged")


def _value(part: str) -> str | None:
    return None if part == "\\N" else _ESCAPE.sub(lambda match: _ESCAPES[match[1]], part)


def _entries(table: str, number: int, row: dict[str, str | None]) -> Iterator[Entry]:
    values = [parsed(value)[0] for name in _OBJECTS if (value := row.get(name))]
    inner = next((value for value in values if isinstance(value, dict)), {})
    known: dict[str, Any] = {**inner, **{name: value for name, value in row.items() if value is not None}}
    text = first_text({**inner, **{name: value for name, value in row.items() if value}}, _TEXT)
    key = "/".join(filter(None, (row.get("prefix"), row.get("key"))))
    entry_id = key or next((value for name in ID_FIELDS if (value := row.get(name))), f"{table}:{number}")
    expires, invalid = moment_of(known.get("expires_at")), moment_of(known.get("invalid_at"))
    ended = expires or invalid
    is_deleted = known.get("is_deleted") in ("t", "1", True)
    state: State = "history" if is_deleted else state_until(ended)
    yield from stored(
        text,
        entry_id,
        table.rpartition(".")[2],
        about=about_of(known),
        created=known.get("created_at") or known.get("createdAt"),
        updated=first_value(known, DAY_FIELDS),
        valid_to=ended,
        state=state,
        speaker=known.get("role"),
        ends_by_itself=expires is None and not is_deleted,
    )
