"""A comparison of memory states on a terminal, as Markdown and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay import __version__
from assay.escape import code, prose, visible
from assay.memory_eval.render import drift_figures as figures
from assay.memory_eval.render.figures import bar
from assay.memory_eval.render.json import clean, written
from assay.memory_eval.render.terminal import printed
from assay.memory_eval.report.drift import Drift

PLAIN_WIDTH = 120
MOST_EXAMPLES = 3
MOST_TEXT = 300
_COLOURS = {"findings": "bold red", "no findings": "bold green"}
_RECORD = '"record": null'


def drift_json(drift: Drift) -> str:
    """Serialize a comparison to JSON; the record is one line, since it has an entry for each of the memory's."""
    data = {**drift.to_dict(), "assay_version": __version__}
    record = json.dumps(clean(data.pop("record")), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    head, end, tail = written(clean({**data, "record": None})).rpartition(_RECORD)
    return f'{head}"record": {record}{tail}' if end else head


def drift_text(drift: Drift) -> str:
    """Return the terminal's form without colour, for a file."""
    return printed(lambda console: show_drift(drift, console), PLAIN_WIDTH)


def show_drift(drift: Drift, console: Console) -> None:
    """Print verdict, measures, findings, health and history."""
    style = _COLOURS.get(drift.verdict, "bold")
    console.print(Text(visible(figures.headline(drift), 400), style=style), highlight=False)
    console.print(Text(visible(figures.sides(drift), 400), style="dim"), highlight=False)
    measures = _table("Measure", "Value", "Of which")
    for row in figures.rows(drift):
        measures.add_row(Text(row.name), Text(row.value), Text(visible(row.detail, MOST_TEXT)))
    console.print(measures, highlight=False)
    for sign in (*drift.findings, *drift.reviews):
        colour = "red" if sign.weight == "finding" else "yellow"
        head = ((f"{sign.weight}  ", colour), (f"{visible(sign.name, 80)}: {sign.count:,}  ", "bold"))
        console.print(Text.assemble(*head, sign.meaning), highlight=False)
        for example in sign.examples[:MOST_EXAMPLES]:
            console.print(Text(f"  {visible(example, MOST_TEXT)}", "dim"), highlight=False)
    if drift.old_taken_at is not None:
        console.print(_health(drift), highlight=False)
    for note in drift.record.notes:
        console.print(Text(f"note: {visible(note, MOST_TEXT)}"), highlight=False)


def drift_markdown(drift: Drift) -> str:
    """Return the comparison as Markdown for a job summary; untrusted text is escaped."""
    return "\n".join(_markdown(drift)).rstrip() + "\n"


def _markdown(drift: Drift) -> Iterator[str]:
    yield f"# Memory changes: {drift.verdict}"
    yield ""
    yield f"{prose(drift.why, MOST_TEXT)}. {prose(figures.sides(drift), MOST_TEXT)}."
    yield ""
    yield from signs_markdown(drift)
    yield "| Measure | Value | Of which |"
    yield "|---|---:|---|"
    yield from (
        f"| {row.name} | {row.value} | {prose(row.detail, MOST_TEXT, cell=True)} |" for row in figures.rows(drift)
    )
    yield ""
    yield from _history(drift)
    if drift.old_taken_at is not None:
        yield from _folded("Health", ("Entries", "Before", "Now"), figures.health(drift))
    yield from (f"- {prose(note, MOST_TEXT)}" for note in drift.record.notes)


def signs_markdown(drift: Drift) -> Iterator[str]:
    """Yield findings and reviews as Markdown."""
    rows = [*drift.findings, *drift.reviews]
    if not rows:
        return
    yield "| | Count | Meaning | Entries |"
    yield "|---|---:|---|---|"
    for one in rows:
        shown = prose(one.name, 80, cell=True)
        name = f"**{shown}**" if one.weight == "finding" else f"{shown} (review)"
        examples = ", ".join(code(example, 80, cell=True) for example in one.examples[:MOST_EXAMPLES])
        yield f"| {name} | {one.count:,} | {prose(one.meaning, MOST_TEXT, cell=True)} | {examples} |"
    yield ""


def _history(drift: Drift) -> Iterator[str]:
    points = figures.points(drift)
    if len(points) < 2:
        return
    kept_from, recall_from = _lower_end(one.kept for one in points), _lower_end(one.recall for one in points)
    yield f"| Run | Kept | from {kept_from:.0%} | Recall@10 | from {recall_from:.0%} | Live entries | Findings |"
    yield "|---|---:|---|---:|---|---:|---:|"
    for one in points:
        kept = f"{figures.share(one.kept)} | {_bar(one.kept, kept_from)}"
        recall = f"{figures.share(one.recall)} | {_bar(one.recall, recall_from)}"
        at = prose(figures.day(one.at), cell=True)
        yield f"| {at} | {kept} | {recall} | {one.num_live:,} | {one.num_findings:,} |"
    yield ""


def _folded(title: str, columns: tuple[str, str, str], rows: list[tuple[str, str, str]]) -> Iterator[str]:
    if rows:
        yield f"<details><summary>{title}</summary>"
        yield ""
        yield f"| {' | '.join(columns)} |"
        yield "|---|---:|---:|"
        yield from (f"| {' | '.join(prose(cell, 80, cell=True) for cell in row)} |" for row in rows)
        yield ""
        yield "</details>"
        yield ""


def _lower_end(shares: Iterable[float | None]) -> float:
    """Return where the bars of some shares begin: five to ten points below the smallest, so that a loss shows."""
    known = [share for share in shares if share is not None]
    return max(0.0, math.floor(20 * min(known, default=1.0) - 1) / 20)


def _bar(value: float | None, low: float) -> str:
    return "" if value is None else f"`{bar((value - low) / (1 - low))}`"


def _health(drift: Drift) -> Table:
    table = _table("Health", "Before", "Now")
    for row in figures.health(drift):
        table.add_row(*(Text(visible(cell, 80)) for cell in row))
    return table


def _table(*columns: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for place, title in enumerate(columns):
        table.add_column(title, justify="right" if place == 1 else "left")
    return table
