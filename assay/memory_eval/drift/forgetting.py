"""Requests to forget: one line each, the id of an entry, its text, or a statement with values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from assay.memory_eval.adapters.snapshots.health import plain_of
from assay.memory_eval.adapters.snapshots.reading import read_bytes, shown
from assay.memory_eval.adapters.snapshots.snapshot import Entry
from assay.memory_eval.drift.facts import Part, parts_of
from assay.memory_eval.drift.marks import Key
from assay.memory_eval.errors import WorldUnreadable
from assay.memory_eval.report.drift import ForgetMark

MOST_BYTES = 1024 * 1024
MOST_REQUESTS = 5_000
LEAST_CHARACTERS = 6
"""Length from which a line is also searched inside longer texts."""

Parted = tuple[Entry, Sequence[Part]]


def read_requests(path: Path) -> tuple[str, ...]:
    """Return the lines of a file of requests, without empty ones and comments (`#`). Raises `WorldUnreadable`."""
    data = read_bytes(path, MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise WorldUnreadable(f"{shown(path)}: larger than {MOST_BYTES >> 20} MB", code="drift.requests")
    try:
        lines = [line.strip() for line in data.decode("utf-8-sig").splitlines()]
    except UnicodeDecodeError:
        raise WorldUnreadable(f"{shown(path)}: not UTF-8", code="drift.requests") from None
    found = tuple(dict.fromkeys(line for line in lines if line and not line.startswith("#")))
    if len(found) > MOST_REQUESTS:
        raise WorldUnreadable(f"{shown(path)}: more than {MOST_REQUESTS:,} requests", code="drift.requests")
    return found


def requests_of(
    lines: Sequence[str], entries: Sequence[Parted], names: frozenset[str], key: Key
) -> tuple[ForgetMark, ...]:
    """Return each request with the number of entries that match it, by state."""
    plain = [(entry, f" {plain_of(entry.text)} ", parts) for entry, parts in entries] if lines else []
    return tuple(_request(line, plain, names, key) for line in lines)


def _request(
    line: str, entries: Sequence[tuple[Entry, str, Sequence[Part]]], names: frozenset[str], key: Key
) -> ForgetMark:
    said = plain_of(line)
    wanted = next(parts_of(line, None, names))
    keys = {one for fact in wanted.facts for one in fact.value.keys[:1]}
    subject = {word for fact in wanted.facts for word in fact.subject}
    found: Counter[str] = Counter()
    for entry, text, parts in entries:
        is_named = line in (entry.id, entry.id.rpartition("/")[2])
        is_said = len(said) >= LEAST_CHARACTERS and f" {said} " in text
        # A rewording: every value, with the subject; a line without both is found by its words alone.
        is_held = bool(keys and subject) and any(keys <= part.keys and subject <= part.words for part in parts)
        found[entry.state] += is_named or is_said or is_held
    return ForgetMark(
        id=key.hashed("id", line),
        text=key.hashed("text", said),
        words=key.marks(wanted.words),
        values=tuple(sorted(key.hashed("value", one) for one in keys)),
        num_live=found["live"],
        num_history=found["history"],
        num_residue=found["residue"],
    )
