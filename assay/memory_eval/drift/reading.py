"""Reader of the JSON that `assay memory drift` writes. The file is untrusted: bounded and validated."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from assay.memory_eval.adapters.snapshots.reading import read_bytes, shown
from assay.memory_eval.drift.marks import MARK_CHARS
from assay.memory_eval.errors import WorldUnreadable
from assay.memory_eval.files.rows import first_wrong, plain_json
from assay.memory_eval.report.drift import DRIFT_SCHEMA_VERSION, MOST_POINTS, Drift

MOST_BYTES = 256 * 1024 * 1024
MOST_ENTRIES = 200_000
MOST_NAMES = 60
READABLE = (1, DRIFT_SCHEMA_VERSION)
"""Versions that can be read; the fields of 1 that are gone are ignored."""
_BEGINS = tuple(b'{\n  "schema_version": %d,\n  "verdict": "' % version for version in READABLE)
"""How the file begins; no snapshot of another format does."""
_SHAPE: TypeAdapter[Drift] = TypeAdapter(Drift)


def drift_in(path: Path) -> Drift | None:
    """Return the comparison that a file holds; None if it is something else. Raises `WorldUnreadable`."""
    if path.is_symlink() or not path.is_file() or not read_bytes(path, len(_BEGINS[0])).startswith(_BEGINS):
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
    if found.get("schema_version") not in READABLE:
        raise _wrong(where, f"a record of another version; this Assay reads {DRIFT_SCHEMA_VERSION}")
    try:
        drift = _SHAPE.validate_python(found)
    except ValidationError as error:
        raise _wrong(where, first_wrong(error)) from None
    _check(drift, where)
    return drift


def _check(drift: Drift, where: str) -> None:
    record, entries = drift.record, drift.record.entries
    if len(entries) > MOST_ENTRIES or len(drift.history) > MOST_POINTS:
        raise _wrong(where, "more entries or runs than a record has")
    if len(record.health) > MOST_NAMES or len(record.states) > MOST_NAMES or len(record.notes) > MOST_NAMES:
        raise _wrong(where, "more kinds of problems, states or notes than a record has")
    times = {record.taken_at, *(entry.at for entry in entries if entry.at is not None)}
    if not all(map(_is_time, times)):
        raise _wrong(where, "a time that is not in ISO form")
    if any(one.rank is not None and one.rank < 1 for one in record.asked):
        raise _wrong(where, "a rank below 1")
    for entry in entries:
        marks = [entry.words, *(part for fact in entry.facts for part in (fact.words, fact.subject, fact.context))]
        if any(len(one) % MARK_CHARS for one in marks) or not all(fact.value for fact in entry.facts):
            raise _wrong(where, "an entry with incomplete marks")


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _wrong(where: str, why: str) -> WorldUnreadable:
    return WorldUnreadable(f"{where}: {why}", code="drift.unreadable")
