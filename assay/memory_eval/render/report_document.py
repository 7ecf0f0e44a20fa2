"""The report of an evaluation as a document: the score, the memory, the categories, the worst questions, measures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.memory_eval.render import figures
from assay.memory_eval.render.document import Bar, Cards, Cell, Document, Line, Part, Table, Tone, percent
from assay.memory_eval.report.measures import interval_of
from assay.memory_eval.report.model import WEAK_BELOW, CategoryBreakdown, EvalReport, EvalResult

MOST_REASONS = 20
MOST_BASELINES = 6
MOST_RESULTS = 2_000


def report_document(report: EvalReport, *, has_results: bool = False) -> Document:
    """Return the whole report; with `has_results` also every question, which a page folds."""
    parts = [
        *_head(report),
        *_memory(report),
        *_categories(report),
        *_weaknesses(report),
        *_worst(report),
        *_listed("Measured", list(figures.measures(report))),
        *_listed("Judge", figures.judge_rows(report)),
        *_listed("Exam", figures.exam_rows(report)),
        *_not_graded(report),
        *(Line(f"Note: {note}", "faint") for note in report.notes),
    ]
    headline, tone = _headline(report)
    results = [_results(report.results[:MOST_RESULTS])] if has_results else []
    return Document(_title(report), headline, tone, (*parts, *results))


def _title(report: EvalReport) -> str:
    score = "not graded" if report.overall_score is None else percent(report.overall_score)
    score = f"{percent(report.kept)} kept" if report.leads_with_kept else score
    return f"Memory examination: {score if report.valid else 'invalid run'}"


def _headline(report: EvalReport) -> tuple[str, Tone]:
    if not report.valid:
        return f"Invalid run: {report.why_invalid or 'no reason given'}", "bad"
    if report.leads_with_kept and report.kept is not None:
        row = report.memory_row("kept")
        within = figures.interval_in_words(interval_of([row.get("low"), row.get("high")]))
        return f"Kept: {percent(report.kept)} (95% interval {within}) of {row['n']:,.0f} facts", _tone(report.kept)
    if report.overall_score is None:
        return "Answers: not graded", "doubtful"
    found = figures.interval(report)
    within = f" (95% interval {figures.interval_in_words(found)})" if found is not None else ""
    return f"Answers: {percent(report.overall_score)}{within}{_left(report)}", _tone(report.overall_score)


def _left(report: EvalReport) -> str:
    """Return how many answers were not graded, and what they could change."""
    num = sum(one.score is None for one in report.results)
    if not num or report.bounds is None:
        return ""
    return f"; {num} of {len(report.results)} answers were not graded: {figures.interval_in_words(report.bounds)}"


def _tone(score: float) -> Tone:
    return "good" if score >= 0.9 else "plain" if score >= WEAK_BELOW else "doubtful" if score >= 0.4 else "bad"


def _head(report: EvalReport) -> Iterator[Line]:
    if report.reader:
        yield Line(f"answers by reader {report.reader}", "faint")
    yield Line(figures.exam_in_words(report), "faint")
    if why := figures.not_comparable(report):
        yield Line(why, "doubtful")
    if report.agent:
        yield Line(f"agent: {report.agent}", "faint")
    for baseline in figures.baselines(report):
        yield Line(f"baseline {baseline.name}: {percent(baseline.overall)}", "faint")
    for seed, score in figures.seeds(report):
        yield Line(f"seed {seed}: {percent(score)}", "faint")
    if missing := figures.not_run(report):
        yield Line(missing, "faint")


def _memory(report: EvalReport) -> Iterator[Part]:
    rows = figures.rows(report)
    if not rows:
        return
    cells = tuple((row.label, row.value, row.floor, row.ceiling, row.detail) for row in rows)
    yield Table(figures.COLUMNS, cells, "Memory")
    yield Line(figures.LEGEND, "faint")
    if found := figures.examples(report):
        yield Table(("",), tuple((one,) for one in found), "Fix first")


def _categories(report: EvalReport) -> Iterator[Table]:
    if not report.category_breakdown:
        return
    others = figures.baselines(report)[:MOST_BASELINES]

    def row(one: CategoryBreakdown) -> tuple[Cell, ...]:
        scores = [percent(score) for score in (one.avg_score, one.min_score, one.max_score)]
        beside = [percent(other.categories.get(one.category), 1) for other in others]
        return one.category, *scores, str(one.num_questions), Bar(one.avg_score), *beside

    names = [other.name.removeprefix("baseline:") for other in others]
    columns = ("Category", "Avg", "Min", "Max", "Count", "", *names)
    yield Table(columns, tuple(map(row, report.category_breakdown)), "Category breakdown")


def _weaknesses(report: EvalReport) -> Iterator[Line]:
    for title, found, tone in (
        (f"Systematic weaknesses ({figures.weakness(report)})", figures.weak(report), "doubtful"),
        (figures.MAYBE, figures.maybe_weak(report), "faint"),
    ):
        if found:
            named = ", ".join(f"{one.category} {percent(one.avg_score, 0)}" for one in found)
            yield Line(f"{title}: {named}", "doubtful" if tone == "doubtful" else "faint")


def _worst(report: EvalReport) -> Iterator[Cards]:
    found = figures.worst(report)
    if found:
        yield Cards(f"Worst {figures.NUM_WORST} questions", tuple(map(_card, found)))


def _card(result: EvalResult) -> tuple[str, tuple[tuple[str, str], ...]]:
    why = result.error or result.reasoning
    rows = (("Expected", result.expected), ("Got", result.answer or "(nothing)"), *([("Why", why)] if why else []))
    return f"[{percent(result.score)}] {result.question}", rows


def _listed(title: str, rows: Sequence[tuple[str, str]]) -> Iterator[Table]:
    if rows:
        yield Table(("", ""), tuple(rows), title, is_folded=True)


def _not_graded(report: EvalReport) -> Iterator[Part]:
    found = figures.reasons_not_graded(report)
    if found:
        num = sum(number for _, number in found)
        rows = tuple((f"{number:,}", why) for why, number in found[:MOST_REASONS])
        yield Table(("Questions", "Why"), rows, f"Not graded: {num} of {len(report.results)} questions")


def _results(results: Sequence[EvalResult]) -> Table:
    rows = tuple(
        (
            one.question,
            percent(one.score),
            one.expected,
            one.answer or "(nothing)",
            one.category,
            one.why_not_graded or "",
        )
        for one in results
    )
    columns = ("Question", "Score", "Expected", "Got", "Category", "Not graded because")
    return Table(columns, rows, "All questions", is_folded=True)
