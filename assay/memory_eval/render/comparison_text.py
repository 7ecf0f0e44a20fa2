"""Comparison of two evaluations on a terminal, as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.escape import code, prose, visible
from assay.memory_eval.render.json import clean, written
from assay.memory_eval.report.comparison import Comparison, Difference

_COLOURS = {"better": "bold green", "worse": "bold red"}
MOST_TEXT = 300
COLUMNS = ("Before", "After", "Change", "95% interval", "p", "Pairs")
_WIDE = 90
"""Columns a terminal needs for the last two table columns."""


def show_comparison(comparison: Comparison, console: Console) -> None:
    """Print the verdict, each category, and the questions that changed most."""
    style = _COLOURS.get(comparison.verdict, "bold")
    console.print(Text(f"{comparison.verdict}: {_sentence(comparison)}", style=style), highlight=False)
    console.print(Text(visible(f"{comparison.before} -> {comparison.after}", 400), style="dim"), highlight=False)
    if facts := comparison.facts_in_words():
        console.print(Text(facts), highlight=False)
    console.print(_table(comparison, is_wide=console.width >= _WIDE), highlight=False)
    for title, rows in (("LOST MOST", comparison.worse), ("GAINED MOST", comparison.better)):
        if rows:
            console.print(Text(f"\n{title}", style="bold"))
        for row in rows:
            console.print(Text(f"  {_change(row)}  {visible(str(row['question']), MOST_TEXT)}"), highlight=False)
    for note in comparison.notes:
        console.print(Text(visible(f"Note: {note}", MOST_TEXT), style="dim"), highlight=False)


def _table(comparison: Comparison, *, is_wide: bool) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    columns = COLUMNS if is_wide else COLUMNS[:4]
    for title in ("Category", *columns):
        table.add_column(title, justify="left" if title == "Category" else "right", no_wrap=True)
    for one in comparison.categories:
        table.add_row(Text(visible(one.name, 40)), *_cells(one)[: len(columns)])
    table.add_section()
    table.add_row("all", *_cells(comparison.overall)[: len(columns)], style="bold")
    return table


def comparison_json(comparison: Comparison) -> str:
    """Return the comparison as JSON: `assay schema memory-comparison`."""
    return written(clean(comparison.to_dict()))


def comparison_markdown(comparison: Comparison) -> str:
    """Return the comparison as Markdown; untrusted text is escaped."""
    return "\n".join(_markdown(comparison)).rstrip() + "\n"


def _markdown(comparison: Comparison) -> Iterator[str]:
    yield f"# Memory comparison: {comparison.verdict}"
    yield ""
    yield f"{_sentence(comparison)}, {code(comparison.before)} to {code(comparison.after)}."
    yield ""
    if facts := comparison.facts_in_words():
        yield f"{facts}."
        yield ""
    yield f"| Category | {' | '.join(COLUMNS)} |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for one in comparison.categories:
        yield f"| {code(one.name, 60, cell=True)} | {' | '.join(_cells(one))} |"
    yield f"| **all** | {' | '.join(_cells(comparison.overall))} |"
    yield ""
    yield from _changed("Lost most", comparison.worse)
    yield from _changed("Gained most", comparison.better)
    yield from (f"- {prose(note)}" for note in comparison.notes)


def _changed(title: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if rows:
        yield f"**{title}**"
        yield ""
        yield from (f"- {_change(row)} {prose(str(row['question']), MOST_TEXT)}" for row in rows)
        yield ""


def _sentence(comparison: Comparison) -> str:
    overall = comparison.overall
    sure = "" if overall.p_value is None else f", p = {overall.p_value:.3f}"
    within = (
        ""
        if overall.interval is None
        else f" (95% interval {_signed(overall.interval.low)} to {_signed(overall.interval.high)} points{sure})"
    )
    scores = f"{overall.before:.2%} before, {overall.after:.2%} after"
    return f"{scores}, {_signed(overall.change)} points{within} over {comparison.questions_in_words()}"


def _cells(one: Difference) -> list[str]:
    within = "-" if one.interval is None else f"{_signed(one.interval.low)} to {_signed(one.interval.high)}"
    p_value = "-" if one.p_value is None else f"{one.p_value:.3f}"
    return [f"{one.before:.1%}", f"{one.after:.1%}", _signed(one.change), within, p_value, str(one.num_pairs)]


def _change(row: Mapping[str, Any]) -> str:
    return f"{float(row['before'] or 0):.0%} -> {float(row['after'] or 0):.0%}"


def _signed(change: float) -> str:
    """Return a difference of scores in percentage points: -0.123 -> "-12.3"."""
    return f"{change * 100:+.1f}"
