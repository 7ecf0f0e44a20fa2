"""Whom a finished run was for: asked of GitHub, whatever the run or anything in it says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assay.action.environment.job import Job, read_job
from assay.action.environment.subject import SubjectKind
from assay.action.handover.same_commit import external_id_of
from assay.action.handover.second_stage import (
    WAITS_FOR_APPROVAL,
    WORKFLOW_IS_NEW,
    WORKFLOWS_CHANGED,
    SecondStage,
    WhyNone,
    subjects_of,
    tools_of,
)
from assay.github.client import CheckConclusion, CheckOutput, CheckStatus, Repo
from assay.github.errors import ArtifactRefused, GithubRefused
from assay.validators import UNTRUSTED_RUN
from tests.fakes.github import FakeGitHub
from tests.github_app.action.jobs import environment
from tests.github_app.action.posted import document, packed
from tests.repositories import RealRepository

WORKFLOW = ".github/workflows/assay.yml"
MAY = {"contents": "read", "checks": "write", "pull-requests": "write", "actions": "read"}


@dataclass
class Stage:
    """A repository with a workflow, a fork of it, and a pull request from there; and the second stage's job."""

    github: FakeGitHub
    work: RealRepository
    fork: str
    number: int
    head: str
    job: Job
    repo: Repo

    def run(self, **more: Any) -> int:
        """The first stage has ended."""
        plain: dict[str, Any] = {"head_repo": self.fork, "name": "assay", "by": "mallory"}
        return self.github.workflow_run(more.pop("sha", self.head), **(plain | more))

    def of(self, run: int) -> SecondStage:
        return subjects_of(self.job, run, self.repo)

    def push(self, files: dict[str, str]) -> str:
        """The fork's branch moves."""
        self.head = self.work.commit("More", files)
        self.github.push(self.work, "change", repo=self.fork)
        return self.head


@pytest.fixture
def stage(github: FakeGitHub, repository: RealRepository, tmp_path: Path) -> Iterator[Stage]:
    name = github.create_repository("shop")
    files = {"shop.py": "x = 1\n", WORKFLOW: "on: pull_request\n", ".github/workflows/ci.yml": "on: push\n"}
    repository.commit("Start", files)
    github.push(repository, "main")
    fork = github.fork("mallory")
    repository.branch("change")
    head = repository.commit("Change", {"shop.py": "x = 2\n"})
    github.push(repository, "change", repo=fork)
    number = github.open_pull("change", by="mallory", from_fork=fork)
    token = github.job_token(MAY)
    more = {"REPOSITORY": name, "REPOSITORY_ID": str(github.repository_id()), "API_URL": github.url}
    job = read_job(environment(tmp_path, EVENT="workflow_run", TOKEN=token, **more))
    with job.repo() as repo:
        yield Stage(github, repository, fork, number, head, job, repo)


@pytest.mark.soak
def test_a_forks_pull_request_is_found_by_the_api(stage: Stage):
    found = stage.of(stage.run())
    (subject,) = found.subjects
    assert found.why_none is None
    assert (subject.number, subject.head_sha, subject.kind) == (stage.number, stage.head, SubjectKind.pull)
    assert (subject.is_fork, subject.is_second_stage, subject.source_run_id) == (True, True, found.run.id)
    assert subject.base_ref == "main"
    assert subject.pull_text == stage.repo.pull(stage.number).pull_text != ""


@pytest.mark.soak
def test_however_the_first_stage_ended_there_is_something_to_say(stage: Stage):
    """A run that waits for somebody's approval has executed nothing: Tiers 2 and 3 need nothing of it."""
    for conclusion in ("success", "failure", "cancelled", "action_required", "startup_failure"):
        assert stage.of(stage.run(conclusion=conclusion)).subjects, conclusion


@pytest.mark.soak
def test_a_run_that_was_skipped_takes_no_results_away(stage: Stage):
    """A new title starts a run of which every job is skipped: it left nothing, and must not be the last word."""
    assert stage.of(stage.run(conclusion="skipped")).why_none == WhyNone.skipped


