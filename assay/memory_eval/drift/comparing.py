"""What became of the entries of an older record in a newer one, and the verdict."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from itertools import islice
from typing import Literal

from assay.memory_eval.drift.record import LEAST_WORDS, split_marks
from assay.memory_eval.errors import ExamUsageError
from assay.memory_eval.report.drift import (
    Drift,
    EntryCounts,
    EntryMark,
    HealthChange,
    Record,
    Sign,
    StatementMark,
    Verdict,
    Weight,
)

NEARLY = 0.5
"""Share of their words that two entries have in common if one is a rewording of the other."""
MOST_CANDIDATES = 200
"""Entries that are compared with one that is missing; they share its rarest words."""
MOST_EXAMPLES = 10

Naming = Callable[[EntryMark], str]
"""The text that names an entry in an example: its hash by default."""
Fate = Literal["kept", "on record", "gone", "changed", "reversed", "other subject"]


@dataclass(frozen=True, slots=True)
class Side:
    """The live entries of a record that have a text, searchable by id, text and words."""

    entries: dict[EntryMark, frozenset[str]]
    by_id: dict[str, EntryMark] = field(default_factory=dict)
    by_text: dict[str, EntryMark] = field(default_factory=dict)
    by_word: dict[str, list[EntryMark]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, record: Record) -> Side:
        """Index a record's live entries."""
        side = cls({entry: _words(entry) for entry in record.entries if entry.state == "live"})
        for entry, words in side.entries.items():
            side.by_id.setdefault(entry.id, entry)
            side.by_text.setdefault(entry.text, entry)
            for word in words:
                side.by_word[word].append(entry)
        return side

    def sharing(self, words: Iterable[str]) -> Iterator[EntryMark]:
        """Yield the entries with one of these words, those with the rarest first."""
        for word in sorted(words, key=lambda word: len(self.by_word.get(word, ()))):
            yield from self.by_word.get(word, ())

    def holder(self, entry: EntryMark, words: frozenset[str]) -> EntryMark | None:
        """Return an entry with this one's text, or with each of its statements, unless its words are few."""
        if (same := self.by_text.get(entry.text)) is not None or len(words) < LEAST_WORDS:
            return same
        rarest = min(words, key=lambda word: len(self.by_word.get(word, ())))
        return next((one for one in self.by_word.get(rarest, ()) if _holds(one, entry)), None)


def drift_of(old: Record | None, new: Record, *, naming: Naming = lambda entry: entry.text) -> Drift:
    """Compare the newer record with the older one.

    Raises:
        ExamUsageError: the records have different keys, so that nothing can be compared.
    """
    if old is not None and old.key_check != new.key_check:
        raise ExamUsageError(
            "the records were made with different keys: use the same ASSAY_MEMORY_KEY, or the stores themselves",
            code="drift.other-key",
        )
    entries, signs = (None, []) if old is None else _compared(old, new, naming)
    health = tuple(
        HealthChange(name, old.health.get(name) if old is not None else None, count)
        for name, count in new.health.items()
    )
    signs = [one for one in (*signs, *_request_signs(new), *_health_signs(health)) if one.count]
    verdict, why = _verdict(entries, signs)
    num_unread = new.num_unread + (old.num_unread if old is not None else 0)
    why += f"; parts that could not be read: {num_unread:,}" if num_unread else ""
    return Drift(verdict, why, old.taken_at if old else None, entries, health, tuple(signs), new)


def _compared(old: Record, new: Record, naming: Naming) -> tuple[EntryCounts, list[Sign]]:
    before, after = Side.of(old), Side.of(new)
    fates, num_new = _fates(before, after, new)
    of = {fate: [entry for entry, found in fates.items() if found == fate] for fate in set(fates.values())}
    num_on_record, num_gone = len(of.get("on record", ())), len(of.get("gone", ()))
    judged = len(before.entries) - num_on_record
    counts = EntryCounts(
        num_before=len(before.entries),
        num_now=len(after.entries),
        num_kept=len(of.get("kept", ())),
        num_changed=judged - num_gone - len(of.get("kept", ())),
        num_on_record=num_on_record,
        num_gone=num_gone,
        num_new=num_new,
        num_comparable=sum(len(words) >= LEAST_WORDS for words in before.entries.values()),
        share=(judged - num_gone) / judged if judged else None,
    )

    def sign(name: str, weight: Weight, entries: Sequence[EntryMark], meaning: str) -> Sign:
        examples = tuple(islice(dict.fromkeys(map(naming, entries)), MOST_EXAMPLES))
        return Sign(name, weight, len(entries), meaning, examples)

    return counts, [
        sign("entries gone", "finding", of.get("gone", ()), "without a record, and no entry has their words"),
        sign("reversed", "finding", of.get("reversed", ()), "deny now what they said, or the other way round"),
        sign("other subject", "finding", of.get("other subject", ()), "say the same of another name"),
        sign("changed", "review", of.get("changed", ()), "other words under the same id, or nearly the same words"),
        sign("back", "finding", _returned(old, before, after), "replaced or deleted on record, and live again"),
        sign(
            "secret kept",
            "finding",
            _with_deleted_secrets(old, new, after),
            "a deleted entry's secret is still stored",
        ),
    ]


