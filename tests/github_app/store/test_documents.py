"""The page about the store names every table, column of the log's kinds, and state."""

from __future__ import annotations

import re

from assay.github_app.maintenance.purge import HANDLED_DAYS
from assay.github_app.ops.settings import Settings
from assay.github_app.outcomes import ABANDONED_AFTER, FIX_WITHIN
from assay.github_app.provenance.declarations import declared_in_body
from assay.github_app.store import EventKind, OutcomeKind, RunState, TaskStatus
from assay.github_app.store.database.columns import METADATA, Kept
from assay.github_app.store.database.database import BATCH
from assay.github_app.store.queries.retention import PULLS_AT_ONCE
from assay.github_app.store.tables.event_kinds import DECISIONS
from assay.validators import MOST_PULLS
from tests.conftest import ROOT

TEXT = (ROOT / "docs/app/store.md").read_text("utf-8")


def test_every_table_is_described_as_the_code_describes_it():
    found = re.findall(r"^\| `(\w+)` \| (.+) \| ([a-z ]+) \|$", TEXT.split("## The log")[0], re.MULTILINE)
    written = {name: (holds, kept) for name, holds, kept in found}
    assert written == {table.name: (table.info["holds"], table.info["kept"]) for table in METADATA.tables.values()}


def test_every_retention_is_explained_with_its_default():
    found = re.findall(r"^\| ([a-z ]+) \| .+ \| (.*) \|$", TEXT.split("## What is deleted")[1], re.MULTILINE)
    days = dict(found)
    assert set(days) == set(map(str, Kept))
    settings = Settings()
    assert {days[Kept.keep_days]} == {f"{settings.keep_days} days"}
    assert {days[one] for one in (Kept.pull, Kept.task, Kept.rule, Kept.history_days)} == {
        f"{settings.history_days} days"
    }
    assert f"handled deliveries and finished jobs after {HANDLED_DAYS} days" in TEXT
    assert all(f"`{kind}`" in TEXT.split("## The log")[1].split("| Kind")[0] for kind in DECISIONS)
    assert f"at most {BATCH} rows or {PULLS_AT_ONCE} pull requests" in TEXT
    assert f"The newest {MOST_PULLS} pull requests" in TEXT


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
