"""The sides of a comparison: a store of any snapshot format, or the untrusted JSON of an earlier one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from typing import Any

from pydantic import TypeAdapter, ValidationError

from assay.escape import visible
from assay.memory_eval.adapters.snapshots.health import plain_of
from assay.memory_eval.adapters.snapshots.opening import open_snapshot
from assay.memory_eval.adapters.snapshots.reading import read_bytes, shown
from assay.memory_eval.adapters.snapshots.signs import redacted
from assay.memory_eval.adapters.snapshots.snapshot import Snapshot
from assay.memory_eval.drift.comparing import drift_of
from assay.memory_eval.drift.record import MARK_CHARS, Key, record_of
from assay.memory_eval.errors import ExamUsageError, WorldUnreadable
from assay.memory_eval.files import first_wrong, plain_json
from assay.memory_eval.report.drift import DRIFT_SCHEMA_VERSION, Drift, Record

# ------------------ reading

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


# ------------------ opening

MOST_EXAMPLE = 160
_SALT_BYTES = 16


def memory_drift(
    new: Path,
    old: Path | None = None,
    *,
    requests: Sequence[str] = (),
    mapping: Path | None = None,
    secret_key: str = "",
    with_texts: bool = False,
) -> Drift:
    """Compare a memory with an older state of it, and make its record.

    Each path is a store, or the JSON of an earlier comparison, whose record is used. `requests` are lines of what has
    to be forgotten. With `with_texts`, examples are ids and texts of entries, without secrets.

    Raises:
        WorldUnreadable: a path is neither; one line says why.
        ExamUsageError: the records have different keys, or there are requests with the record of a store.
    """
    before = _opened(old, mapping) if old is not None else None
    now = _opened(new, mapping)
    if isinstance(now, Drift) and requests:
        raise ExamUsageError(f"{shown(new)}: requests to forget need the store itself", code="drift.store-needed")
    sides = [side for side in (before, now) if side is not None]
    key = _key(secret_key, [side.record for side in sides if isinstance(side, Drift)])
    record = now.record if isinstance(now, Drift) else record_of(now, key, requests=requests)
    texts = _texts([side for side in sides if isinstance(side, Snapshot)], key) if with_texts else {}
    return drift_of(_record(before, key), record, naming=lambda entry: texts.get(entry.text, entry.text))


def _opened(path: Path, mapping: Path | None) -> Drift | Snapshot:
    earlier = drift_in(path)
    return open_snapshot(path, mapping) if earlier is None else earlier


def _record(side: Drift | Snapshot | None, key: Key) -> Record | None:
    if isinstance(side, Snapshot):
        return record_of(side, key)
    return side.record if side is not None else None


def _key(secret_key: str, records: Sequence[Record]) -> Key:
    """Return the key: the secret one, else the salt of a record, else a new salt."""
    if secret_key:
        return Key(secret_key, is_secret=True)
    known = next((record for record in records), None)
    if known is not None and not known.salt:
        raise ExamUsageError(
            "the record was made with a secret key: set ASSAY_MEMORY_KEY to it", code="drift.other-key"
        )
    return Key(known.salt if known is not None else token_hex(_SALT_BYTES), is_secret=False)


def _texts(stores: Sequence[Snapshot], key: Key) -> dict[str, str]:
    """Return id and text of every entry by the hash of its text, shortened and without secrets."""
    return {
        key.hashed("text", plain_of(entry.text)): visible(f"{entry.id}: {redacted(entry.text)}", MOST_EXAMPLE)
        for store in stores
        for entry in store.entries
    }
