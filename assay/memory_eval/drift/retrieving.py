"""Retrieval of a record's questions, and the change over the questions that two records share."""

from __future__ import annotations

from collections.abc import Sequence

from assay.memory_eval.drift.asking import OWN
from assay.memory_eval.report.drift import AskedMark, Found, Record, Retrieval
from assay.statistics import exact_test_of_pairs, mean

DEPTHS = (1, 5, 10, 20)
TESTED_DEPTH = 10
LEAST_FALL = 0.05
"""Fall of recall@10 from which it counts: a growing memory makes each entry a little harder to find."""


def retrieval_of(old: Record | None, new: Record) -> Retrieval:
    """Measure retrieval now, and compare it over the questions both records asked of the same retriever."""
    pairs: list[tuple[bool, bool]] = []
    if old is not None and old.retriever == new.retriever:
        before = {one.question: one.rank for one in old.asked}
        pairs = [(_hit(before[one.question]), _hit(one.rank)) for one in new.asked if one.question in before]
    lost, gained = pairs.count((True, False)), pairs.count((False, True))
    return Retrieval(
        retriever=new.retriever,
        now=_found(new.asked),
        num_pairs=len(pairs),
        before=mean([float(one) for one, _ in pairs]),
        after=mean([float(two) for _, two in pairs]),
        num_lost=lost,
        num_gained=gained,
        p_value=exact_test_of_pairs(lost, gained) if pairs else None,
    )


def is_worse(retrieval: Retrieval, alpha: float) -> bool:
    """Return whether the store's own retriever finds less than before, beyond chance and by more than growth explains.

    Assay's retriever searches the texts: it measures how alike they are, and not whether the store's index works.
    """
    if retrieval.retriever == OWN or retrieval.p_value is None or retrieval.before is None or retrieval.after is None:
        return False
    return retrieval.p_value < alpha and retrieval.before - retrieval.after >= LEAST_FALL


def _found(asked: Sequence[AskedMark]) -> Found:
    recall = {str(k): mean([float(one.rank is not None and one.rank <= k) for one in asked]) for k in DEPTHS}
    return Found(len(asked), recall, mean([1 / one.rank if one.rank else 0.0 for one in asked]))


def _hit(rank: int | None) -> bool:
    return rank is not None and rank <= TESTED_DEPTH
