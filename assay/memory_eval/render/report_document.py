"""The report of an evaluation as a document: the score, the memory, the categories, the worst questions, measures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assay.memory_eval.render.document import Bar, Cards, Cell, Document, Line, Part, Table, Tone, percent
from assay.memory_eval.report.measures import interval_of, is_number, mapping, share_of
from assay.memory_eval.report.model import MEMORY_ROWS, WEAK_BELOW, CategoryBreakdown, EvalReport, EvalResult

NUM_WORST = 5
MOST_REASONS = 20
MOST_BASELINES = 6
MOST_RESULTS = 2_000
SMALL = 0.05
"""The difference to see, beyond the interval of a difference of two runs with other questions."""
KNOWN_EXAM = "Not comparable: the seed was given or the exam is in files, so the agent could know the exam"
LEGEND = (
    "Floor: the last quarter of the dialogue. Ceiling: a perfect store; for what is found and answered, the relevant"
    " turns. Higher is better in every row."
)
_COUNTED = dict(
    zip(
        MEMORY_ROWS,
        ("facts stated", "questions with evidence", "changed values it holds", "statements", "requests to forget"),
        strict=True,
    )
)
"""What each row of the memory counts."""
_ABSTAINS = re.compile(
    r"\W*(?:i (?:do not|don't|cannot|can't)|unknown|no (?:information|record)|you (?:have )?never)\b", re.IGNORECASE
)
CONSEQUENCES = {
    "selective_forgetting": 3,
    "poisoning_resistance": 3,
    "abstention": 2,
    "premise_rejection": 2,
    "knowledge_update": 1,
    "temporal_trap": 1,
    "contradiction_resolution": 1,
    "adversarial_distractor": 1,
    "distractor_resistance": 1,
}
"""How grave a wrong answer is: 3 for a forgotten or planted value, 2 for an invented one, 1 for an old or other one."""

Interval = tuple[float, float] | None


def report_document(report: EvalReport, *, has_results: bool = False) -> Document:
    """Return the whole report; with `has_results` also every question, which a page folds."""
    seed = report.seed
    size = f"--turns {report.num_turns} --questions {report.num_questions} --seed {seed}"
    headline, tone = _headline(report)
    parts = [
        *_head(report),
        *_memory(report),
        *_categories(report),
        *_weaknesses(report),
        *_worst(report),
        *_listed("Measured", _measures(report)),
        *_listed("Judge", _flat(report.judge or {})),
        *_listed("Exam", [] if seed is None else [("reproduce by", size)]),
        *_not_graded(report),
        *(Line(f"Note: {note}", "faint") for note in report.notes),
        *([_results(report.results[:MOST_RESULTS])] if has_results else []),
    ]
    score = "not graded" if report.overall_score is None else percent(report.overall_score)
    score = f"{percent(report.kept)} kept" if report.leads_with_kept else score
    return Document(f"Memory examination: {score if report.valid else 'invalid run'}", headline, tone, tuple(parts))


def not_graded(report: EvalReport) -> list[tuple[str, str]]:
    """Return (question, reason) of each question without a score."""
    return [(one.question_id, one.why_not_graded or "not graded") for one in report.results if one.score is None]


# ------------------ head


def _headline(report: EvalReport) -> tuple[str, Tone]:
    if not report.valid:
        return f"Invalid run: {report.why_invalid or 'no reason given'}", "bad"
    if report.leads_with_kept and report.kept is not None:
        row = report.memory_row("kept")
        within = _in_words(interval_of([row.get("low"), row.get("high")]))
        return f"Kept: {percent(report.kept)} (95% interval {within}) of {row['n']:,.0f} facts", _tone(report.kept)
    if report.overall_score is None:
        return "Answers: not graded", "doubtful"
    found = _interval(report)
    within = f" (95% interval {_in_words(found)})" if found is not None else ""
    num = sum(one.score is None for one in report.results)
    left = f"; {num} of {len(report.results)} answers were not graded: {_in_words(report.bounds)}" if num else ""
    return f"Answers: {percent(report.overall_score)}{within}{left}", _tone(report.overall_score)


def _tone(score: float) -> Tone:
    return "good" if score >= 0.9 else "plain" if score >= WEAK_BELOW else "doubtful" if score >= 0.4 else "bad"


def _head(report: EvalReport) -> Iterator[Line]:
    if report.reader:
        yield Line(f"answers by reader {report.reader}", "faint")
    yield Line(exam_in_words(report), "faint")
    if found := _interval(report):
        num_graded = sum(one.score is not None for one in report.results)
        num = num_graded * 2 * ((found[1] - found[0]) / 2 / SMALL) ** 2
        if num > num_graded:
            yield Line(
                f"To see a difference of {SMALL * 100:.0f} points between two runs: {num:,.0f} questions", "faint"
            )
    if not report.comparable:
        yield Line(KNOWN_EXAM, "doubtful")
    if report.agent:
        yield Line(f"agent: {report.agent}", "faint")
    for name, score, _ in _baselines(report):
        yield Line(f"baseline {name}: {percent(score)}", "faint")
    for seed, score in _seeds(report):
        yield Line(f"seed {seed}: {percent(score)}", "faint")
    if not any(share_of(one) is not None for one in mapping(mapping(report.memory).get("answers")).values()):
        floor = "" if report.baselines else "floor (--baseline nothing), "
        missing = f"Not run for the answers: {floor}ceiling (needs Assay's reader, rules and a measured memory)"
        yield Line(missing, "faint")


def exam_in_words(report: EvalReport) -> str:
    """Return the exam in one line."""
    told = f"{_counted(report.num_questions, 'question')} on {_counted(report.num_turns, 'turn')}"
    facts = _counted(report.total_facts_delivered, "fact") if report.total_facts_delivered else ""
    if several := [name for name, _ in _seeds(report)]:
        about = f" each, {facts} in all" if facts else " each"
        seed = f", seeds {', '.join(several)}"
    else:
        about = f" with {facts}" if facts else ""
        seed = f", seed {report.seed}" if report.seed is not None else ""
    votes = f", {report.grader_votes} votes" if report.grading != "deterministic" and report.grader_votes > 1 else ""
    return f"{told}{about}{seed}; {report.grading} grading{votes}"


def _seeds(report: EvalReport) -> list[tuple[str, float | None]]:
    """Return (seed, score) of each evaluation that was merged into this one."""
    each = mapping(report.measured.get("seeds")).get("each")
    rows = [one for one in each if isinstance(one, Mapping)] if isinstance(each, (list, tuple)) else []
    return [(str(one.get("seed")), share_of(one.get("overall_score"))) for one in rows]


def _baselines(report: EvalReport) -> list[tuple[str, float | None, Mapping[str, Any]]]:
    """Return name, score and scores by category of the other agents on the same questions."""
    return [
        (str(one.get("name", "")), share_of(one.get("overall_score")), mapping(one.get("category_scores")))
        for one in report.baselines
    ]


# ------------------ memory and categories


def _memory(report: EvalReport) -> Iterator[Part]:
    memory = mapping(report.memory)
    if report.memory is None:
        return
    beside = mapping(memory.get("answers"))
    answers = (share_of(one) for one in (report.overall_score, beside.get("floor"), beside.get("ceiling")))
    told = f"{_within(_interval(report))}of {report.num_questions:,} questions"
    rows = [*_measured(report), ("Answers", *(percent(one, 1) for one in answers), told)]
    yield Table(("", "Value", "Floor", "Ceiling", "95% interval"), tuple(rows), "Memory")
    yield Line(LEGEND, "faint")
    found = memory.get("examples")
    examples = [one for one in found if isinstance(one, str)] if isinstance(found, list | tuple) else []
    if examples:
        yield Table(("",), tuple((one,) for one in examples), "Fix first")


def _measured(report: EvalReport) -> Iterator[tuple[str, ...]]:
    planted, kept = (mapping(report.memory).get(name) for name in ("planted", "planted_kept"))
    for name, counted in _COUNTED.items():
        row = report.memory_row(name)
        if not row.get("n"):
            continue
        told = f"{_within(interval_of((row.get('low'), row.get('high'))))}of {row['n']:,.0f} {counted}"
        if name == "found" and "mrr" in row:
            told += f"; MRR {row['mrr']:.2f}"
        if name == "clean" and isinstance(kept, int) and isinstance(planted, int) and planted:
            told += f"; {kept:,} of {planted:,} planted values kept"
        figures = (percent(share_of(row.get(key)), 1) for key in ("value", "floor", "ceiling"))
        yield (name.capitalize(), *figures, told)


def _categories(report: EvalReport) -> Iterator[Table]:
    if not report.category_breakdown:
        return
    others = _baselines(report)[:MOST_BASELINES]

    def row(one: CategoryBreakdown) -> tuple[Cell, ...]:
        scores = [percent(score) for score in (one.avg_score, one.min_score, one.max_score)]
        beside = [percent(share_of(categories.get(one.category)), 1) for _, _, categories in others]
        return one.category, *scores, str(one.num_questions), Bar(one.avg_score), *beside

    columns = ("Category", "Avg", "Min", "Max", "Count", "", *(name.removeprefix("baseline:") for name, _, _ in others))
    yield Table(columns, tuple(map(row, report.category_breakdown)), "Category breakdown")


def _weaknesses(report: EvalReport) -> Iterator[Line]:
    """Yield the weak categories, weakest first: those whose whole interval is too low, then the others."""
    low = [one for one in report.category_breakdown if one.avg_score is not None and one.avg_score < WEAK_BELOW]
    low.sort(key=lambda one: (one.avg_score or 0.0, one.category))
    surely = [one for one in low if (within := _interval(report, one.category)) is not None and within[1] < WEAK_BELOW]
    of_reader = f"; Assay's reader {report.reader} with this memory" if report.reader else ""
    maybe = f"Below {WEAK_BELOW:.0%}, possibly by chance: ask more questions or seeds"
    for title, found, tone in (
        (f"Systematic weaknesses (below {WEAK_BELOW:.0%}, beyond chance{of_reader})", surely, "doubtful"),
        (maybe, [one for one in low if one not in surely], "faint"),
    ):
        if found:
            named = ", ".join(f"{one.category} {percent(one.avg_score, 0)}" for one in found)
            yield Line(f"{title}: {named}", "doubtful" if tone == "doubtful" else "faint")


# ------------------ questions


def _worst(report: EvalReport) -> Iterator[Cards]:
    """Yield the lowest-scoring questions, worst first, without those with a full score.

    Of equal scores the one with the graver consequence comes first: an answer before none, by its category, then the
    more confident one.
    """
    graded = [result for result in report.results if result.score is not None and result.score < 1.0]
    if found := sorted(graded, key=_gravity)[:NUM_WORST]:
        yield Cards(f"Worst {NUM_WORST} questions", tuple(map(_card, found)))


def _gravity(result: EvalResult) -> tuple[float, bool, int, float]:
    said = result.answer.strip()
    says_nothing = result.error is not None or result.given_value is None or not said or bool(_ABSTAINS.match(said))
    return result.score or 0.0, says_nothing, -CONSEQUENCES.get(result.category, 0), -(result.confidence or 0.0)


def _card(result: EvalResult) -> tuple[str, tuple[tuple[str, str], ...]]:
    why = result.error or result.reasoning
    rows = (("Expected", result.expected), ("Got", result.answer or "(nothing)"), *([("Why", why)] if why else []))
    return f"[{percent(result.score)}] {result.question}", rows


def _not_graded(report: EvalReport) -> Iterator[Part]:
    if found := Counter(why for _, why in not_graded(report)):
        rows = tuple((f"{number:,}", why) for why, number in found.most_common(MOST_REASONS))
        title = f"Not graded: {found.total()} of {len(report.results)} questions"
        yield Table(("Questions", "Why"), rows, title)


def _results(results: Iterable[EvalResult]) -> Table:
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


# ------------------ figures


def _listed(title: str, rows: Iterable[tuple[str, str]]) -> Iterator[Table]:
    if found := tuple(rows):
        yield Table(("", ""), found, title, is_folded=True)


def _measures(report: EvalReport) -> Iterator[tuple[str, str]]:
    """Yield (label, value) of every measure."""
    times_s = {
        "learning": report.learning_time_s,
        "questioning, grading included": report.questioning_time_s,
        "grading": report.grading_time_s,
    }
    # Offline answers have no asking phase.
    yield from ((name, _seconds(time_s)) for name, time_s in times_s.items() if time_s)
    named = (("memory system", report.system), ("embedder", report.embedder), ("reader", report.reader))
    yield from ((name, value) for name, value in named if value)
    yield from _flat(report.measured, skip=("intervals", "seeds"))
    yield from _flat(report.memory_stats, prefix="memory: ", skip=("bytes", "entries", "system", "embedder"))


def _flat(data: Mapping[str, Any], prefix: str = "", skip: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Yield one row per figure, groups under the group's name; None is left out."""
    for key, value in data.items():
        name = prefix + str(key).replace("_", " ")
        if key in skip or value is None:
            continue
        if isinstance(value, Mapping):
            yield from _flat(value, f"{name}: ")
        elif str(key).endswith("_s") and is_number(value):
            yield name.removesuffix(" s"), _seconds(float(value))
        elif isinstance(value, float):
            is_words = str(key).startswith("answer_words_")
            yield name, f"{value:.3f}" if abs(value) < 10 and not is_words else f"{value:,.1f}"
        elif isinstance(value, int) and not isinstance(value, bool):
            yield name, f"{value:,}"
        elif isinstance(value, (list, tuple)):
            yield name, ", ".join(str(one) for one in value[:10])
        else:
            yield name, str(value)


