"""The report as Markdown, for a job summary and for reading: tables with bars, the rest folded.

Text from agents and worlds is escaped: it cannot create links, mentions or markup.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.escape import code, prose
from assay.memory_eval.render import figures, memory_figures
from assay.memory_eval.render.figures import percent
from assay.memory_eval.report.model import CategoryBreakdown, EvalReport, EvalResult

MOST_TEXT = 600
MOST_BASELINES = 6
MOST_CATEGORIES = 100
MOST_REASONS = 20


def render(report: EvalReport) -> str:
    """Return the whole report, well below GitHub's limit of 1 MiB for a job summary."""
    return "\n".join(_lines(report)).rstrip() + "\n"


def _lines(report: EvalReport) -> Iterator[str]:
    score = percent(report.overall_score) if report.overall_score is not None else "not graded"
    yield f"# Memory examination: {score if report.valid else 'invalid run'}"
    yield ""
    if not report.valid:
        yield f"**Invalid run:** {prose(report.why_invalid or 'no reason given', MOST_TEXT)}"
        yield ""
    if why := figures.not_comparable(report):
        yield f"**{prose(why, MOST_TEXT)}**"
        yield ""
    found = figures.interval(report)
    if report.valid and found is not None:
        yield f"95% interval of the answers: {figures.interval_in_words(found)}."
    yield prose(figures.exam_in_words(report)) + "."
    if report.agent:
        yield f"Agent: {code(report.agent)}."
    if report.reader:
        yield f"Answers by reader {code(report.reader)}."
    if line := memory_figures.not_run(report):
        yield f"{line}."
    yield ""
    yield from _memory(report)
    yield from _seeds(report)
    yield from _categories(report)
    yield from _weaknesses(report)
    yield from _worst(report)
    yield from _folded("Measured", list(figures.measures(report)))
    yield from _folded("Judge", figures.judge_rows(report))
    yield from _folded("Exam", figures.exam_rows(report))
    yield from _not_graded(report)
    yield from (f"- {prose(note, MOST_TEXT)}" for note in report.notes)


def _memory(report: EvalReport) -> Iterator[str]:
    rows = memory_figures.rows(report)
    if not rows:
        return
    others = memory_figures.columns(report)
    yield "## Memory"
    yield ""
    yield f"| Measure | Value | {''.join(f'{other} | ' for other in others)}|"
    yield "|---|---:|" + "---:|" * len(others) + "---|"
    for row in rows:
        beside = [*row.references, *[""] * len(others)][: len(others)]
        cells = [prose(row.label, 80, cell=True), prose(row.value, 120, cell=True), *beside]
        yield f"| {' | '.join(cells)} | {prose(row.detail, 200, cell=True)} |"
    yield ""
    if others:
        yield memory_figures.LEGEND
        yield ""


def _seeds(report: EvalReport) -> Iterator[str]:
    rows = figures.seeds(report)
    if rows:
        yield "| Seed | Score | |"
        yield "|---|---:|---|"
        yield from (f"| {prose(seed, cell=True)} | {percent(score)} | {_bar(score)} |" for seed, score in rows)
        yield ""


def _categories(report: EvalReport) -> Iterator[str]:
    others = figures.baselines(report)[:MOST_BASELINES]
    names = "".join(f" {prose(other.name, 40, cell=True)} |" for other in others)
    yield f"| Category | Avg | Min | Max | Count | |{names}"
    yield "|---|---:|---:|---:|---:|---|" + "---:|" * len(others)
    for row in report.category_breakdown[:MOST_CATEGORIES]:
        beside = "".join(f" {percent(other.categories.get(row.category), 1)} |" for other in others)
        figures_of = [percent(row.avg_score), percent(row.min_score), percent(row.max_score), str(row.num_questions)]
        cells = [code(row.category, 60, cell=True), *figures_of, _bar(row.avg_score)]
        yield f"| {' | '.join(cells)} |{beside}"
    total = "".join(f" **{percent(other.overall, 1)}** |" for other in others)
    score = report.overall_score
    yield f"| **all** | **{percent(score)}** | | | {report.num_questions} | {_bar(score)} |{total}"
    yield ""


def _weaknesses(report: EvalReport) -> Iterator[str]:
    found, maybe = figures.weak(report), figures.maybe_weak(report)
    if found:
        yield f"**Systematic weaknesses** ({prose(figures.weakness(report), 200)}): {_named(found)}"
        yield ""
    if maybe:
        yield f"{figures.MAYBE}: {_named(maybe)}"
        yield ""


def _named(found: Sequence[CategoryBreakdown]) -> str:
    return ", ".join(f"{code(one.category, 60)} {percent(one.avg_score, 0)}" for one in found[:MOST_CATEGORIES])


def _worst(report: EvalReport) -> Iterator[str]:
    found = figures.worst(report)
    if found:
        yield f"## Worst {figures.NUM_WORST} questions"
        yield ""
    for result in found:
        yield from _one(result)
    if found:
        yield ""


def _one(result: EvalResult) -> Iterator[str]:
    yield f"- **{percent(result.score)}** {prose(result.question, MOST_TEXT)}"
    yield f"  - Expected: {prose(result.expected, MOST_TEXT)}"
    yield f"  - Got: {prose(result.answer, MOST_TEXT)}"
    why = result.error or result.reasoning
    if why:
        yield f"  - Why: {prose(why, MOST_TEXT)}"


def _folded(title: str, rows: list[tuple[str, str]]) -> Iterator[str]:
    if rows:
        yield f"<details><summary>{title}</summary>"
        yield ""
        yield "| | |"
        yield "|---|---:|"
        for name, value in rows:
            yield f"| {prose(name, 80, cell=True)} | {prose(value, 120, cell=True)} |"
        yield ""
        yield "</details>"
        yield ""


def _not_graded(report: EvalReport) -> Iterator[str]:
    found = figures.reasons_not_graded(report)
    if found:
        num = sum(number for _, number in found)
        yield f"**Not graded:** {num} of {len(report.results)} questions; they do not count."
        yield ""
        yield from (f"- {number}: {prose(why, 200)}" for why, number in found[:MOST_REASONS])
        if len(found) > MOST_REASONS:
            yield f"- and for {len(found) - MOST_REASONS} more reasons"
        yield ""


def _bar(score: float | None) -> str:
    return f"`{figures.bar(score)}`" if score is not None else ""
