"""What a step leaves for the next comes back as it was, or not at all."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.action.environment import state
from assay.action.environment.job import Job, read_job
from assay.action.environment.state import Fetched, Validated
from assay.action.environment.subject import Subject, SubjectKind
from assay.github.errors import GithubAppError
from tests.github_app.action.jobs import BASE, HEAD, environment
from tests.github_app.publish.reports import failing

SUBJECT = Subject(BASE, HEAD, "main", "claude/töpic", 7, SubjectKind.pull, is_fork=True)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return read_job(environment(tmp_path))


def test_what_was_fetched_comes_back(job: Job):
    assert job.workspace is not None
    fetched = (
        Fetched(SUBJECT, job.work / "mirrors" / "42.git"),
        Fetched(replace(SUBJECT, kind=SubjectKind.group, number=None), job.workspace.resolve()),
        Fetched(replace(SUBJECT, source_run_id=9, is_second_stage=True), None, "gone\nfor good"),
    )
    state.keep_fetched(fetched, job)
    assert state.fetched_before(job) == fetched
    state.keep_fetched((), job)
    assert state.fetched_before(job) == ()


def test_how_it_was_validated_comes_back(job: Job):
    report = failing()
    state.keep_validated(0, Validated(report), job)
    state.keep_validated(1, Validated(None, "out of memory"), job)
    found = state.validated_before(0, job).report
    assert found is not None
    assert (found.title, found.head) == (report.title, report.head)
    assert state.validated_before(1, job) == Validated(None, "out of memory")
    with pytest.raises(GithubAppError, match=r"action\.unreadable-state"):
        state.validated_before(2, job)


def tampered(job: Job, change: dict[str, Any]) -> None:
    state.keep_fetched((Fetched(SUBJECT, job.work / "mirrors" / "42.git"),), job)
    path = job.work / state.FETCHED
    (data,) = json.loads(path.read_text())
    for key, value in change.items():
        place = data["subject"] if key in data["subject"] else data
        place[key] = value
    path.write_text(json.dumps([data]))


@pytest.mark.parametrize(
    "change",
    [
        {"head_sha": "main"},
        {"head_sha": HEAD + "\n"},
        {"number": "7"},
        {"number": -1},
        {"number": True},
        {"kind": "branch"},
        {"is_fork": 0},
        {"more": 1},
        {"repository": "/etc"},
        {"repository": "mirrors/../../etc"},
        {"repository": 7},
        {"base_ref": "x" * 5000},
    ],
)
def test_anything_else_is_refused(job: Job, change: dict[str, Any]):
    tampered(job, change)
    with pytest.raises(GithubAppError) as caught:
        state.fetched_before(job)
    assert str(caught.value).isprintable()
    assert caught.value.exit_code == 3


def test_a_repository_beside_ours_is_refused(job: Job):
    tampered(job, {"repository": str(job.work / "mirrors" / ".." / ".." / "other")})
    with pytest.raises(GithubAppError, match=r"action\.foreign-repository"):
        state.fetched_before(job)


@pytest.mark.parametrize("top", ['{"fetched": []}', "[1]", "null", '[{"repository": null}]'])
def test_another_form_is_refused(job: Job, top: str):
    (job.work / state.FETCHED).write_text(top)
    with pytest.raises(GithubAppError, match=r"action\.not-fetched"):
        state.fetched_before(job)


def test_links_pipes_and_large_files_are_not_read(job: Job, tmp_path: Path):
    path = job.work / state.FETCHED
    (tmp_path / "elsewhere").write_text("[]")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(GithubAppError, match=r"action\.unreadable-state"):
        state.fetched_before(job)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(GithubAppError, match=r"action\.forged-state"):
        state.fetched_before(job)
    path.unlink()
    path.write_bytes(b" " * (state.MOST_STATE_BYTES + 1))
    with pytest.raises(GithubAppError, match=r"action\.forged-state"):
        state.fetched_before(job)


def test_a_link_that_waits_for_our_file_is_not_written_through(job: Job, tmp_path: Path):
    (job.work / state.FETCHED).symlink_to(tmp_path / "victim")
    state.keep_fetched((), job)
    assert not (tmp_path / "victim").exists()
    assert not (job.work / state.FETCHED).is_symlink()


@given(data=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes):
    folder = tmp_path_factory.getbasetemp() / "state"
    folder.mkdir(exist_ok=True)
    job = read_job(environment(folder))
    (job.work / state.FETCHED).write_bytes(data)
    with pytest.raises(GithubAppError):
        state.fetched_before(job)
