"""What a pull request says of itself in trailers, description and branch."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.github_app.provenance.declarations import (
    Declared,
    declared_in_body,
    declared_in_branch,
    declared_in_commits,
    submitted_at,
)
from tests.github_app.remembering import after

ULID = "01JD3K5V7W8X9Y0Z1A2B3C4D5E"


def test_a_description_declares_by_lines_and_hidden_comments():
    body = "Sell hats\r\n\r\nTask-Id: T-1\r\nprompt-version: shop/agent@3\r\n<!-- assay model: m-2.1 -->\r\n"
    assert declared_in_body(body) == Declared("T-1", "shop/agent@3", "m-2.1")
    assert declared_in_body("Task-Id: seen\n<!-- assay task-id: hidden -->").task_id == "hidden"


def test_the_newest_commit_that_says_something_counts():
    newest, oldest = "Fix\n\nTask-Id: T-2", "Begin\n\nTask-Id: T-1\nModel: m1"
    assert declared_in_commits(["Nothing", newest, oldest]) == Declared("T-2", None, "m1")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The Task-Id: T-1 is in the middle",
        "Task-Id: `rm -rf`",
        "Task-Id: two words",
        "Task-Id:",
        "Task-Id: " + "x" * 101,
        "<!-- assay task-id: <b> -->",
        "> Task-Id: T-1",
    ],
)
def test_what_only_looks_like_a_declaration_is_none(text: str):
    assert not declared_in_body(text)
    assert not declared_in_commits([text])


def test_a_branch_declares_a_ulid_that_stands_by_itself():
    assert declared_in_branch(f"agent/{ULID.lower()}-fix-hats") == Declared(ULID)
    assert not declared_in_branch(f"agent/x{ULID}")
    assert not declared_in_branch("feature/hats")


def ulid_of(made: datetime) -> str:
    value, digits = int(made.timestamp() * 1000), ""
    for _ in range(10):
        value, rest = divmod(value, 32)
        digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[rest] + digits
    return digits + "0" * 16


def test_a_ulid_tells_when_its_task_was_made():
    made = datetime(2026, 2, 1, 10, tzinfo=UTC)
    assert submitted_at(ulid_of(made), after()) == made
    assert submitted_at(ulid_of(made), made - timedelta(hours=23)) == made
    assert submitted_at(ulid_of(made), made - timedelta(hours=25)) is None
    assert submitted_at("7" + "Z" * 25, after()) is None
    assert submitted_at("0" * 26, after()) is None
    assert submitted_at("T-1", after()) is None


@given(st.text(max_size=300))
def test_any_text_is_read(text: str):
    for found in (declared_in_body(text), declared_in_commits([text]), declared_in_branch(text)):
        assert all(value is None or len(value) <= 100 for value in (found.task_id, found.model, found.prompt_version))


def test_a_long_hostile_text_costs_no_time():
    declared_in_body("Task-Id: " * 20_000 + "<!-- assay " * 20_000 + "\t" * 100_000)
    declared_in_commits(["task-id" + " " * 60_000 + ":"] * 50)
    declared_in_branch("0" * 1_000_000)
