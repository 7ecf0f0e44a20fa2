"""Page of memory evaluations: scores of agents' memories, by evaluation."""

from __future__ import annotations

from collections.abc import Sequence

from assay.github.external_results.memory_payload import CHANGES
from assay.github_app.store import MemoryRunRow
from assay.github_app.web.dashboard.content.blocks import Cell, Figure, Row, Sheet, Table, chart, columns_of
from assay.github_app.web.dashboard.content.figures import percent
from assay.github_app.web.dashboard.pages.page import Page, PageRequest

_INTRO = (
    "Each evaluation gives an agent a long dialogue and asks questions about it. The score is that of the answers, "
    "compared with the best baseline on the same questions: a memory that is not better is not worth its cost. A "
    "production memory is compared with its earlier state instead: its score is the share of it that was kept, and its "
    "questions are facts."
)
_NO_SCORE = "No evaluation of this period has a valid score."
_EMPTY = (
    "No evaluation of this period is stored. Set app-url in the workflow memory-eval.yml to this App's URL; or, after "
    "assay memory run, import its report.json on the App's machine: assay app import-memory-report report.json "
    "--repository owner/name."
)

_WORDS = ("worse, beyond chance", "no worse", "inconclusive")


def view(asked: PageRequest) -> Sheet:
    """Show the scores over time, the newest by category, and each evaluation."""
    runs = asked.store.memory_runs.of(asked.ids, asked.since)
    return Sheet("Memory evaluations", _INTRO, (_trend(runs), _categories(runs), _list(asked, runs)))


def _trend(runs: Sequence[MemoryRunRow]) -> Figure:
    known = [one for one in runs if one.overall_score is not None and one.why_invalid is None]
    data = [{"bucket": f"{one.at:%Y-%m-%d %H:%M}", "split": _line(one), "value": one.overall_score} for one in known]
    columns = columns_of("at=When", "agent", "score")
    rows = tuple((one.at, _line(one), Cell(one.overall_score, text=percent(one.overall_score))) for one in known)
    newest = {_line(one): one for one in known}
    said = ", ".join(f"{name} {percent(one.overall_score)}" for name, one in newest.items())
    draw = chart("trend", data, title="score", is_share=True)
    return Figure("scores", "Scores over time", f"The newest: {said}.", draw, columns, rows, _NO_SCORE)


def _line(run: MemoryRunRow) -> str:
    """Return the name of a line of the chart: scores of secret exams are not joined with others."""
    return f"{run.agent} (secret exams)" if run.comparable else run.agent


def _categories(runs: Sequence[MemoryRunRow]) -> Table:
    """Show the newest evaluation of each agent, one column each."""
    newest = {one.agent: one for one in runs if one.why_invalid is None}
    agents = list(newest)[:6]
    columns = columns_of("category", *(f"agent_{place}={name}" for place, name in enumerate(agents, 1)))
    names = sorted({category for name in agents for category in newest[name].categories})
    rows: tuple[Row, ...] = tuple(
        (name, *(_score(newest[agent].categories.get(name)) for agent in agents)) for name in names
    )
    return Table("by-category", "The newest, by category", columns, rows, _NO_SCORE)


def _list(asked: PageRequest, runs: Sequence[MemoryRunRow]) -> Table:
    columns = columns_of(
        "at=When",
        "agent",
        "repository",
        "score",
        "facts_held",
        "change",
        "best_baseline",
        "turns",
        "questions",
        "grading=Graded by",
        "kept_by=Stored by",
    )
    rows: list[Row] = []
    for one in reversed(runs):
        others = {name: score for name, score in one.baselines.items() if score is not None}
        best = max(others, key=lambda name: others[name], default=None)
        baseline = Cell(None) if best is None else Cell(others[best], text=percent(others[best]), note=best)
        score = Cell(one.overall_score, text=percent(one.overall_score), note=one.why_invalid or _comparable(one))
        name = asked.names[one.repository_id]
        sizes = (one.num_turns, one.num_questions)
        held = _score(one.fact_recall)
        rows.append((one.at, one.agent, name, score, held, _change(one), baseline, *sizes, one.grading, one.kept_by))
    return Table("examinations", "All evaluations", columns, tuple(rows), _EMPTY)


def _comparable(run: MemoryRunRow) -> str:
    """Return whether the score can be compared with those of other agents; "" where that is unknown or not asked."""
    if run.comparable is None or run.grading == CHANGES:
        return ""
    return "secret exams" if run.comparable else "not comparable"


def _change(run: MemoryRunRow) -> Cell:
    """Return the change of the answers' score, or of the facts held, from the workflow's comparison."""
    if run.change is None:
        return Cell(None)
    moved = run.change["after"] - run.change["before"]
    is_worse = run.regression == "true"
    words = ("findings", "no findings", "no verdict") if run.grading == CHANGES else _WORDS
    note = words[0] if is_worse else words[1] if run.regression == "false" else words[2]
    return Cell(moved, text=f"{100 * moved:+.1f} points", note=note, kind="chip" if is_worse else "")


def _score(score: float | None) -> Cell:
    return Cell(score, text=percent(score))


PAGE = Page("memory", "/memory", view, "Memory evaluations", is_timed=True)
