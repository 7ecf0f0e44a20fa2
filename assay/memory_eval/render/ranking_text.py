"""A ranking on a terminal, as Markdown, as HTML and as JSON: a table of quality and one of cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.escape import code, prose, visible
from assay.memory_eval.render.figures import KNOWN_EXAM, counted, interval_in_words, percent, seconds
from assay.memory_eval.render.json import clean, written
from assay.memory_eval.render.terminal import printed
from assay.memory_eval.report.ranking import Ranked, Ranking

MOST_TEXT = 120
_WIDTH = 140

Cell = Callable[[Ranked], str]


@dataclass(frozen=True, slots=True)
class Part:
    """One table of a ranking: a title, and each column's title and cell."""

    title: str
    columns: tuple[tuple[str, Cell], ...]
    is_text: bool = False
    """Whether the cells are texts of the agents instead of figures."""


def _share(name: str) -> Cell:
    return lambda row: percent(getattr(row, name), 1)


def _answers(row: Ranked) -> str:
    within = f" ({interval_in_words(row.answer_interval)})" if row.answer_interval else ""
    return percent(row.answer_score, 1) + within


def _measure(name: str, shown: Callable[[float], str]) -> Cell:
    def cell(row: Ranked) -> str:
        value = (row.measures or {}).get(name)
        return "-" if value is None else shown(value)

    return cell


def _pair(name: str) -> Cell:
    low, high = (_measure(f"{name}_{part}_s", seconds) for part in ("p50", "p95"))
    return lambda row: low(row) if low(row) == "-" else f"{low(row)} / {high(row)}"


PARTS = (
    Part(
        "Quality",
        (
            ("Answer score", _answers),
            ("Facts held", _share("fact_recall")),
            ("Stale, of changed keys", _share("staleness")),
            ("Precision", _share("precision")),
            ("Forgotten on request", _share("forgetting")),
            ("Evidence at 10", _share("evidence_recall_at_10")),
            ("MRR", lambda row: "-" if row.mrr is None else f"{row.mrr:.2f}"),
        ),
    ),
    Part(
        "Cost",
        (
            ("Write p50 / p95", _pair("learn")),
            ("Search p50 / p95", _pair("search")),
            ("Answer p50 / p95", _pair("answer")),
            ("Context tokens", _measure("context_tokens_mean", lambda value: f"{value:,.0f}")),
            ("Store", _measure("store_bytes", lambda value: f"{value / 1024:,.0f} KiB")),
            ("Bytes per turn", _measure("store_bytes_per_turn", lambda value: f"{value:,.0f}")),
            ("Tokens per correct answer", _measure("tokens_per_correct", lambda value: f"{value:,.0f}")),
            ("Cost per correct answer", _measure("cost_per_correct_usd", lambda value: f"${value:.4f}")),
        ),
    ),
    Part(
        "Versions",
        (
            ("System", lambda row: row.system or "-"),
            ("Embedder", lambda row: row.embedder or "-"),
            ("Reader", lambda row: row.reader or "-"),
            ("Runs", lambda row: str(row.num_runs) if row.num_runs else "-"),
        ),
        is_text=True,
    ),
)


def ranking_json(ranking: Ranking) -> str:
    """Return the ranking as JSON: `assay schema memory-ranking`."""
    return written(clean(ranking.to_dict()))


def ranking_markdown(ranking: Ranking) -> str:
    """Return the ranking as Markdown; untrusted text is escaped."""
    return "\n".join(_markdown(ranking)).rstrip() + "\n"


def ranking_text(ranking: Ranking) -> str:
    """Return the tables of the terminal as plain text."""
    return printed(lambda console: show_ranking(ranking, console), _WIDTH)


def show_ranking(ranking: Ranking, console: Console) -> None:
    """Print both tables."""
    console.print(Text(exams_in_words(ranking)), highlight=False)
    for part in PARTS:
        if rows := rows_of(part, ranking):
            table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
            for title in ("", "Agent", *titles_of(part, ranking)):
                table.add_column(title, justify="left" if title == "Agent" else "right")
            for cells in rows:
                table.add_row(*(Text(visible(cell, MOST_TEXT)) for cell in cells))
            console.print(table, highlight=False)
    for line in remarks_of(ranking):
        console.print(Text(visible(line, 300), style="dim"), highlight=False)


def exams_in_words(ranking: Ranking) -> str:
    """Return the exams in one line."""
    by = ranking.by.replace("_", " ")
    size = f"{counted(ranking.num_questions, 'question')} on {counted(ranking.num_turns, 'turn')} each"
    return f"{size}; {', '.join(ranking.exams[:20])}; {ranking.grading} grading; ranked by {by}"


def remarks_of(ranking: Ranking) -> list[str]:
    """Return what limits the comparison."""
    return [*([] if ranking.comparable else [KNOWN_EXAM]), *ranking.notes]


def titles_of(part: Part, ranking: Ranking) -> list[str]:
    """Return the titles of the columns in which any row has a figure."""
    return [title for title, cell in part.columns if any(cell(row) != "-" for row in ranking.rows)]


def rows_of(part: Part, ranking: Ranking) -> list[list[str]]:
    """Return the rows as texts: rank, agent and figures; then floors and ceiling, which have no rank."""
    titles = titles_of(part, ranking)
    cells = [cell for title, cell in part.columns if title in titles]
    ranked = [[str(place), row.agent, *(cell(row) for cell in cells)] for place, row in enumerate(ranking.rows, 1)]
    others = [["", row.agent, *(cell(row) for cell in cells)] for row in ranking.references]
    found = ranked + [row for row in others if any(cell != "-" for cell in row[2:])]
    return found if titles else []


def _markdown(ranking: Ranking) -> Iterator[str]:
    yield "# Memory ranking"
    yield ""
    yield f"{prose(exams_in_words(ranking), 600)}."
    yield ""
    for part in PARTS:
        if rows := rows_of(part, ranking):
            yield from markdown_table(part, titles_of(part, ranking), rows)
            yield ""
    yield from (f"- {prose(line, 300)}" for line in remarks_of(ranking))


def markdown_table(part: Part, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of one table; names and texts are untrusted and escaped."""
    yield f"| | Agent | {' | '.join(titles)} |"
    yield f"|---:|---|{('---|' if part.is_text else '---:|') * len(titles)}"
    for place, name, *cells in rows:
        shown = [prose(one, MOST_TEXT, cell=True) if part.is_text and one != "-" else one for one in cells]
        # The references are in Assay's own words.
        agent = code(name, MOST_TEXT, cell=True) if place else name
        yield f"| {' | '.join([place, agent, *shown])} |"
