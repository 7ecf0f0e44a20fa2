"""Page of failure categories: causes of failed tasks, evidence and suggestions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from assay.github_app.store import EvaluationRow
from assay.github_app.web.dashboard.content.blocks import (
    Cell,
    Fact,
    Facts,
    Figure,
    Row,
    Sheet,
    Table,
    chart,
    columns_of,
)
from assay.github_app.web.dashboard.pages.page import Page, PageRequest, pull_cell

_INTRO = (
    "Each task that failed, or whose pull request was closed or revised again and again, has a category with its "
    "evidence. Environment failures never count against the agent."
)
_EMPTY = (
    "No task was evaluated in this period. Tasks come from the API or pull requests, and are evaluated at their end."
)


def view(asked: PageRequest) -> Sheet:
    """Show the frequency of each category, and every task."""
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
    return Sheet("Failure categories", _INTRO, (facts, _counts(found), _list(asked, found)))


def _counts(found: Sequence[EvaluationRow]) -> Figure:
    counted = Counter(one.category for one in found if one.category)
    ordered = sorted(counted, key=lambda name: (-counted[name], name))
    columns = columns_of("category", "num=Tasks")
    rows = tuple((_label(name), counted[name]) for name in ordered)
    words = ", ".join(f"{_label(name)} {counted[name]}" for name in ordered)
    data = [{"name": _label(name), "value": counted[name]} for name in ordered]
    draw = chart("counts", data, title="tasks")
    return Figure("categories", "Categories", f"Tasks by category: {words}.", draw, columns, rows, _EMPTY)


def _list(asked: PageRequest, found: Sequence[EvaluationRow]) -> Table:
    columns = columns_of(
        "task", "pull_request", "category", "evidence", "suggestion", "judged_by=Evaluated by", "at=When"
    )
    rows: list[Row] = []
    for one in found:
        name = asked.names[one.repository_id]
        likeliest: Mapping[str, Any] = one.failures[0] if one.failures else {}
        outcome = {True: "succeeded", False: "failed", None: "open"}[one.is_success]
        rows.append(
            (
                Cell(one.task_id, kind="code"),
                pull_cell(name, one.number),
                Cell(_label(one.category) if one.category else None, text=None if one.category else outcome),
                _evidence(likeliest),
                str((likeliest.get("suggestion") or {}).get("text", ""))[:300],
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


PAGE = Page("failures", "/failures", view, "Failure categories", "Learned", is_timed=True)
