"""Opening the sides of a comparison: a store of any snapshot format, or the report of an earlier run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from secrets import token_hex

from assay.escape import visible
from assay.memory_eval.adapters.snapshots.health import plain_of
from assay.memory_eval.adapters.snapshots.opening import open_snapshot
from assay.memory_eval.adapters.snapshots.reading import shown
from assay.memory_eval.adapters.snapshots.signs import redacted
from assay.memory_eval.adapters.snapshots.snapshot import Snapshot
from assay.memory_eval.drift.comparing import drift_of
from assay.memory_eval.drift.marks import Key
from assay.memory_eval.drift.reading import drift_in
from assay.memory_eval.drift.recording import record_of
from assay.memory_eval.errors import ExamUsageError
from assay.memory_eval.report.drift import Drift, Record

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