@pytest.mark.soak
def test_a_run_of_another_event_is_for_nobody(stage: Stage):
    for event in ("push", "pull_request_target", "workflow_run", "schedule", "workflow_dispatch", ""):
        found = stage.of(stage.run(event=event))
        assert found.subjects == (), event
        assert found.why_none == WhyNone.not_first_stage


@pytest.mark.soak
def test_a_run_that_has_not_ended_is_for_nobody(stage: Stage):
    found = stage.of(stage.run(conclusion=None))
    assert (found.subjects, found.why_none) == ((), WhyNone.unfinished)


@pytest.mark.soak
def test_a_run_of_another_repository_is_not_found(stage: Stage):
    other = stage.github.create_repository("other")
    stage.github.push(stage.work, "change", repo=other)
    run = stage.github.workflow_run(stage.head, repo=other)
    with pytest.raises(GithubRefused) as caught:
        stage.of(run)
    assert caught.value.status == 404


@pytest.mark.soak
def test_a_run_that_says_it_belongs_to_another_repository_is_for_nobody(stage: Stage):
    run = stage.run(repository={"id": 999, "full_name": "evil/shop"})
    assert stage.of(run).why_none == WhyNone.other_repository


@pytest.mark.soak
def test_a_head_that_moved_on_is_left_to_its_own_run(stage: Stage):
    run = stage.run()
    stage.push({"shop.py": "x = 3\n"})
    found = stage.of(run)
    assert found.subjects == ()
    assert found.why_none == WhyNone.no_open_pull
    assert stage.of(stage.run()).subjects


@pytest.mark.soak
def test_a_closed_pull_request_has_nothing_to_be_told(stage: Stage):
    run = stage.run()
    stage.github.close_pull(stage.number)
    assert stage.of(run).subjects == ()


@pytest.mark.soak
def test_a_fork_that_is_gone_has_nothing_to_be_told(stage: Stage):
    assert stage.of(stage.run(head_repository=None)).why_none == WhyNone.fork_deleted


@pytest.mark.soak
def test_a_run_without_a_commit_is_for_nobody(stage: Stage):
    for sha in ("main", "", "x" * 40, "../../x"):
        assert stage.of(stage.run(head_sha=sha)).why_none == WhyNone.no_commit


def test_the_run_of_another_fork_with_the_same_commit_is_for_nobody(stage: Stage):
    """Anybody can push somebody else's commit to a fork of theirs."""
    theirs = stage.github.fork("eve")
    stage.github.push(stage.work, "change", repo=theirs)
    found = stage.of(stage.run(head_repo=theirs, by="eve"))
    assert found.subjects == ()
    assert found.why_none == WhyNone.no_open_pull


@pytest.mark.soak
def test_pull_requests_the_run_claims_to_be_of_are_not_believed(stage: Stage):
    found = stage.of(stage.run(pull_requests=[{"id": 1, "number": 4711, "url": "x", "head": {}, "base": {}}]))
    assert [one.number for one in found.subjects] == [stage.number]


# ------------------------------------------------------------------ branches of the repository itself


@pytest.fixture
def ours(stage: Stage) -> tuple[int, str]:
    """A pull request of a branch of the repository itself: its number and head."""
    stage.work.branch("ours", "main")
    head = stage.work.commit("Bump", {"requirements.txt": "x==2\n"})
    stage.github.push(stage.work, "ours")
    return stage.github.open_pull("ours", by="dependabot[bot]"), head


@pytest.mark.soak
def test_whoever_can_push_here_has_a_first_stage_that_can_write(stage: Stage, ours: tuple[int, str]):
    found = stage.of(stage.run(sha=ours[1], head_repo=None, by="ada"))
    assert found.subjects == ()
    assert "own run" in (found.why_none or "")


@pytest.mark.soak
def test_dependabots_first_stage_cannot_write_so_the_second_does(stage: Stage, ours: tuple[int, str]):
    found = stage.of(stage.run(sha=ours[1], head_repo=None, by="dependabot[bot]"))
    assert [(one.number, one.is_fork) for one in found.subjects] == [(ours[0], False)]


