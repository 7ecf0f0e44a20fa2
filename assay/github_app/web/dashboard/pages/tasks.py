"""Page of tasks: why they failed, and what agents lacked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.github_app.outcomes.insights.themes import Theme, themes_of
from assay.github_app.provenance.declarations import FEEDBACK_QUESTION
from assay.github_app.store import EvaluationRow, InsightRow, InsightType, RepositoryRow
from assay.github_app.web.dashboard.content.blocks import (
    Block,
    Cell,
    Fact,
    Facts,
    Figure,
    Prose,
    Row,
    Sheet,
    Table,
    chart,
    columns_of,
)
from assay.github_app.web.dashboard.pages.page import Page, PageRequest, insight_address, pull_cell

MOST_SHOWN = 200
"""Maximum insights of a kind listed per repository, newest first."""
_INTRO = (
    "Each task that failed, or whose pull request was closed or revised again and again, has a category with its "
    "evidence. Environment failures never count against the agent."
)
_ASKED = (
    f"At the end of every task, whether it went well or not, an agent is asked: “{FEEDBACK_QUESTION}” Its answer is "
    "delivered to other agents once a maintainer confirms it on its page."
)
_NO_ANSWER = (
    "No answer yet. Harnesses use assay feedback, agents use the API or MCP, and a section “Agent notes” in a pull "
    "request's description counts too."
)
_NO_INSIGHT = "No insight yet. A failed task leaves a summary of its cause."
_OTHERS = "Summaries of failures, and notes. A maintainer delivers one to agents on its page."
_NO_THEME = "No theme yet: a theme needs reports from at least two tasks."

_NO_CATEGORY = "No evaluated task of this period has a failure category."
_Found = Sequence[tuple[RepositoryRow, Theme]]
_EMPTY = (
    "No task was evaluated in this period. Tasks come from the API or pull requests, and are evaluated at their end."
)


def view(asked: PageRequest) -> Sheet:
    """Show the failure categories with every task, and the themes of what agents lacked with their answers."""
    found = [one for repository_id in asked.ids for one in asked.store.evaluations.of(repository_id, since=asked.since)]
    found.sort(key=lambda one: one.at, reverse=True)
    num_failed = sum(one.is_success is False for one in found)
    facts = Facts(
        (
            Fact("Evaluated", str(len(found))),
            Fact("Succeeded", str(sum(one.is_success is True for one in found))),
            Fact("Failed", str(num_failed)),
            Fact(
                "Not the agent's doing", str(sum(one.is_success is False and not one.is_against_agent for one in found))
            ),
        )
    )
    blocks: list[Block] = [facts, _counts(found), _list(asked, found), *_lacked(asked)]
    return Sheet("Tasks", _INTRO, tuple(blocks))


def _counts(found: Sequence[EvaluationRow]) -> Figure:
    counted = Counter(one.category for one in found if one.category)
    ordered = sorted(counted, key=lambda name: (-counted[name], name))
    columns = columns_of("category", "num=Tasks")
    rows = tuple((_label(name), counted[name]) for name in ordered)
    words = ", ".join(f"{_label(name)} {counted[name]}" for name in ordered)
    data = [{"name": _label(name), "value": counted[name]} for name in ordered]
    draw = chart("counts", data, title="tasks")
    return Figure("categories", "Failure categories", f"Tasks by category: {words}.", draw, columns, rows, _NO_CATEGORY)


def _list(asked: PageRequest, found: Sequence[EvaluationRow]) -> Table:
    columns = columns_of(
        "task", "pull_request", "category", "evidence", "suggestion", "judged_by=Evaluated by", "at=When"
    )
    rows: list[Row] = []
    for one in found:
        name = asked.names[one.repository_id]
        first: Mapping[str, Any] = one.failures[0] if one.failures else {}
        outcome = {True: "succeeded", False: "failed", None: "open"}[one.is_success]
        rows.append(
            (
                Cell(one.task_id, kind="code"),
                pull_cell(name, one.number),
                Cell(_label(one.category) if one.category else None, text=None if one.category else outcome),
                _evidence(first),
                str((first.get("suggestion") or {}).get("text", ""))[:300],
                one.judged_by,
                one.at,
            )
        )
    return Table("tasks", "Task by task", columns, tuple(rows), _EMPTY)


def _evidence(failure: Mapping[str, Any]) -> str:
    texts = [str(one.get("text", "")) for one in failure.get("evidence") or () if isinstance(one, Mapping)]
    return " · ".join(text[:160] for text in texts[:3])


def _label(category: str) -> str:
    return category.replace("_", " ")


def _lacked(asked: PageRequest) -> Iterator[Block]:
    themes = [
        (one, theme)
        for one in asked.repositories
        for theme in themes_of(asked.store, one.id, since=asked.since, is_for_people=True)
    ]
    themes.sort(key=lambda found: -found[1].num_tasks)
    yield _themes(themes)
    if asked.repository is not None and themes:
        lines = tuple(f"{theme.proposal} (missing in {theme.num_tasks} tasks)" for _, theme in themes)
        yield Prose(lines, title="Lines for the instruction file, to review first")
    columns = columns_of("answer", "task", "pull_request", "agent", "trusted=Delivered", "at=When")
    answers = _insights(asked, InsightType.agent_self_feedback)
    yield Table("answers", "Answers of agents", columns, answers, _NO_ANSWER, _ASKED)
    columns = columns_of("insight", "task", "pull_request", "agent", "trusted=Delivered", "at=When")
    others = _insights(asked, InsightType.failure_summary, InsightType.note)
    yield Table("insights", "Other insights", columns, others, _NO_INSIGHT, _OTHERS, is_folded=True)


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
    return Table("themes", "What agents lacked, by theme", columns, rows, _NO_THEME)


def _insights(asked: PageRequest, *kinds: InsightType) -> tuple[Row, ...]:
    """Return the insights of these kinds, newest first, whether agents receive them or not."""
    found = [
        one
        for repository in asked.repositories
        for kind in kinds
        for one in asked.store.insights.newest(repository.id, MOST_SHOWN, insight_type=kind, is_trusted=None)
        if asked.since is None or one.at >= asked.since
    ]
    found.sort(key=lambda one: one.at, reverse=True)
    return tuple(_insight(asked, one) for one in found)


def _insight(asked: PageRequest, one: InsightRow) -> Row:
    name = asked.names[one.repository_id]
    return (
        Cell(one.text[:400], href=insight_address(name, one.id)),
        Cell(one.task_id, kind="code" if one.task_id else ""),
        pull_cell(name, one.number),
        one.agent or "unknown",
        Cell(one.is_trusted, note=one.why_not or ""),
        one.at,
    )


PAGE = Page("tasks", "/tasks", view, "Tasks", is_timed=True)
