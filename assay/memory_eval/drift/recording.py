"""Record of a snapshot: hashes and marks of its entries, and what can only be measured with their text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from assay.memory_eval.adapters.snapshots.health import plain_of
from assay.memory_eval.adapters.snapshots.inspecting import problems_of
from assay.memory_eval.adapters.snapshots.signs import secrets_in
from assay.memory_eval.adapters.snapshots.snapshot import STATES, Entry, Snapshot
from assay.memory_eval.drift.asking import OWN, Retrieve, asked_of
from assay.memory_eval.drift.facts import Part, marked, parts_of
from assay.memory_eval.drift.forgetting import requests_of
from assay.memory_eval.drift.marks import Key
from assay.memory_eval.drift.values import names_within
from assay.memory_eval.report.drift import EntryMark, Record

TOLERATED = 0.01
"""Default share of facts that may be lost between two runs without a record."""
MOST_VALUES = 400
"""Hashes of values that one part of an entry keeps."""


@dataclass(frozen=True, slots=True)
class Retriever:
    """Who answers the questions: the name, and the call that returns the places of entries, best first."""

    name: str
    retrieve: Retrieve


def record_of(
    snapshot: Snapshot,
    key: Key,
    *,
    requests: Sequence[str] = (),
    retriever: Retriever | None = None,
    tolerated: float = TOLERATED,
    taken_at: datetime | None = None,
) -> Record:
    """Return the record of a snapshot; `requests` are lines of what the memory has to forget."""
    names = names_within(entry.text for entry in snapshot.live)
    # An entry whose last text never ended on record was lost, not deleted.
    open_ids = {entry.id for entry in snapshot.entries if entry.state == "live" or entry.valid_to is None}
    parts = [(entry, list(_parts(entry, names))) for entry in snapshot.entries if entry.text.strip()]
    entries = tuple(one for entry, found in parts for one in _marks(entry, found, open_ids, key))
    live = [(entry, found) for entry, found in parts if entry.state == "live"]
    asked = asked_of(live, key, retriever.retrieve if retriever else None)
    return Record(
        key_check=key.check,
        salt=key.salt,
        taken_at=(taken_at or datetime.now(UTC)).isoformat(timespec="seconds"),
        format=snapshot.format,
        num_bytes=snapshot.num_bytes,
        num_unread=snapshot.num_unread,
        states={state: sum(entry.state == state for entry in snapshot.entries) for state in STATES},
        num_facts=sum(len(one.facts) for one in entries if one.state == "live"),
        tolerated=tolerated,
        health={one.name: one.count for one in problems_of(snapshot.live, snapshot.entries)},
        notes=snapshot.notes,
        retriever=retriever.name if retriever else OWN,
        asked=asked,
        requests=requests_of(requests, parts, names, key),
        entries=entries,
    )


def _parts(entry: Entry, names: frozenset[str]) -> Iterator[Part]:
    for part in parts_of(entry.text, entry.about, names):
        has_facts = entry.state == "live" or entry.valid_to is not None
        yield part if has_facts else part._replace(facts=())


def _marks(entry: Entry, parts: Sequence[Part], open_ids: set[str], key: Key) -> Iterator[EntryMark]:
    changed = max((when for when in (entry.created, entry.updated) if when is not None), default=None)
    at = changed.isoformat(timespec="seconds") if changed else None
    if at is None and entry.updated_at is not None:
        at = entry.updated_at.isoformat()
    for part in parts:
        yield EntryMark(
            id=key.hashed("id", entry.id),
            text=key.hashed("text", plain_of(entry.text)),
            state=entry.state,
            at=at,
            ended=entry.valid_to.isoformat(timespec="seconds") if entry.valid_to else None,
            is_deleted=entry.id not in open_ids,
            words=key.marks(part.words),
            values=tuple(sorted(key.hashed("value", one) for one in part.keys))[:MOST_VALUES],
            secrets=tuple(key.hashed("secret", one) for one in secrets_in(entry.text)),
            facts=tuple(marked(fact, key) for fact in part.facts),
        )
