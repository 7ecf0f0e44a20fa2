"""Health of a memory: duplicate, empty, stale and contradictory entries.

Basic by design: two entries contradict each other if the same attribute of the same thing has two values and no day
shows which is newer. Only explicit attributes are recognized ("Ada: pet: cat", "the pet of Ada is a dog").
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta

from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot

STALE_AFTER = timedelta(days=180)
"""Age difference to the newest entry (not to today) that makes an entry stale."""

_COLON = re.compile(r"([A-Za-z][\w '\-]{0,40}?)\s*[:=]\s*(\S.{0,200})$", re.DOTALL)
_IS = re.compile(
    r"(?:the |her |his |its |their |my )?([A-Za-z][\w '\-]{0,40}?) (?:is|are|was) (\S.{0,200})$",
    re.IGNORECASE | re.DOTALL,
)


def health_of(snapshot: Snapshot) -> dict[str, int | None]:
    """Count the problems among a memory's live entries; `num_stale` is None if no entry has a day."""
    told = [entry for entry in snapshot.live if entry.text.strip()]
    old = stale(told)
    return {
        "num_duplicate": sum(1 for _ in duplicates(told)),
        "num_empty": len(snapshot.live) - len(told),
        "num_contradictory": sum(1 for _ in contradictory(told)),
        "num_stale": None if old is None else len(old),
    }


def duplicates(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield each entry that repeats an earlier one, except for case and punctuation."""
    seen: set[str] = set()
    for entry in entries:
        plain = plain_of(entry.text)
        if plain in seen:
            yield entry
        seen.add(plain)


def stale(entries: Sequence[Entry]) -> list[Entry] | None:
    """Return the entries that are much older than the newest; None if no entry has a day."""
    days = [entry.updated_at for entry in entries if entry.updated_at is not None]
    if not days:
        return None
    newest = max(days)
    return [entry for entry in entries if entry.updated_at is not None and newest - entry.updated_at > STALE_AFTER]


def contradictory(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield entries whose value of an attribute differs from that of an equally new entry."""
    told: dict[tuple[str, str], list[tuple[Entry, str]]] = defaultdict(list)
    for entry in entries:
        if statement := _statement(entry):
            thing, attribute, value = statement
            told[thing, attribute].append((entry, value))
    for same in told.values():
        newest: date = max((entry.updated_at or date.min for entry, _ in same))
        last = [(entry, value) for entry, value in same if (entry.updated_at or date.min) == newest]
        if len({value for _, value in last}) > 1:
            yield from (entry for entry, _ in last)


def _statement(entry: Entry) -> tuple[str, str, str] | None:
    """Return (thing, attribute, value) if the entry states one explicitly."""
    if not entry.about:
        return None
    said = entry.text
    for head in (f"{entry.about}: ", f"{entry.about} "):
        said = said.removeprefix(head)
    said = re.sub(r"^\([^()]{0,80}\): ", "", said)
    found = _COLON.match(said) or _IS.match(said)
    if not found:
        return None
    return plain_of(entry.about), plain_of(found[1]).removeprefix("the "), plain_of(found[2])


def plain_of(text: str) -> str:
    """Return a text for comparing: its words in lower case."""
    return " ".join(re.findall(r"\w+", text.casefold()))
