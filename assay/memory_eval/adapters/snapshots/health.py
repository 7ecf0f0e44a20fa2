"""Health of a memory: duplicate, empty, stale and contradictory entries.

Basic by design: two entries contradict each other if one denies the other in the same words, or if an explicit
attribute ("Ada: pet: cat", "the pet of Ada is a dog") has two values, and no day shows which is newer.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta

from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot
from assay.memory_eval.adapters.snapshots.statements import statements_of

STALE_AFTER = timedelta(days=180)
"""Age difference to the newest entry (not to today) that makes an entry stale."""

_COLON = re.compile(r"([A-Za-z][\w '\-]{0,40}?)\s*[:=]\s*(\S.{0,200})$", re.DOTALL)
_IS = re.compile(
    r"(?:the |her |his |its |their |my )?([A-Za-z][\w '\-]{0,40}?) (?:is|are|was) (\S.{0,200})$",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE = re.compile(
    r"((?:the|my|our|his|her|their|its|[\w ]{1,40}'s) [\w '-]{1,60}?) (?:is|are) (\S[^.]{0,200})\.?$", re.IGNORECASE
)
_KIND = re.compile(r"([\w '-]{1,60}?) is an? ([\w -]{1,60}) ([\w-]{1,40})\.?$", re.IGNORECASE)
LEAST_WORDS = 2
"""Words of a sentence that another can deny."""
MOST_SENTENCE = 400
"""Characters of an entry whose claims are compared; longer ones are documents."""


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
    """Yield entries that an equally new entry denies, or that give the same thing another value."""
    told: dict[object, list[tuple[Entry, object]]] = defaultdict(list)
    for entry in entries:
        if len(entry.text) <= MOST_SENTENCE:
            for thing, value in _claims(entry):
                told[thing].append((entry, value))
    found: dict[int, Entry] = {}
    for same in told.values():
        newest: date = max((entry.updated_at or date.min for entry, _ in same))
        last = [(entry, value) for entry, value in same if (entry.updated_at or date.min) == newest]
        if len({value for _, value in last}) > 1:
            found |= {id(entry): entry for entry, _ in last}
    yield from found.values()


def _claims(entry: Entry) -> Iterator[tuple[object, object]]:
    """Yield (what has one value, the value): an attribute of a thing, and whether a sentence holds."""
    said = entry.text
    for head in (f"{entry.about}: ", f"{entry.about} ") if entry.about else ():
        said = said.removeprefix(head)
    said = re.sub(r"^\([^()]{0,80}\): ", "", said)
    about = plain_of(entry.about or "")
    if entry.about and (found := _COLON.match(said) or _IS.match(said)):
        yield (about, plain_of(found[1]).removeprefix("the ")), plain_of(found[2])
    elif found := _ATTRIBUTE.match(said):
        yield (about, plain_of(found[1])), plain_of(found[2])
    elif found := _KIND.match(said):  # "Device A is a Synology NAS" and "… a fnos NAS": one kind of thing
        yield (about, plain_of(found[1]), plain_of(found[3])), plain_of(found[2])
    for one in statements_of(entry.text, frozenset()):
        if len(one.words) >= LEAST_WORDS:
            yield one.words, one.is_denied


def plain_of(text: str) -> str:
    """Return a text for comparing: its words in lower case."""
    return " ".join(re.findall(r"\w+", text.casefold()))
