"""Page of agent feedback: missing context, and recurring themes."""

from __future__ import annotations

from collections.abc import Sequence

from assay.github_app.outcomes.insights.themes import Theme, themes_of
from assay.github_app.provenance.declarations import FEEDBACK_QUESTION
from assay.github_app.store import InsightRow, InsightType, RepositoryRow
from assay.github_app.web.dashboard.content.blocks import (
    Block,
    Cell,
    Figure,
    Prose,
    Row,
    Sheet,
    Table,
    chart,
    columns_of,
)
from assay.github_app.web.dashboard.pages.page import Page, PageRequest, pull_cell

MOST_SHOWN = 200
"""Maximum answers listed per repository, newest first."""
MOST_THEMES = 12
"""Maximum themes in the chart; the table has all."""
_INTRO = (
    f"At the end of every task, whether it went well or not, an agent is asked: “{FEEDBACK_QUESTION}” Its answer is "
    "delivered to other agents once a maintainer confirms it with assay insights trust."
)
_EMPTY = (
    "No answer yet. Harnesses use assay feedback, agents use the API or MCP, and a section “Agent notes” in a pull "
    "request's description counts too."
)
_NO_THEME = "No theme yet: a theme needs reports from at least two tasks."

_Found = Sequence[tuple[RepositoryRow, Theme]]


def view(asked: PageRequest) -> Sheet:
    """Show the themes of each repository, and the answers."""
    themes = [
        (one, theme)
        for one in asked.repositories
        for theme in themes_of(asked.store, one.id, since=asked.since, is_for_people=True)
    ]
    themes.sort(key=lambda found: -found[1].num_tasks)
    blocks: list[Block] = [_chart(themes), _themes(themes), _answers(asked)]
    if asked.repository is not None and themes:
        lines = tuple(f"{theme.proposal} (missing in {theme.num_tasks} tasks)" for _, theme in themes)
        blocks.insert(2, Prose(lines, title="Lines for the instruction file, to review first"))
    return Sheet("Self-feedback", _INTRO, tuple(blocks))


def _chart(themes: _Found) -> Figure:
    columns = columns_of("theme", "tasks")
    rows = tuple((theme.title, theme.num_tasks) for _, theme in themes[:MOST_THEMES])
    data = [{"name": theme.title[:60], "value": theme.num_tasks} for _, theme in themes[:MOST_THEMES]]
    words = "; ".join(f"{theme.title}: {theme.num_tasks} tasks" for _, theme in themes[:5])
    draw = chart("counts", data, title="tasks")
    return Figure("theme-tasks", "Recurring themes", words, draw, columns, rows, _NO_THEME)


def _themes(themes: _Found) -> Table:
    columns = columns_of("theme", "repository", "tasks", "answers", "first_at=First", "last_at=Last")
    rows = tuple(
        (
            Cell(theme.title, note=" · ".join(theme.statements[1:3])),
            repository.full_name,
            theme.num_tasks,
            theme.num_insights,
            theme.first_at,
            theme.last_at,
        )
        for repository, theme in themes
    )
    return Table("themes", "Themes by repository", columns, rows, _NO_THEME)


def _answers(asked: PageRequest) -> Table:
    columns = columns_of("answer", "task", "pull_request", "agent", "trusted=Delivered", "at=When")
    found = [
        one
        for repository in asked.repositories
        for one in asked.store.insights.newest(
            repository.id, MOST_SHOWN, insight_type=InsightType.agent_self_feedback, is_trusted=None
        )
        if asked.since is None or one.at >= asked.since
    ]
    found.sort(key=lambda one: one.at, reverse=True)
    rows: list[Row] = [_answer(asked, one) for one in found]
    return Table("answers", "Answers", columns, tuple(rows), _EMPTY)


def _answer(asked: PageRequest, one: InsightRow) -> Row:
    name = asked.names[one.repository_id]
    return (
        one.text[:400],
        Cell(one.task_id, kind="code" if one.task_id else ""),
        pull_cell(name, one.number),
        one.agent or "unknown",
        Cell(one.is_trusted, note=one.why_not or ""),
        one.at,
    )


PAGE = Page("feedback", "/feedback", view, "Self-feedback", "Learned", is_timed=True)