@pytest.mark.soak
def test_a_run_that_waits_for_an_approval_says_nothing_so_the_second_does(stage: Stage, ours: tuple[int, str]):
    waits = stage.run(sha=ours[1], head_repo=None, by="ada", conclusion="action_required")
    found = stage.of(waits)
    assert [(one.number, one.is_fork) for one in found.subjects] == [(ours[0], False)]
    with pytest.raises(ArtifactRefused, match=WAITS_FOR_APPROVAL):
        tools_of(found, found.subjects[0], stage.repo)
    ended = CheckOutput(CheckStatus.completed, "Fine", "…", conclusion=CheckConclusion.success)
    stage.repo.create_check(ours[1], ended, external_id_of(found.subjects[0]))
    assert stage.of(waits).subjects == (), "it was approved meanwhile, and has said more"


@pytest.mark.soak
def test_a_person_who_is_called_dependabot_is_none(stage: Stage, ours: tuple[int, str]):
    actor = stage.github.get("/users/olivia") | {"login": "dependabot[bot]", "type": "User"}
    assert stage.of(stage.run(sha=ours[1], head_repo=None, actor=actor)).subjects == ()


@pytest.mark.soak
def test_a_verdict_that_stands_is_not_replaced_by_one_that_rests_on_less(stage: Stage, ours: tuple[int, str]):
    run = stage.run(sha=ours[1], head_repo=None, by="dependabot[bot]")
    (subject,) = stage.of(run).subjects
    begun = CheckOutput(CheckStatus.in_progress, "Validating", "…")
    number = stage.repo.create_check(ours[1], begun, external_id_of(subject))
    assert stage.of(run).subjects == (subject,)  # broken off: no verdict yet
    ended = CheckOutput(CheckStatus.completed, "Fine", "…", conclusion=CheckConclusion.success)
    stage.repo.update_check(number, ended)
    assert stage.of(run).subjects == ()


# ------------------------------------------------------------------ what the first stage reported


def reported(stage: Stage, run: int) -> Any:
    found = stage.of(run)
    return tools_of(found, found.subjects[0], stage.repo)


def test_what_the_first_stage_reported_is_an_untrusted_runs_word(stage: Stage):
    run = stage.run(artifacts={"assay-tools": {"tools.json": json.dumps(document())}})
    posted = reported(stage, run)
    assert posted.is_untrusted
    assert posted.tools.reported_by == UNTRUSTED_RUN
    assert stage.github.violations == []


@pytest.mark.soak
def test_a_first_stage_that_left_nothing_is_told_apart_from_one_that_lies(stage: Stage):
    assert reported(stage, stage.run()) is None
    run = stage.run()
    stage.github.artifact(run, "assay-tools", packed(document()) + b"x")
    with pytest.raises(ArtifactRefused):
        reported(stage, run)


@pytest.mark.soak
def test_a_workflow_that_the_base_does_not_have_is_not_believed(stage: Stage):
    """A pull request can bring a workflow of the same name, and `workflow_run` starts for that one too."""
    for path in (".github/workflows/new.yml", "assay.yml", "", "../x.yml", f"{WORKFLOW}\n", "x/y.yml", "shop.py"):
        run = stage.run(path=path, artifacts={"assay-tools": {"tools.json": json.dumps(document())}})
        with pytest.raises(ArtifactRefused, match=WORKFLOW_IS_NEW):
            reported(stage, run)


@pytest.mark.soak
def test_a_path_with_the_ref_that_github_writes_behind_it_is_understood(stage: Stage):
    run = stage.run(path=f"{WORKFLOW}@main", artifacts={"assay-tools": {"tools.json": json.dumps(document())}})
    assert reported(stage, run) is not None


@pytest.mark.parametrize(
    "file", [WORKFLOW, ".github/workflows/ci.yml", ".github/workflows/new.yml", ".github/actions/test/action.yml"]
)
def test_a_pull_request_that_changes_what_its_runs_are_made_of_is_not_believed(stage: Stage, file: str):
    stage.push({file: "on: pull_request  # mine now\n"})
    run = stage.run(artifacts={"assay-tools": {"tools.json": json.dumps(document())}})
    with pytest.raises(ArtifactRefused, match=WORKFLOWS_CHANGED):
        reported(stage, run)
