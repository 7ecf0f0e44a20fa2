"""Inspection of a memory: contents, and duplicate, empty, stale and contradictory entries, with examples.

Basic by design: two entries contradict each other if one denies the other in the same words, or if an explicit
attribute ("Ada: pet: cat", "the pet of Ada is a dog") has two values, and no day shows which is newer.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path

from assay.escape import visible
from assay.memory_eval.adapters.snapshots.opening import TITLES, open_snapshot
from assay.memory_eval.adapters.snapshots.reading import shown
from assay.memory_eval.adapters.snapshots.signs import has_secret, instruction_sign, redacted
from assay.memory_eval.adapters.snapshots.snapshot import STATES, Entry, Snapshot
from assay.memory_eval.adapters.snapshots.statements import statements_of
from assay.memory_eval.errors import WorldUnreadable
from assay.memory_eval.report.inspection import Example, Inspection, Problem

# ------------------ health

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
    counts = {one.name: one.count for one in problems_of(snapshot.live, snapshot.entries)}
    return {f"num_{name}": counts[name] for name in ("duplicate", "empty", "contradictory", "stale")}


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


# ------------------ inspecting

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
        title=TITLES[snapshot.format],
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
