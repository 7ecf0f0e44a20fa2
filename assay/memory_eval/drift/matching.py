"""Which facts the live entries of a record hold, and which facts replaced others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from assay.memory_eval.drift.marks import split_marks
from assay.memory_eval.report.drift import EntryMark, FactMark, Record

LEAST_WORDS = 3
"""Words by which a text is recognized in an entry that says more."""


class Part(NamedTuple):
    """An entry's marks and hashes as sets."""

    entry: EntryMark
    words: frozenset[str]
    values: frozenset[str]


class Holder:
    """Live entries of a record, searchable for facts."""

    def __init__(self, record: Record) -> None:
        parts = [_part(entry) for entry in record.entries if entry.state == "live"]
        self.parts = parts
        self.ids = frozenset(part.entry.id for part in parts)
        self.texts = {part.entry.text: part.entry for part in reversed(parts)}
        self._by_value: dict[str, list[Part]] = defaultdict(list)
        self._by_word: dict[str, list[Part]] = defaultdict(list)
        self._known: dict[FactMark, bool] = {}
        for part in parts:
            for value in part.values:
                self._by_value[value].append(part)
            for word in part.words:
                self._by_word[word].append(part)

    def has(self, fact: FactMark) -> bool:
        """Return whether a live entry holds the fact."""
        known = self._known.get(fact)
        if known is None:
            known = self._known[fact] = next(self.holding(fact), None) is not None
        return known

    def holding(self, fact: FactMark) -> Iterator[EntryMark]:
        """Yield the live entries that hold the fact."""
        subject, context = split_marks(fact.subject), split_marks(fact.context)
        for part in self._with_value(fact):
            shared = len(subject & part.words)
            is_about = shared == len(subject) if fact.is_weak else 2 * shared >= len(subject)
            if is_about and len(context & part.words) >= fact.need:
                yield part.entry

    def containing(self, entry: EntryMark) -> EntryMark | None:
        """Return a live entry with the text of another, or with all its words and values, unless those are few."""
        same = self.texts.get(entry.text)
        words, values = split_marks(entry.words), frozenset(entry.values)
        if same is not None or len(words) + len(values) < LEAST_WORDS:
            return same
        # A record in quotes is one value, without any other word.
        parts = self._with_words(words) if words else self._by_value.get(min(values), ())
        return next((part.entry for part in parts if values <= part.values), None)

    def _with_value(self, fact: FactMark) -> Iterator[Part]:
        for value in fact.value:
            yield from self._by_value.get(value, ())
        yield from self._with_words(split_marks(fact.words))

    def _with_words(self, words: frozenset[str]) -> Iterator[Part]:
        if words:
            rarest = min(words, key=lambda word: len(self._by_word.get(word, ())))
            yield from (part for part in self._by_word.get(rarest, ()) if words <= part.words)


class Replacing:
    """Facts of a newer record that an older one does not hold, searchable for what they replaced."""

    def __init__(self, before: Holder, after: Record) -> None:
        self._by_kind: dict[str, list[tuple[EntryMark, FactMark]]] = defaultdict(list)
        for entry, fact in facts_of(after):
            if not before.has(fact):
                self._by_kind[fact.kind].append((entry, fact))
        self._by_subject: dict[tuple[str, str], list[tuple[EntryMark, FactMark]]] = defaultdict(list)
        for kind, rows in self._by_kind.items():
            for row in rows:
                for word in split_marks(row[1].subject) or {""}:
                    self._by_subject[kind, word].append(row)

    def of(self, entry: EntryMark, fact: FactMark) -> FactMark | None:
        """Return the fact that replaced this one: same kind and subject, and same entry or similar context."""
        subject, context = split_marks(fact.subject), split_marks(fact.context)
        for word in sorted(subject) or [""]:
            for other_entry, other in self._by_subject.get((fact.kind, word), ()):
                theirs = split_marks(other.subject)
                if 2 * len(subject & theirs) < max(len(subject), len(theirs)):
                    continue
                shared, most = (
                    len(context & split_marks(other.context)),
                    max(len(context), len(split_marks(other.context))),
                )
                is_same_entry = entry.id == other_entry.id and entry.text != other_entry.text
                if is_same_entry or (shared and 2 * shared >= most):
                    return other
        return None


def facts_of(record: Record) -> Iterator[tuple[EntryMark, FactMark]]:
    """Yield the distinct facts of live entries, each with its first entry."""
    seen: set[tuple[str, str, str]] = set()
    for entry in record.entries:
        if entry.state == "live":
            for fact in entry.facts:
                name = fact.value[0], fact.subject, fact.context
                if name not in seen:
                    seen.add(name)
                    yield entry, fact


def deletions_of(records: Iterable[Record]) -> list[EntryMark]:
    """Return the deletions that any record has, once each."""
    found = {(entry.id, entry.text): entry for record in records for entry in record.entries if entry.is_deleted}
    return list(found.values())


def _part(entry: EntryMark) -> Part:
    return Part(entry, split_marks(entry.words), frozenset(entry.values))