def _interval(report: EvalReport, category: str | None = None) -> Interval:
    """Return the 95 % interval of the overall score, or of a category's; None if there is none."""
    found = mapping(report.measured.get("intervals"))
    return interval_of(found.get("overall") if category is None else mapping(found.get("categories")).get(category))


def _within(pair: Interval) -> str:
    return "" if pair is None else f"{_in_words(pair)} "


def _in_words(pair: Interval) -> str:
    """Return (0.571, 0.678) as "57.1 to 67.8%"."""
    return "" if pair is None else f"{pair[0] * 100:.1f} to {pair[1]:.1%}"


def _counted(num: int, what: str) -> str:
    """Return a count with its noun: "1 question", "1,000 questions"."""
    return f"{num:,} {what}" if num == 1 else f"{num:,} {what}s"


def _seconds(value: float) -> str:
    """Return a duration: 0.00012 -> "0.12 ms"; 0.0123 -> "12 ms"; 4.2 -> "4.2 s"; 300 -> "5 min 0 s"."""
    if 0 < value < 0.01:
        return f"{value * 1000:.2g} ms"
    if value < 1:
        return f"{value * 1000:.0f} ms"
    return f"{value:.1f} s" if value < 120 else f"{int(value // 60):,} min {int(value % 60)} s"
