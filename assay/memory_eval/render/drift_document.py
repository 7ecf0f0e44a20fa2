"""The comparison of two states of a production memory as a document."""

from __future__ import annotations

from assay.memory_eval.render.document import Document, Line, Table, Tone, percent
from assay.memory_eval.report.drift import Drift, EntryCounts

MOST_EXAMPLES = 3
_TONES: dict[str, Tone] = {"findings": "bad", "no findings": "good"}


def drift_document(drift: Drift) -> Document:
    """Return verdict, findings and reviews, the counts of entries, and health."""
    record = drift.record
    states = ", ".join(f"{count:,} {state}" for state, count in record.states.items())
    compared = f"; compared with {_day(drift.old_taken_at)}" if drift.old_taken_at else ""
    return Document(
        f"Memory changes: {drift.verdict}",
        f"{drift.verdict.capitalize()}: {drift.why}",
        _TONES.get(drift.verdict, "doubtful"),
        (
            Line(f"{record.format}, {states}, {_day(record.taken_at)}{compared}", "faint"),
            *([signs_table(drift)] if drift.signs else []),
            *([_entries(drift.entries)] if drift.entries else []),
            Table(
                ("Entries", "Before", "Now"),
                tuple((one.name, _count(one.before), _count(one.after)) for one in drift.health),
                "Health",
                is_folded=True,
            ),
            *(Line(f"Note: {note}", "faint") for note in record.notes),
        ),
    )


def signs_table(drift: Drift) -> Table:
    """Return findings and reviews."""
    return Table(
        ("", "Count", "Meaning", "Entries"),
        tuple(
            (
                f"{one.weight}: {one.name}",
                f"{one.count:,}",
                one.meaning,
                "\n".join(one.examples[:MOST_EXAMPLES]),
            )
            for one in (*drift.findings, *drift.reviews)
        ),
    )


def _entries(one: EntryCounts) -> Table:
    return Table(
        ("Entries", "Count", ""),
        (
            ("before", f"{one.num_before:,}", f"{one.num_comparable:,} can be recognized when they are reworded"),
            ("now", f"{one.num_now:,}", f"{one.num_new:,} are new"),
            ("kept", f"{one.num_kept:,}", "their words are in an entry now"),
            ("changed", f"{one.num_changed:,}", "under the same id, or nearly the same words"),
            ("removed on record", f"{one.num_on_record:,}", "deleted, replaced or expired, or on request"),
            ("gone", f"{one.num_gone:,}", "none of these"),
            ("share kept", percent(one.share, 1), "kept or changed, of those not removed on record"),
        ),
    )


def _day(at: str) -> str:
    return at[:16].replace("T", " ")


def _count(count: int | None) -> str:
    return "-" if count is None else f"{count:,}"
