"""Reader of the JSON that `assay memory drift` writes. The file is untrusted: bounded and validated."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from assay.memory_eval.adapters.snapshots.reading import read_bytes, shown
from assay.memory_eval.drift.marks import MARK_CHARS
from assay.memory_eval.errors import WorldUnreadable
from assay.memory_eval.files import first_wrong, plain_json
from assay.memory_eval.report.drift import DRIFT_SCHEMA_VERSION, Drift

MOST_BYTES = 256 * 1024 * 1024
MOST_ENTRIES = 200_000
MOST_NAMES = 60
HEAD_BYTES = 100
_BEGINS = re.compile(rb'\{\n  "schema_version": \d{1,4},\n  "verdict": "')
"""How the file begins; no snapshot of another format does."""
_SHAPE: TypeAdapter[Drift] = TypeAdapter(Drift)


def drift_in(path: Path) -> Drift | None:
    """Return the comparison that a file holds; None if it is something else. Raises `WorldUnreadable`."""
    if path.is_symlink() or not path.is_file() or not _BEGINS.match(read_bytes(path, HEAD_BYTES)):
        return None
    data = read_bytes(path, MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise WorldUnreadable(f"{shown(path)}: larger than {MOST_BYTES >> 20} MB", code="drift.unreadable")
    return parsed_drift(data, shown(path))


def parsed_drift(data: bytes, where: str) -> Drift:
    """Parse a comparison from bytes; `where` begins every error. Raises `WorldUnreadable`."""
    try:
        found: Any = plain_json(data.decode("utf-8"))
    except ValueError as error:
        raise _wrong(where, f"not JSON: {' '.join(str(error).split())[:200]}") from None
    if not isinstance(found, dict) or "record" not in found:
        raise _wrong(where, "not a record of a memory")
    if found.get("schema_version") != DRIFT_SCHEMA_VERSION:
        raise _wrong(where, f"a record of another version; this Assay reads {DRIFT_SCHEMA_VERSION}")
    try:
        drift = _SHAPE.validate_python(found)
    except ValidationError as error:
        raise _wrong(where, first_wrong(error)) from None
    _check(drift, where)
    return drift


def _check(drift: Drift, where: str) -> None:
    record, entries = drift.record, drift.record.entries
    if len(entries) > MOST_ENTRIES:
        raise _wrong(where, "more entries than a record has")
    if len(record.health) > MOST_NAMES or len(record.states) > MOST_NAMES or len(record.notes) > MOST_NAMES:
        raise _wrong(where, "more kinds of problems, states or notes than a record has")
    times = {record.taken_at, *(entry.ended for entry in entries if entry.ended is not None)}
    if not all(map(_is_time, times)):
        raise _wrong(where, "a time that is not in ISO form")
    marks = (part for entry in entries for one in entry.statements for part in (one.words, one.names))
    if any(len(one) % MARK_CHARS for one in marks):
        raise _wrong(where, "an entry with incomplete marks")


def _is_time(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _wrong(where: str, why: str) -> WorldUnreadable:
    return WorldUnreadable(f"{where}: {why}", code="drift.unreadable")
