"""The comparison of two or three records of a production memory, and its verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from assay.memory_eval.drift.asking import OWN
from assay.memory_eval.drift.comparing import ALPHA, LEAST_FACTS, Fates, entries_of, fates, kept_of, updated_of
from assay.memory_eval.drift.deleting import Deletions, deletions
from assay.memory_eval.drift.retrieving import is_worse as retrieval_is_worse
from assay.memory_eval.drift.retrieving import retrieval_of
from assay.memory_eval.errors import ExamUsageError
from assay.memory_eval.report.drift import (
    MOST_POINTS,
    Drift,
    EntryCounts,
    EntryMark,
    HealthChange,
    Kept,
    Point,
    Record,
    Retrieval,
    Sign,
    Verdict,
    Weight,
)

MOST_EXAMPLES = 10
Naming = Callable[[EntryMark], str]
"""The text that names an entry in an example: its hash by default."""


def by_hash(entry: EntryMark) -> str:
    """Return the hash of an entry's text."""
    return entry.text


def drift_of(
    old: Record | None,
    new: Record,
    earlier: Record | None = None,
    *,
    history: Sequence[Point] = (),
    naming: Naming = by_hash,
) -> Drift:
    """Compare the newer record with the older one; `earlier` is from before the older one.

    Raises:
        ExamUsageError: the records have different keys, so that nothing can be compared.
    """
    for other in (old, earlier):
        if other is not None and other.key_check != new.key_check:
            raise ExamUsageError(
                "the records were made with different keys: use the same ASSAY_MEMORY_KEY, or the stores themselves",
                code="drift.other-key",
            )
    gone = deletions(earlier, old, new)
    retrieval = retrieval_of(old, new)
    found = fates(old, new) if old is not None else None
    # Assay's own retriever is not tested, and leaves the whole level to the test of losses.
    alpha = ALPHA if new.retriever == OWN else ALPHA / 2
    kept = kept_of(found, new.tolerated, alpha) if found is not None else None
    updated, back = updated_of(earlier, old, new, found) if found is not None and old is not None else (None, ())
    entries, absent = entries_of(old, new) if old is not None else (None, ())
    health = _health(old, new)
    signs = tuple(
        sign
        for sign in (
            *_entry_signs(entries, absent, naming),
            *_losses(kept, found, alpha, naming),
            _sign(
                "gone back", "finding", (entry for entry, _ in back), "an updated value is the old one again", naming
            ),
            *_deletion_signs(gone, naming),
            *_retrieval_signs(retrieval, alpha),
            *_health_signs(health),
        )
        if sign.count
    )
    verdict, why = _verdict(old, new, kept, entries, signs)
    shares = [one.share for one in (kept, entries) if one is not None and one.share is not None]
    point = Point(
        at=new.taken_at,
        num_live=new.states.get("live", 0),
        num_facts=new.num_facts,
        kept=min(shares, default=None),
        recall=retrieval.now.recall_at["10"],
        num_findings=sum(sign.count for sign in signs if sign.weight == "finding"),
        verdict=verdict,
    )
    return Drift(
        verdict=verdict,
        why=why,
        old_taken_at=old.taken_at if old else None,
        earlier_taken_at=earlier.taken_at if earlier else None,
        old_states=old.states if old else None,
        kept=kept,
        updated=updated,
        deleted=gone.counts,
        retrieval=retrieval,
        health=health,
        signs=signs,
        history=(*history, point)[-MOST_POINTS:],
        record=new,
        entries=entries,
    )


def _verdict(
    old: Record | None, new: Record, kept: Kept | None, entries: EntryCounts | None, signs: Sequence[Sign]
) -> tuple[Verdict, str]:
    """Return the verdict and its reason, with the entries that it covers and the parts that could not be read."""
    verdict, why = _judged(old, kept, signs)
    if entries is not None:
        why += (
            f"; {entries.num_before:,} entries before, {entries.num_now:,} now; "
            f"{entries.num_comparable:,} of the {entries.num_before:,} have a fact that can be compared"
        )
    num_unread = new.num_unread + (old.num_unread if old is not None else 0)
    return verdict, f"{why}; parts that could not be read: {num_unread:,}" if num_unread else why


