"""The page of memory evaluations."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from assay.github_app.store import MemoryRunRow
from assay.github_app.web.dashboard.content.blocks import Cell
from assay.github_app.web.dashboard.content.figures import percent
from assay.github_app.web.dashboard.pages import memory as memory_page
from tests.github_app.dashboard.conftest import NOW


@pytest.mark.parametrize(
    ("regression", "note", "kind"),
    [("true", "worse, beyond chance", "chip"), ("false", "no worse", ""), ("unknown", "inconclusive", "")],
)
def test_a_memory_run_is_shown_with_its_change_and_best_baseline(regression: str, note: str, kind: str):
    run = MemoryRunRow(
        11, "k", NOW, "agent", "rules", None, 9, 5, 0.5, {}, {"full_text": 0.75, "none": 0.25, "skipped": None}, None,
        None, change={"before": 0.25, "after": 0.5}, regression=regression,
    )  # fmt: skip
    asked: Any = SimpleNamespace(names={11: "octo/shop"})
    (row,) = memory_page._list(asked, [run]).rows
    assert row[3:9] == (
        Cell(0.5, text=percent(0.50)),
        Cell(None, text=percent(None)),
        Cell(0.25, text="+25.0 points", note=note, kind=kind),
        Cell(0.75, text=percent(0.75), note="full_text"),
        9,
        5,
    )
    (row,) = memory_page._list(asked, [replace(run, grading="changes")]).rows
    assert (
        getattr(row[5], "note", "") == {"true": "findings", "false": "no findings", "unknown": "no verdict"}[regression]
    )
    (row,) = memory_page._list(asked, [replace(run, baselines={}, change=None, why_invalid="stopped")]).rows
    assert (row[3], *row[5:7]) == (Cell(0.5, text=percent(0.50), note="stopped"), Cell(None), Cell(None))


@pytest.mark.parametrize(
    ("comparable", "note", "line"),
    [(True, "secret exams", "agent (secret exams)"), (False, "not comparable", "agent"), (None, "", "agent")],
)
def test_a_memory_run_shows_its_answers_and_what_the_memory_holds(comparable: bool | None, note: str, line: str):
    run = MemoryRunRow(
        11, "k", NOW, "agent", "rules", None, 9, 5, 0.5, {}, {}, None, None,
        fact_recall=0.875, comparable=comparable,
    )  # fmt: skip
    asked: Any = SimpleNamespace(names={11: "octo/shop"})
    (row,) = memory_page._list(asked, [run]).rows
    assert row[3:5] == (Cell(0.5, text=percent(0.50), note=note), Cell(0.875, text=percent(0.875)))
    figure = memory_page._trend([run])
    assert [(row[1], row[2]) for row in figure.rows] == [(line, Cell(0.5, text=percent(0.50)))]
