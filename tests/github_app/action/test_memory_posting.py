"""The joined report posted to the App in the job's own name: kept there, and told in a line whatever becomes of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay.action.environment.job import Job
from assay.action.memory.artifacts import NO_REPORT
from assay.action.memory.inputs import read_memory_inputs
from assay.action.memory.publishing import POSTED
from assay.github.errors import ActionMisused
from assay.memory_eval import REPORT_FILES
from tests.fakes.github import FakeGitHub
from tests.github_app.action.memory_runs import Nightly
from tests.github_app.action.posting_bed import Door, door_of, installed_on
from tests.repositories import RealRepository

EXAMINES = "assay-dev/assay/.github/workflows/memory-eval.yml@refs/tags/v1"


class Lab(Nightly):
    """Runs of a schedule whose jobs have an identity at the emulated GitHub."""

    def __init__(self, folder: Path, github: FakeGitHub, head: str) -> None:
        super().__init__(folder)
        self.github, self.head = github, head
        self.repo_id = github.repository_id("acme/shop")
        self.workflow, self.has_identity = EXAMINES, True

    def environment(self) -> dict[str, str]:
        """What the job of this run has besides its inputs."""
        run_id = self.github.workflow_run(self.head, event="schedule", announce=False)
        self.run_id = run_id - 1  # the next one is this
        given = self.github.job_identity(run_id, self.workflow, repo="acme/shop") if self.has_identity else {}
        return {**given, "ASSAY_ACTION_REPOSITORY_ID": str(self.repo_id)}


@pytest.fixture
def lab(github: FakeGitHub, repository: RealRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    github.create_repository("shop")
    head = repository.commit("Start", {"agent.py": "x = 1\n"})
    github.push(repository, "main")
    lab = Lab(tmp_path, github, head)
    files = {kind: REPORT_FILES[kind] for kind in ("json", "markdown")}
    monkeypatch.setattr("assay.action.memory.report.REPORT_FILES", files)
    monkeypatch.setattr(Job, "repo", lambda _: contextlib.nullcontext(lab.repo))
    return lab


@pytest.fixture
def door(lab: Lab, tmp_path: Path) -> Iterator[Door]:
    with door_of(lab.github, tmp_path, trusted=(EXAMINES,)) as door:
        installed_on(door, lab.github, datetime.now(UTC))
        yield door


def test_each_run_is_kept_and_a_memory_that_got_worse_is_known_to_be(lab: Lab, door: Door):
    for score in (0.9, 0.3):
        lab.run(score, environment=lab.environment(), app_url=door.url)
        assert lab.code == 0
        assert POSTED in lab.summary
    first, second = door.store.memory_runs.of([lab.repo_id])
    assert (first.regression, first.change) == ("unknown", None)
    assert second.regression == "true"
    assert second.change is not None
    assert second.change["baseline_run"] == first.run_id
    assert second.overall_score == pytest.approx((3 * 0.3 + 0.5) / 4)


@pytest.mark.soak
def test_a_run_that_lacks_a_seed_is_shown_as_not_comparable(lab: Lab, door: Door):
    lab.run(0.9, environment=lab.environment(), app_url=door.url, exams="[42, 43]")
    assert lab.code == 3
    (row,) = door.store.memory_runs.of([lab.repo_id])
    assert row.why_invalid == f"seed 43: {NO_REPORT}"


def test_without_an_app_nothing_is_posted_or_said(lab: Lab, door: Door):
    lab.run(0.9, environment=lab.environment())
    assert "App" not in lab.summary
    assert door.store.memory_runs.of([lab.repo_id]) == ()


@pytest.mark.soak
def test_that_the_app_could_not_be_told_is_a_line_and_no_verdict(lab: Lab, door: Door):
    lab.workflow = "acme/shop/.github/workflows/mine.yml@refs/heads/main"
    lab.run(0.9, environment=lab.environment(), app_url=door.url)
    assert lab.code == 0
    assert "upload.untrusted-workflow" in lab.summary
    assert "acme/shop/.github/workflows/mine.yml@refs/heads/main" in lab.summary
    lab.has_identity = False
    lab.run(0.9, environment=lab.environment(), app_url=door.url)
    assert lab.code == 0
    assert "upload.no-identity-token" in lab.summary
    assert door.store.memory_runs.of([lab.repo_id]) == ()


@pytest.mark.parametrize("address", ["assay.example.com", "https://me:secret@assay.example.com"])
def test_an_address_that_is_none_stops_the_action(address: str):
    with pytest.raises(ActionMisused, match="app-url"):
        read_memory_inputs({"ASSAY_ACTION_EXAMS": "[1]", "ASSAY_ACTION_APP_URL": address})
