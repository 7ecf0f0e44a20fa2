"""Comparisons, inspections and changes of a memory as documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.memory_eval.render.document import Document, Line, Table, Tone, percent
from assay.memory_eval.report.compare import Comparison, Difference
from assay.memory_eval.report.drift import Drift, EntryCounts
from assay.memory_eval.report.inspection import Inspection, Problem

# ------------------ comparison document

_TONES: dict[str, Tone] = {"better": "good", "worse": "bad"}


def comparison_document(comparison: Comparison) -> Document:
    """Return the verdict, each category, and the questions that changed most."""
    facts = comparison.facts_in_words()
    changed = (("Lost most", comparison.worse), ("Gained most", comparison.better))
    return Document(
        f"Memory comparison: {comparison.verdict}",
        f"{comparison.verdict}: {_sentence(comparison)}",
        _TONES.get(comparison.verdict, "plain"),
        (
            Line(f"{comparison.before} -> {comparison.after}", "faint"),
            *([Line(facts)] if facts else []),
            Table(
                ("Category", "Before", "After", "Change", "95% interval", "p", "Pairs"),
                (*map(_row, comparison.categories), ("all", *_row(comparison.overall)[1:])),
            ),
            *(_changed(title, rows) for title, rows in changed if rows),
            *(Line(f"Note: {note}", "faint") for note in comparison.notes),
        ),
    )


def _changed(title: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    return Table(
        ("Before", "After", "Question"),
        tuple((_score(row["before"]), _score(row["after"]), str(row["question"])) for row in rows),
        title,
    )


def _sentence(comparison: Comparison) -> str:
    overall = comparison.overall
    sure = "" if overall.p_value is None else f", p = {overall.p_value:.3f}"
    within = "" if overall.interval is None else f" (95% interval {_interval(overall)} points{sure})"
    scores = f"{overall.before:.2%} before, {overall.after:.2%} after"
    return f"{scores}, {_signed(overall.change)} points{within} over {comparison.questions_in_words()}"


def _row(one: Difference) -> tuple[str, ...]:
    p_value = "-" if one.p_value is None else f"{one.p_value:.3f}"
    change = _signed(one.change)
    return one.name, f"{one.before:.1%}", f"{one.after:.1%}", change, _interval(one), p_value, str(one.num_pairs)


def _interval(one: Difference) -> str:
    return "-" if one.interval is None else f"{_signed(one.interval.low)} to {_signed(one.interval.high)}"


def _score(score: Any) -> str:
    return f"{float(score or 0):.0%}"


def _signed(change: float) -> str:
    """Return a difference of scores in percentage points: -0.123 -> "-12.3"."""
    return f"{change * 100:+.1f}"


# ------------------ inspection document


def inspection_document(inspection: Inspection) -> Document:
    """Return contents, health and examples."""
    found = [one for one in inspection.problems if one.count]
    tone: Tone = "bad" if any(one.is_severe for one in found) else "doubtful" if found else "good"
    examples = tuple(
        (problem.name, example.id, example.state, example.text)
        for problem in inspection.problems
        for example in problem.examples
    )
    left = inspection.num_unread - len(inspection.unread)
    return Document(
        f"Memory inspection: {inspection.path}",
        inspection.path,
        tone,
        (
            *map(Line, _facts(inspection)),
            Table(("Health", "Entries", "Meaning"), tuple(map(_problem_row, inspection.problems))),
            *([Table(("Problem", "Entry", "State", "Text"), examples, "Examples")] if examples else []),
            *(Line(f"Note: {note}") for note in inspection.notes),
            *(Line(f"Not read: {line}") for line in inspection.unread),
            *([Line(f"Not read: {left} more")] if left else []),
        ),
    )


def _problem_row(problem: Problem) -> tuple[str, str, str]:
    return problem.name, "-" if problem.count is None else f"{problem.count:,}", problem.meaning


def _facts(inspection: Inspection) -> list[str]:
    states = ", ".join(f"{count:,} {state}" for state, count in inspection.states.items())
    lines = [
        f"{inspection.title}; {inspection.num_bytes:,} bytes",
        f"Entries: {states}; {inspection.num_characters:,} characters live",
    ]
    if inspection.newest:
        lines.append(f"Last changed: {inspection.oldest} to {inspection.newest} ({inspection.num_dated:,} with a time)")
    for name, counts in (("Kinds", inspection.kinds), ("Speakers", inspection.speakers)):
        if counts:
            lines.append(f"{name}: " + ", ".join(f"{count:,} {what}" for what, count in counts.items()))
    return lines


# ------------------ drift document

MOST_EXAMPLES = 3
_DRIFT_TONES: dict[str, Tone] = {"findings": "bad", "no findings": "good"}


def drift_document(drift: Drift) -> Document:
    """Return verdict, findings and reviews, the counts of entries, and health."""
    record = drift.record
    states = ", ".join(f"{count:,} {state}" for state, count in record.states.items())
    compared = f"; compared with {_day(drift.old_taken_at)}" if drift.old_taken_at else ""
    return Document(
        f"Memory changes: {drift.verdict}",
        f"{drift.verdict.capitalize()}: {drift.why}",
        _DRIFT_TONES.get(drift.verdict, "doubtful"),
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
