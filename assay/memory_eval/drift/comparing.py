"""What became of the facts of an older record in a newer one: kept, updated, deleted on record, or lost."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from assay.memory_eval.drift.marks import split_marks
from assay.memory_eval.drift.matching import LEAST_WORDS, Holder, Replacing, deletions_of, facts_of
from assay.memory_eval.report.drift import EntryCounts, EntryMark, FactMark, Kept, Record, Updated
from assay.statistics import binomial_tail, interval_of_rate

LEAST_FACTS = 30
"""Facts below which a loss is not judged."""
ALPHA = 0.01
"""Level of a run: at most 1 % false alarms by chance, shared by the tests that it has."""

Row = tuple[EntryMark, FactMark]


@dataclass(frozen=True, slots=True)
class Fates:
    """Facts of the older record by what became of them; `changes` are (old fact, its entry, new fact)."""

    kept: tuple[Row, ...]
    changes: tuple[tuple[EntryMark, FactMark, FactMark], ...]
    rewritten: tuple[Row, ...]
    deleted: tuple[Row, ...]
    lost: tuple[Row, ...]


def fates(old: Record, new: Record) -> Fates:
    """Sort the facts of the older record."""
    before, after = Holder(old), Holder(new)
    replacing = Replacing(before, new)
    gone = _Gone(old, new)
    kept: list[Row] = []
    missing: list[Row] = []
    for row in facts_of(old):
        (kept if after.has(row[1]) else missing).append(row)
    changes, deleted, rest = [], [], []
    for entry, fact in missing:
        other = replacing.of(entry, fact)
        if gone.covers(entry):
            deleted.append((entry, fact))
        elif other is not None:
            changes.append((entry, fact, other))
        else:
            rest.append((entry, fact))
    # An entry with another value instead of one of its values was rewritten, with what else it said.
    rewritten = {entry.id for entry, _, _ in changes if entry.id in after.ids and entry.text not in after.texts}
    return Fates(
        tuple(kept),
        tuple(changes),
        tuple(row for row in rest if row[0].id in rewritten),
        tuple(deleted),
        tuple(row for row in rest if row[0].id not in rewritten),
    )


def kept_of(found: Fates, tolerated: float, alpha: float = ALPHA) -> Kept:
    """Count the fates, with the interval of the share kept and the test against the tolerated rate."""
    lost, judged = found.lost, [*found.kept, *found.lost]
    low = high = share = p_value = least = None
    if judged:
        within = interval_of_rate(len(found.kept), len(judged))
        share = len(found.kept) / len(judged)
        low, high = (within.low, within.high) if within else (None, None)
    if len(judged) >= LEAST_FACTS:
        test = _LossTest([entry.id for entry, _ in judged], tolerated, alpha)
        p_value = test.p_value([entry.id for entry, _ in lost])
        least = test.least_shown
    return Kept(
        num_facts=sum(map(len, (found.kept, found.changes, found.rewritten, found.deleted, found.lost))),
        num_kept=len(found.kept),
        num_updated=len(found.changes) + len(found.rewritten),
        num_deleted=len(found.deleted),
        num_lost=len(lost),
        share=share,
        low=low,
        high=high,
        tolerated=tolerated,
        p_value=p_value,
        least_shown=least,
    )


def entries_of(old: Record, new: Record) -> tuple[EntryCounts, tuple[EntryMark, ...]]:
    """Count the live entries of both records; also return the older ones that nothing in the newer one explains.

    Entries with other words may have been reworded, so that they are gone only as far as the number of entries fell.
    """
    before, now = _by_entry(old), _by_entry(new)
    after, gone = Holder(new), _Gone(old, new)
    holders: Counter[str] = Counter()
    absent: list[EntryMark] = []
    for parts in before.values():
        held = [after.containing(part) for part in parts]
        if held[0] is not None and all(held):
            holders[held[0].text] += 1
        elif not any(map(gone.covers, parts)) and not _has_expired(parts[0], new):
            absent.append(parts[0])
    # Entries that one entry holds now were merged: that one is still there.
    num_merged = holders.total() - len(holders)
    num_on_record = len(before) - holders.total() - len(absent)
    num_gone = min(len(absent), max(0, len(before) - len(now) - num_merged - num_on_record))
    counts = EntryCounts(
        num_before=len(before),
        num_now=len(now),
        num_comparable=sum(any(part.facts for part in parts) for parts in before.values()),
        num_held=holders.total(),
        num_gone=num_gone,
        share=1 - num_gone / len(before) if before else None,
    )
    return counts, tuple(absent)


def _by_entry(record: Record) -> dict[tuple[str, str], list[EntryMark]]:
    """Return the parts of each live entry that has a text."""
    found: dict[tuple[str, str], list[EntryMark]] = {}
    for mark in record.entries:
        if mark.state == "live":
            found.setdefault((mark.id, mark.text), []).append(mark)
    return found


def _has_expired(entry: EntryMark, new: Record) -> bool:
    """Return whether an entry that is gone was recorded to end before the newer record was taken."""
    return entry.ended is not None and datetime.fromisoformat(entry.ended) <= datetime.fromisoformat(new.taken_at)


def updated_of(earlier: Record | None, old: Record, new: Record, since: Fates) -> tuple[Updated, tuple[Row, ...]]:
    """Count the changes before the older record by the value that the newer one has; also return those gone back."""
    after = Holder(new)
    changes = _recorded_changes(old)
    if earlier is not None:
        changes += [(entry, one, other) for entry, one, other in fates(earlier, old).changes]
    counted: Counter[str] = Counter()
    back: list[Row] = []
    seen: set[tuple[FactMark, FactMark]] = set()
    for entry, one, other in changes:
        if (one, other) in seen:
            continue
        seen.add((one, other))
        if after.has(other):
            counted["both" if after.has(one) else "current"] += 1
        elif after.has(one):
            counted["back"] += 1
            back.append((next(after.holding(one), entry), one))
        else:
            counted["neither"] += 1
    updated = Updated(
        len(seen), counted["current"], counted["both"], counted["back"], counted["neither"], len(since.changes)
    )
    return updated, tuple(back)


def _recorded_changes(record: Record) -> list[tuple[EntryMark, FactMark, FactMark]]:
    """Return the changes that a store records itself: replaced texts of entries that are live with another text."""
    live = Holder(record)
    by_id: dict[str, list[EntryMark]] = {}
    for part in live.parts:
        by_id.setdefault(part.entry.id, []).append(part.entry)
    found = []
    for entry in record.entries:
        if entry.state == "live" or entry.is_deleted or entry.ended is None or entry.id not in by_id:
            continue
        for fact in entry.facts:
            others = [other for one in by_id[entry.id] for other in one.facts if other.kind == fact.kind]
            same = [other for other in others if other.subject == fact.subject and other.value != fact.value]
            if len(same) == 1 and not live.has(fact):
                found.append((entry, fact, same[0]))
    return found


class _Gone:
    """Deletions on record and requests to forget, which explain that a fact is not there."""

    def __init__(self, old: Record, new: Record) -> None:
        self._ids = {one.id for one in new.requests}
        self._texts = {entry.text for entry in deletions_of((old, new))} | {one.text for one in new.requests}
        wanted = [(split_marks(one.words), frozenset(one.values)) for one in new.requests]
        self._requests = [(words, values) for words, values in wanted if values or len(words) >= LEAST_WORDS]

    def covers(self, entry: EntryMark) -> bool:
        """Return whether an entry was deleted on record or on request."""
        if entry.id in self._ids or entry.text in self._texts:
            return True
        words, values = split_marks(entry.words), frozenset(entry.values)
        return any(one <= words and wanted <= values for one, wanted in self._requests)


class _LossTest:
    """Test of a loss against the tolerated rate, by entries and by facts.

    Facts are lost with their entry, so they are not independent. One test counts entries that lost more than half of
    their facts. The other counts facts, divided by Kish's design effect for complete dependence, and shows losses
    inside large entries. The smaller p-value counts, doubled if the tests differ (Bonferroni).
    """

    def __init__(self, entries: Sequence[str], tolerated: float, alpha: float) -> None:
        self._sizes = Counter(entries)
        self._tolerated, self._alpha = tolerated, alpha
        self._effect = sum(size * size for size in self._sizes.values()) / len(entries)
        self._times = 1 if len(self._sizes) == len(entries) else 2

    def p_value(self, lost: Sequence[str]) -> float:
        """Return the p-value of lost facts, each given by its entry."""
        gone = Counter(lost)
        num_entries = sum(2 * count > self._sizes[name] for name, count in gone.items())
        return min(1.0, self._times * min(self._by_entry(num_entries), self._by_fact(len(lost))))

    @property
    def least_shown(self) -> int | None:
        """The number of lost facts from which a loss of whole entries, or else of facts, is shown; None if never."""
        num, each = len(self._sizes), self._sizes.total() / len(self._sizes)
        whole = self._least(num, self._by_entry)
        facts = self._least(self._sizes.total(), self._by_fact)
        known = [count for count in (math.ceil(whole * each) if whole else None, facts) if count is not None]
        return min(known, default=None)

    def _least(self, num: int, test: Callable[[int], float]) -> int | None:
        least = bisect_left(range(1, num + 1), True, key=lambda count: self._times * test(count) < self._alpha) + 1
        return least if least <= num else None

    def _by_entry(self, num_lost: int) -> float:
        return binomial_tail(num_lost, len(self._sizes), self._tolerated)

    def _by_fact(self, num_lost: int) -> float:
        num = max(1, round(self._sizes.total() / self._effect))
        return binomial_tail(int(num_lost / self._effect), num, self._tolerated)
