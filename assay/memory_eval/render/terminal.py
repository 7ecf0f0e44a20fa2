"""The report on a terminal: the score, the categories with bars and baselines, the worst questions, the measures."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay.escape import visible
from assay.memory_eval.render import figures, memory_figures
from assay.memory_eval.render.figures import percent
from assay.memory_eval.report.model import WEAK_BELOW, CategoryBreakdown, EvalReport, EvalResult

PLAIN_WIDTH = 110
MOST_SHOWN = 400
MOST_REASONS = 5
_PLAIN_BARS = str.maketrans({figures.FULL: "#", figures.EMPTY: "."})
_WIDE = 100
"""Columns a terminal needs for least and greatest score next to the baselines."""


def show(report: EvalReport, console: Console) -> None:
    """Print the report in the console's width and colours, without trailing blanks in a file."""
    if console.is_terminal:
        _print(report, console)
        return
    with console.capture() as shown:
        _print(report, console)
    console.file.write(_without_trailing_blanks(shown.get()))


def render(report: EvalReport) -> str:
    """Return the report without colour, for a file."""
    return printed(lambda console: _print(report, console), PLAIN_WIDTH)


def printed(draw: Callable[[Console], None], width: int) -> str:
    """Return what `draw` prints on a terminal, without colour and trailing blanks, for a file."""
    file = io.StringIO()
    draw(Console(file=file, width=width, color_system=None, force_terminal=False, legacy_windows=False))
    return _without_trailing_blanks(file.getvalue())


