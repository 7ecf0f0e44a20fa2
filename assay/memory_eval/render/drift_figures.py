"""Figures of a comparison of memory states, as rows for every rendering."""

from __future__ import annotations

from typing import NamedTuple

from assay.memory_eval.render.figures import percent
from assay.memory_eval.report.drift import Drift, Point

MOST_POINTS_SHOWN = 12
"""Runs of the history in text; the page draws all."""


class Row(NamedTuple):
    """A measure: its name, value, and what it is made of."""

    name: str
    value: str
    detail: str


def headline(drift: Drift) -> str:
    """Return the verdict as one sentence without a full stop."""
    return f"{drift.verdict.capitalize()}: {drift.why}"


def sides(drift: Drift) -> str:
    """Return what was compared with what."""
    states = ", ".join(f"{count:,} {state}" for state, count in drift.record.states.items())
    now = f"{drift.record.format}, {states}, {drift.record.num_facts:,} facts, {_day(drift.record.taken_at)}"
    if drift.old_taken_at is None:
        return now
    earlier = f" and {_day(drift.earlier_taken_at)}" if drift.earlier_taken_at else ""
    return f"{now}; compared with {_day(drift.old_taken_at)}{earlier}"


def rows(drift: Drift) -> list[Row]:
    """Return the measures that could be taken."""
    return [*_entries(drift), *_kept(drift), *_updated(drift), *_deleted(drift), *_retrieval(drift)]


def health(drift: Drift) -> list[tuple[str, str, str]]:
    """Return (problem, before, now)."""
    return [(one.name, _count(one.before), _count(one.after)) for one in drift.health]


def points(drift: Drift) -> tuple[Point, ...]:
    """Return the last runs, oldest first."""
    return drift.history[-MOST_POINTS_SHOWN:]


def share(value: float | None) -> str:
    """Return a share in percent with one digit, or nothing."""
    return "" if value is None else percent(value, 1)


def day(at: str) -> str:
    """Return the day and minute of an ISO time."""
    return at[:16].replace("T", " ")


def _entries(drift: Drift) -> list[Row]:
    one = drift.entries
    if one is None:
        return []
    detail = f"{one.num_held:,} of the {one.num_before:,} have their text or words in an entry now"
    if one.num_gone:
        detail += f"; {one.num_gone:,} gone without a record"
    return [Row("Live entries", f"{one.num_before:,} to {one.num_now:,}", detail)]


def facts_kept(drift: Drift) -> str:
    """Return the facts kept of those that can be compared, as counts: other entries have no such fact."""
    kept = drift.kept
    return "none" if kept is None else f"{kept.num_kept:,} of {kept.num_kept + kept.num_lost:,}"


def _kept(drift: Drift) -> list[Row]:
    kept, entries = drift.kept, drift.entries
    if kept is None or entries is None:
        return []
    detail = f"in {entries.num_comparable:,} of {entries.num_before:,} entries"
    if kept.num_updated or kept.num_deleted:
        detail += f"; {kept.num_updated:,} updated, {kept.num_deleted:,} deleted on record"
    if kept.low is not None and kept.high is not None:
        detail += f"; 95% interval {percent(kept.low, 1)} to {percent(kept.high, 1)}"
    found = [Row("Comparable facts kept", facts_kept(drift), detail)]
    if kept.p_value is not None:
        least = "no loss" if kept.least_shown is None else f"a loss of {kept.least_shown:,}"
        found.append(
            Row(
                "Loss beyond chance",
                f"p = {kept.p_value:.2g}",
                f"tolerated {kept.tolerated:.1%}; {least} or more shows",
            )
        )
    return found


def _updated(drift: Drift) -> list[Row]:
    one = drift.updated
    if one is None or not (one.num_changed or one.num_changed_since):
        return []
    detail = f"{one.num_gone_back:,} gone back, {one.num_both:,} with both values, {one.num_neither:,} with neither"
    value = f"{one.num_current:,} of {one.num_changed:,}" if one.num_changed else "none"
    return [Row("Updates held", value, f"{detail}; {one.num_changed_since:,} changed since")]


def _deleted(drift: Drift) -> list[Row]:
    one = drift.deleted
    found = []
    if one is not None and one.num_recorded:
        detail = (
            f"{one.num_back:,} live again, {one.num_restated:,} stated again, {one.num_on_record:,} still on record"
        )
        found.append(Row("Deletions on record", f"{one.num_recorded:,}", detail))
    if one is not None and one.num_requests:
        found.append(
            Row(
                "Requests to forget",
                f"{one.num_requests:,}",
                f"{one.num_requests_live:,} live, {one.num_requests_history:,} in history, "
                f"{one.num_requests_residue:,} in residue",
            )
        )
    return found


def _retrieval(drift: Drift) -> list[Row]:
    one = drift.retrieval
    if not one.now.num_questions:
        return []
    recall = ", ".join(f"top {k} {_share(value)}" for k, value in one.now.recall_at.items())
    mrr = "" if one.now.mrr is None else f", MRR {one.now.mrr:.2f}"
    found = [
        Row("Recall of stored entries", _share(one.now.recall_at["10"]),
            f"{one.now.num_questions:,} questions by {one.retriever}: {recall}{mrr}")
    ]  # fmt: skip
    if one.num_pairs and one.p_value is not None:
        moved = f"top 10 over the same {one.num_pairs:,} questions; {one.num_lost:,} lost, {one.num_gained:,} gained"
        found.append(
            Row(
                "Recall on the same questions",
                f"{_share(one.before)} to {_share(one.after)}",
                f"{moved}, p = {one.p_value:.2g}",
            )
        )
    return found


def _share(value: float | None) -> str:
    return "none" if value is None else percent(value, 1)


def _count(count: int | None) -> str:
    return "not measured" if count is None else f"{count:,}"


def _day(at: str | None) -> str:
    return "" if at is None else day(at)
