"""A comparison of two evaluations as a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.memory_eval.render.document import Document, Line, Table, Tone
from assay.memory_eval.report.comparison import Comparison, Difference

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
