"""The page about the store names every table, column of the log's kinds, and state."""

from __future__ import annotations

import re

from assay.github_app.outcomes import ABANDONED_AFTER, FIX_WITHIN
from assay.github_app.provenance.declarations import declared_in_body
from assay.github_app.store import EventKind, OutcomeKind, RunState, TaskStatus
from assay.github_app.store.database.columns import METADATA
from tests.conftest import ROOT

TEXT = (ROOT / "docs/app/store.md").read_text("utf-8")


def test_every_table_is_described_as_the_code_describes_it():
    written = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", TEXT.split("## The log")[0], re.MULTILINE))
    assert written == {table.name: table.info["holds"] for table in METADATA.tables.values()}


def test_every_kind_of_event_is_described():
    written = re.findall(r"^\| `(\w+)` \|", TEXT.split("## The log")[1], re.MULTILINE)
    assert written == [str(kind) for kind in EventKind]


def test_every_state_outcome_and_limit_is_named():
    for name in (*RunState, *OutcomeKind, *TaskStatus):
        assert f"`{name}`" in TEXT
    assert f"for {ABANDONED_AFTER.days} days" in TEXT
    assert f"Within {FIX_WITHIN.days} days" in TEXT


def test_the_declarations_shown_are_understood():
    assert declared_in_body("<!-- assay task-id: T-1 -->").task_id == "T-1"
    for name in ("Task-Id", "Assay-Task", "Prompt-Version", "Model"):
        assert f"`{name}:" in TEXT
        assert declared_in_body(f"{name}: x")