def _without_trailing_blanks(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def _print(report: EvalReport, console: Console) -> None:
    words = _Words(console.encoding)
    for part in _parts(report, words, console.width):
        console.print(part, highlight=False)


class _Words:
    """Text that is safe on this terminal: no control characters, only characters of its encoding."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._is_plain = not encoding.lower().startswith("utf")

    def __call__(self, text: str, most: int = MOST_SHOWN) -> str:
        shown = visible(text, most).translate(_PLAIN_BARS) if self._is_plain else visible(text, most)
        return shown.encode(self._encoding, "replace").decode(self._encoding)


def _parts(report: EvalReport, words: _Words, width: int) -> Iterator[RenderableType]:
    yield from _headline(report, words)
    yield from _memory(report, words)
    if report.category_breakdown:
        yield Text("\nCATEGORY BREAKDOWN", style="bold")
        yield _categories(report, words, width)
    yield from _weaknesses(report, words)
    yield from _worst(report, words)
    yield from _rows("MEASURED", list(figures.measures(report)), words)
    yield from _rows("JUDGE", figures.judge_rows(report), words)
    yield from _rows("EXAM", figures.exam_rows(report), words)
    yield from _not_graded(report, words)
    for note in report.notes:
        yield Text(words(f"Note: {note}"), style="dim")


def _headline(report: EvalReport, words: _Words) -> Iterator[RenderableType]:
    if not report.valid:
        yield Text(words(f"INVALID RUN: {report.why_invalid or 'no reason given'}"), style="bold red")
    line = Text("Answers: ", style="bold")
    score = report.overall_score
    line.append(percent(score) if score is not None else "not graded", style=f"bold {_colour(score)}")
    if report.valid and (found := figures.interval(report)) is not None:
        line.append(f"  (95% interval {figures.interval_in_words(found)})", style="not bold")
    yield line
    if report.reader:
        yield Text(words(memory_figures.reader_in_words(report)), style="dim")
    yield Text(words(figures.exam_in_words(report)), style="dim")
    if why := figures.not_comparable(report):
        yield Text(words(why), style="yellow")
    if report.agent:
        yield Text(words(f"agent: {report.agent}"), style="dim")
    for baseline in figures.baselines(report):
        yield Text(words(f"baseline {baseline.name}: {percent(baseline.overall)}"), style="dim")
    for seed, of_seed in figures.seeds(report):
        yield Text(words(f"seed {seed}: {percent(of_seed)}"), style="dim")
    if missing := memory_figures.not_run(report):
        yield Text(words(missing), style="dim")


def _memory(report: EvalReport, words: _Words) -> Iterator[RenderableType]:
    rows = memory_figures.rows(report)
    if not rows:
        return
    yield Text("\nMEMORY", style="bold")
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    others = memory_figures.columns(report)
    table.add_column("Measure")
    table.add_column("Value", justify="right")
    for other in others:
        table.add_column(words(other), justify="right", style="dim")
    table.add_column("")
    for row in rows:
        beside = [*row.references, *[""] * len(others)][: len(others)]
        table.add_row(words(row.label, 60), words(row.value), *beside, words(row.detail))
    yield table
    if others:
        yield Text(words(memory_figures.LEGEND), style="dim")


def _categories(report: EvalReport, words: _Words, width: int) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    others = figures.baselines(report)
    is_wide = width >= _WIDE or not others
    table.add_column("Category", no_wrap=True, overflow="ellipsis", max_width=30)
    for title in ("Avg", "Min", "Max", "Count") if is_wide else ("Avg", "Count"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for other in others:
        table.add_column(words(other.name.removeprefix("baseline:"), 14), justify="right", no_wrap=True, style="dim")
    for row in report.category_breakdown:
        extremes = [percent(row.min_score), percent(row.max_score)] if is_wide else []
        beside = [percent(other.categories.get(row.category), 1) for other in others]
        score = Text(percent(row.avg_score), style=_colour(row.avg_score))
        chart = Text(words(figures.bar(row.avg_score)), style=_colour(row.avg_score))
        table.add_row(Text(words(row.category, 60)), score, *extremes, str(row.num_questions), chart, *beside)
    return table


def _weaknesses(report: EvalReport, words: _Words) -> Iterator[RenderableType]:
    found, maybe = figures.weak(report), figures.maybe_weak(report)
    if found:
        yield Text(f"\nSYSTEMATIC WEAKNESSES ({figures.weakness(report)})", style="bold")
        yield Padding(Text(words(", ".join(_named(one) for one in found), 2000), style="yellow"), (0, 0, 0, 2))
    if maybe:
        yield Text(f"\n{figures.MAYBE}:", style="dim")
        yield Padding(Text(words(", ".join(_named(one) for one in maybe), 2000)), (0, 0, 0, 2))


def _named(one: CategoryBreakdown) -> str:
    return f"{one.category} {percent(one.avg_score, 0)}"


def _worst(report: EvalReport, words: _Words) -> Iterator[RenderableType]:
    found = figures.worst(report)
    if found:
        yield Text(f"\nWORST {figures.NUM_WORST} QUESTIONS:", style="bold")
    for result in found:
        yield Padding(_one_of_the_worst(result, words), (0, 0, 0, 2))


def _one_of_the_worst(result: EvalResult, words: _Words) -> Text:
    text = Text(f"[{percent(result.score)}] ", style=_colour(result.score))
    text.append(words(result.question), style="default")
    text.append(f"\n  Expected: {words(result.expected)}", style="default")
    text.append(f"\n  Got: {words(result.answer) or '(nothing)'}", style="default")
    why = result.error or result.reasoning
    if why:
        text.append(f"\n  Why: {words(why)}", style="dim")
    return text


def _rows(title: str, rows: list[tuple[str, str]], words: _Words) -> Iterator[RenderableType]:
    if rows:
        yield Text(f"\n{title}", style="bold")
        grid = Table.grid(padding=(0, 2))
        for name, value in rows:
            grid.add_row(Text(words(name, 60)), Text(words(value, 80)))
        yield Padding(grid, (0, 0, 0, 2))


def _not_graded(report: EvalReport, words: _Words) -> Iterator[RenderableType]:
    found = figures.reasons_not_graded(report)
    if found:
        num = sum(number for _, number in found)
        yield Text(f"\nNOT GRADED: {num} of {len(report.results)} questions", style="bold yellow")
    for why, num in found[:MOST_REASONS]:
        yield Padding(Text(words(f"{num}: {why}")), (0, 0, 0, 2))
    if len(found) > MOST_REASONS:
        yield Padding(Text(f"and for {len(found) - MOST_REASONS} more reasons"), (0, 0, 0, 2))


def _colour(score: float | None) -> str:
    if score is None:
        return "dim"
    return "green" if score >= 0.9 else "default" if score >= WEAK_BELOW else "yellow" if score >= 0.4 else "red"
