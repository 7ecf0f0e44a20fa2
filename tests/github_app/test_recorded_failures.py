"""A test that failed on an earlier pull request of the same files is told to run first on the next."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay.github_app.outcomes.record.recording import record
from assay.github_app.store import ChangedLines, FindingRow, RunState, Side
from assay.validators import report_as
from tests.github_app.rooms import Room
from tests.github_app.test_configuration_in_force import validated

FILES = {
    "app.py": "def f():\n    return 1\n",
    "use.py": "import app\n",
    "test_far.py": "import use\ndef test_it(): pass\n",
}


def opened_from(room: Room, branch: str, files: dict[str, str]) -> Room:
    """Another pull request."""
    room.repository.switch("main")
    room.repository.branch(branch)
    head = room.repository.commit(f"On {branch}", files)
    room.github.push(room.repository, branch)
    number = room.github.open_pull(branch, by="ada", title=branch)
    record(room.heard("pull_request", lambda said: said["number"] == number), room.store, datetime.now(UTC))
    other = dataclasses.replace(room, number=number, head=head)
    room.store.runs.begin(*other.place, head, "opened", datetime.now(UTC))
    return other


@pytest.mark.system
def test_a_test_that_failed_on_an_earlier_pull_request_of_the_file_runs_first(room: Room, tmp_path: Path):
    room.repository.switch("main")
    room.repository.commit("More", {**FILES, ".github/assay.yml": "tier1: {enabled: false}\ntier2: {enabled: false}\n"})
    room.github.push(room.repository, "main")
    quiet = validated(opened_from(room, "one", {"app.py": "def f():\n    return 2\n"}), tmp_path)
    assert [(one.path, one.affected, one.num_failed) for one in quiet.risk.dependents if one.is_test] == [  # type: ignore[union-attr]
        ("test_far.py", "may_be_affected", 0)
    ]
    failing = FindingRow("f1", "tool-validation", "error", "test_failed", "test_far.py", "assert 2 == 1")
    earlier = room.store.runs.newest(room.repository_id, room.number + 1)
    assert earlier is not None
    report = report_as(quiet, "json").encode()
    room.store.runs.save_report(
        earlier.id,
        report,
        conclusion="failure",
        title="",
        risk_level=None,
        is_hold=False,
        findings=[failing],
        factors=[],
        config_hash=None,
        durations_s={},
        at=datetime.now(UTC),
    )
    at = datetime.now(UTC)
    room.store.changes.put(room.repository_id, room.number, room.head, [ChangedLines(Side.head, "README.md", 1, 1)], at)
    room.store.runs.advance(earlier.id, RunState.completed, at)
    next_one = validated(opened_from(room, "two", {"app.py": "def f():\n    return 3\n"}), tmp_path)
    assert next_one.risk is not None
    assert [(one.path, one.affected, one.num_failed) for one in next_one.risk.dependents if one.is_test] == [
        ("test_far.py", "run_first", 1)
    ]
    assert "`test_far.py` (failed on 1 earlier pull request of these files)" in report_as(next_one, "markdown")