def _fates(before: Side, after: Side, new: Record) -> tuple[dict[EntryMark, Fate], int]:
    """Return what became of each older entry, and how many newer ones are none of them."""
    explained = _Explained(new)
    fates: dict[EntryMark, Fate] = {}
    missing: list[EntryMark] = []
    taken: set[EntryMark] = set()
    for entry, words in before.entries.items():
        holder = after.holder(entry, words)
        if holder is not None:
            fates[entry] = "kept"
            taken.add(holder)
        elif explained.covers(entry, words):
            fates[entry] = "on record"
        else:
            missing.append(entry)
    for entry in missing:
        same = after.by_id.get(entry.id)
        found = same if same is not None and same not in taken else _nearest(entry, before, after, taken)
        if found is None:
            fates[entry] = "gone"
        else:
            taken.add(found)
            fates[entry] = _change(entry, found)
    replaced = {after.by_id.get(entry.id) for entry, fate in fates.items() if fate == "on record"}
    return fates, len(after.entries.keys() - taken - replaced)


def _nearest(entry: EntryMark, before: Side, after: Side, taken: set[EntryMark]) -> EntryMark | None:
    """Return the newer entry that is most like a missing one, if it is a rewording of it and of no other."""
    words = before.entries[entry]
    candidates = dict.fromkeys(islice((one for one in after.sharing(words) if one not in taken), MOST_CANDIDATES))
    found = max(candidates, key=lambda one: _alike(words, after.entries[one]), default=None)
    is_old = found is not None and before.by_text.get(found.text) is not None
    return found if found is not None and not is_old and _alike(words, after.entries[found]) >= NEARLY else None


def _change(old: EntryMark, new: EntryMark) -> Fate:
    """Return how an entry changed: by its statements that are about the same."""
    for one in old.statements:
        for other in new.statements:
            if _alike(_of(one), _of(other)) >= NEARLY and one.is_denied != other.is_denied:
                return "reversed"
            is_moved = one.names and other.names and one.names != other.names
            if one.words and one.words == other.words and is_moved:
                return "other subject"
    return "changed"


class _Explained:
    """Deletions, replacements and expiry on record, and requests to forget."""

    def __init__(self, new: Record) -> None:
        self._ended = {(one.id, one.text) for one in new.entries if one.state == "history"}
        self._ids = {one.id for one in new.requests}
        self._texts = {one.text for one in new.requests}
        self._words = [words for one in new.requests if len(words := split_marks(one.words)) >= LEAST_WORDS]
        self._now = datetime.fromisoformat(new.taken_at)

    def covers(self, entry: EntryMark, words: frozenset[str]) -> bool:
        """Return whether something explains that an entry is not there."""
        if (entry.id, entry.text) in self._ended or entry.id in self._ids or entry.text in self._texts:
            return True
        has_expired = entry.ended is not None and datetime.fromisoformat(entry.ended) <= self._now
        return has_expired or any(wanted <= words for wanted in self._words)


def _returned(old: Record, before: Side, after: Side) -> list[EntryMark]:
    """Return the live entries that the older record had in its history alone: deleted or replaced, and back."""
    ended = {(one.id, one.text) for one in old.entries if one.state == "history"}
    return [one for one in after.entries if (one.id, one.text) in ended and one.text not in before.by_text]


def _with_deleted_secrets(old: Record, new: Record, after: Side) -> list[EntryMark]:
    """Return the entries, in any state, with a secret of an entry that was deleted on record."""
    deleted = (one for one in (*old.entries, *new.entries) if one.state == "history" and one.id not in after.by_id)
    secrets = {secret for one in deleted for secret in one.secrets}
    return [one for one in new.entries if secrets.intersection(one.secrets)]


def _request_signs(new: Record) -> list[Sign]:
    live = sum(one.num_live > 0 for one in new.requests)
    history = sum(one.num_history > 0 for one in new.requests)
    return [
        Sign("not forgotten", "finding", live, "requests to forget that match a live entry"),
        Sign("still in history", "finding", history, "requests to forget that match an entry in the store's history"),
    ]


def _health_signs(health: Sequence[HealthChange]) -> list[Sign]:
    return [
        Sign(one.name, "review", one.after - one.before, "more entries with this problem than before")
        for one in health
        if one.before is not None and one.after is not None and one.after > one.before
    ]


def _verdict(entries: EntryCounts | None, signs: Sequence[Sign]) -> tuple[Verdict, str]:
    """Return the verdict and its reason, with the entries that it covers."""
    findings = ", ".join(f"{sign.count:,} {sign.name}" for sign in signs if sign.weight == "finding")
    if entries is None:
        return ("findings", findings) if findings else ("no verdict", "this is the first record")
    counts = (
        f"{entries.num_kept:,} of {entries.num_before:,} entries kept, {entries.num_changed:,} changed,"
        f" {entries.num_on_record:,} removed on record; {entries.num_now:,} now"
    )
    return ("findings", f"{findings}; {counts}") if findings else ("no findings", counts)


def _holds(one: EntryMark, entry: EntryMark) -> bool:
    """Return whether an entry says each statement of another, alone or with more."""
    return all(
        any(wanted.is_denied == other.is_denied and _of(wanted) <= _of(other) for other in one.statements)
        for wanted in entry.statements
    )


@lru_cache(maxsize=2**17)
def _of(statement: StatementMark) -> frozenset[str]:
    return split_marks(statement.words) | split_marks(statement.names)


def _words(entry: EntryMark) -> frozenset[str]:
    return frozenset().union(*map(_of, entry.statements))


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, len(one | other))
