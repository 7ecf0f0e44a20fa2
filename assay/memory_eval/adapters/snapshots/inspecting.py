"""Inspection of a memory store: contents, and health with examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from pathlib import Path

from assay.escape import visible
from assay.memory_eval.adapters.snapshots.health import STALE_AFTER, contradictory, duplicates, stale
from assay.memory_eval.adapters.snapshots.opening import open_snapshot
from assay.memory_eval.adapters.snapshots.reading import shown
from assay.memory_eval.adapters.snapshots.register import SNAPSHOTS
from assay.memory_eval.adapters.snapshots.signs import has_secret, instruction_sign, redacted
from assay.memory_eval.adapters.snapshots.snapshot import STATES, Entry
from assay.memory_eval.errors import WorldUnreadable
from assay.memory_eval.report.inspection import Example, Inspection, Problem

OVERSIZED_CHARACTERS = 4_000
"""About 1,000 tokens: one such entry fills what retrieval usually returns."""

MOST_EXAMPLES = 5
MOST_TEXT = 240
MOST_GROUPS = 12
MOST_UNREAD_SHOWN = 20


def inspect_memory(path: Path, mapping: Path | None = None) -> Inspection:
    """Read the memory at `path`, or an SQLite file by a `mapping`, and examine its entries.

    Raises:
        WorldUnreadable: one line that says why there is no memory to read.
    """
    try:
        snapshot = open_snapshot(path, mapping)
    except WorldUnreadable as error:  # it may quote the schema, or a line
        raise WorldUnreadable(redacted(error.text), code=error.code) from error
    live = snapshot.live
    days = [entry.updated_at for entry in live if entry.updated_at is not None]
    return Inspection(
        path=redacted(shown(path)),
        format=snapshot.format,
        title=next(reader.title for reader in SNAPSHOTS if reader.name == snapshot.format),
        version=_without_secrets(snapshot.version, 200) if snapshot.version else None,
        num_bytes=snapshot.num_bytes,
        states={state: sum(entry.state == state for entry in snapshot.entries) for state in STATES},
        kinds=_counted(entry.kind for entry in live),
        speakers=_counted(entry.speaker for entry in live if entry.speaker),
        oldest=min(days).isoformat() if days else None,
        newest=max(days).isoformat() if days else None,
        num_dated=len(days),
        num_characters=sum(len(entry.text) for entry in live),
        notes=tuple(map(redacted, snapshot.notes)),
        problems=problems_of(live, snapshot.entries),
        unread=tuple(redacted(line) for line in snapshot.unread[:MOST_UNREAD_SHOWN]),
        num_unread=snapshot.num_unread,
    )


def _counted(values: Iterable[str]) -> dict[str, int]:
    counted: Counter[str] = Counter()
    for value, count in Counter(values).items():
        counted[_without_secrets(value, 80)] += count
    return dict(counted.most_common(MOST_GROUPS))


def _without_secrets(text: str, most: int) -> str:
    """Return one line; what is invisible goes first, since it can split a secret, and the cut is last."""
    return visible(redacted(visible(text)), most)


def problems_of(live: Sequence[Entry], every: Sequence[Entry]) -> tuple[Problem, ...]:
    """Return every kind of problem of a memory, given its live entries and all of them."""
    said = [entry for entry in live if entry.text.strip()]
    days = [entry.updated_at for entry in said if entry.updated_at is not None]
    newest: date | None = max(days) if days else None
    old = stale(said)
    stale_meaning = (
        "no entry has a time"
        if newest is None
        else f"more than {STALE_AFTER.days} days older than the newest ({newest.isoformat()})"
    )
    secrets = [entry for entry in every if has_secret(entry.text)]
    orders = [entry for entry in said if instruction_sign(entry.text)]
    large = [entry for entry in said if len(entry.text) > OVERSIZED_CHARACTERS]
    return (
        _problem("secret", secrets, "passwords, keys or tokens, in every state", is_severe=True),
        _problem("instruction", orders, "instructs the agent, like a planted entry", is_severe=True, why=_sign),
        _problem("contradictory", list(contradictory(said)), "another value for the same attribute, equally recent"),
        _problem("duplicate", list(duplicates(said)), "repeats another entry, except for case and punctuation"),
        Problem("stale", None, stale_meaning, is_severe=False)
        if old is None
        else _problem("stale", old, stale_meaning),
        _problem("oversized", large, f"longer than {OVERSIZED_CHARACTERS:,} characters", why=_size),
        Problem("empty", len(live) - len(said), "has no text", is_severe=False),
    )


def _problem(
    name: str,
    entries: Sequence[Entry],
    meaning: str,
    *,
    is_severe: bool = False,
    why: Callable[[Entry], str] = lambda _: "",
) -> Problem:
    examples = tuple(
        Example(_without_secrets(entry.id, 120), entry.state, why(entry) + _without_secrets(entry.text, MOST_TEXT))
        for entry in entries[:MOST_EXAMPLES]
    )
    return Problem(name, len(entries), meaning, is_severe, examples)


def _sign(entry: Entry) -> str:
    return f"({instruction_sign(entry.text)}) "


def _size(entry: Entry) -> str:
    return f"({len(entry.text):,} characters) "