def _judged(old: Record | None, kept: Kept | None, signs: Sequence[Sign]) -> tuple[Verdict, str]:
    findings = [sign for sign in signs if sign.weight == "finding"]
    if findings:
        return "findings", ", ".join(f"{sign.count:,} {sign.name}" for sign in findings)
    if old is None or kept is None:
        return "no verdict", "this is the first record; the next run is compared with it"
    num_judged = kept.num_kept + kept.num_lost
    if num_judged < LEAST_FACTS:
        return "no verdict", f"{num_judged} facts can be compared; a verdict needs {LEAST_FACTS}"
    lost = f", {kept.num_lost:,} lost without a record" if kept.num_lost else ""
    return "no findings", f"{kept.num_kept:,} of {num_judged:,} facts kept{lost}"


def _entry_signs(entries: EntryCounts | None, absent: Sequence[EntryMark], naming: Naming) -> list[Sign]:
    if entries is None:
        return []
    meaning = "fewer entries than before, without a record; examples have words that no entry has now"
    return [replace(_sign("entries gone", "finding", absent, meaning, naming), count=entries.num_gone)]


def _losses(kept: Kept | None, found: Fates | None, alpha: float, naming: Naming) -> list[Sign]:
    if kept is None or found is None:
        return []
    is_shown = kept.p_value is not None and kept.p_value < alpha
    meaning = (
        f"facts lost without a record, more than the tolerated {kept.tolerated:.1%} (p = {kept.p_value:.2g})"
        if is_shown
        else "facts lost without a record"
    )
    entries = [entry for entry, _ in found.lost]
    lost = _sign("lost", "finding" if is_shown else "review", entries, meaning, naming)
    dropped = _sign("dropped", "review", (entry for entry, _ in found.rewritten), "facts left out of a changed entry",
                    naming)  # fmt: skip
    return [lost, dropped]


def _deletion_signs(gone: Deletions, naming: Naming) -> list[Sign]:
    counts = gone.counts
    return [
        _sign("undeleted", "finding", gone.back, "deleted on record, and live again", naming),
        _sign("secret kept", "finding", gone.secrets_kept, "a deleted entry's secret is still stored", naming),
        _sign("secret back", "finding", gone.secrets_back, "a secret that had gone is live again", naming),
        Sign("not forgotten", "finding", counts.num_requests_live, "requests to forget that match a live entry"),
        Sign("still in history", "finding", counts.num_requests_history,
             "requests to forget that match an entry in the store's history"),
        Sign("still in residue", "review", counts.num_requests_residue,
             "requests to forget that match a remainder in the store's files"),
        _sign("stated again", "review", gone.restated, "deleted, and live in an entry written later", naming),
    ]  # fmt: skip


def _retrieval_signs(retrieval: Retrieval, alpha: float) -> list[Sign]:
    if retrieval_is_worse(retrieval, alpha):
        meaning = f"questions that no longer find their entry (p = {retrieval.p_value:.2g})"
        return [Sign("not found", "finding", retrieval.num_lost, meaning)]
    return [Sign("not found", "review", retrieval.num_lost, "questions that no longer find their entry")]


def _health(old: Record | None, new: Record) -> tuple[HealthChange, ...]:
    before = old.health if old is not None else {}
    return tuple(HealthChange(name, before.get(name), count) for name, count in new.health.items())


def _health_signs(health: Sequence[HealthChange]) -> list[Sign]:
    return [
        Sign(one.name, "review", one.after - one.before, "more entries with this problem than before")
        for one in health
        if one.before is not None and one.after is not None and one.after > one.before
    ]


def _sign(name: str, weight: Weight, entries: Iterable[EntryMark], meaning: str, naming: Naming) -> Sign:
    found = list(entries)
    examples = tuple(islice(dict.fromkeys(naming(entry) for entry in found), MOST_EXAMPLES))
    return Sign(name, weight, len(found), meaning, examples)
