"""A tools job that left nothing, or nothing that can be believed: that is no success, whoever made it so.

The change's own code runs there. What it can do to the job (kill it, fill its disk, write over its artifact) must not
turn results that fail the change into a verdict without any.
"""

from __future__ import annotations

from typing import Any

import pytest

from assay.action.environment.inputs import Mode
from assay.action.steps.complete import LOST, complete_in_job
from assay.action.steps.tool_results import taken_over
from assay.github.client import Repo
from assay.validators import Outcome, ValidationReport
from tests.github_app.action.test_completing import job_check, runs_of, validated
from tests.github_app.action.workflow import READING, RUN_ID, Workflow

NONSENSE = {"assay-tools": {"tools.json": '{"version": 1, "risk": "low"}'}}


@pytest.fixture
def told_with(workflow: Workflow, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The report where no artifact was left, beside these jobs of the run."""

    def settle(*jobs: Any, **more: Any) -> ValidationReport:
        server = f"{workflow.github.url}/acme/shop/actions/runs"
        checks = tuple(
            job_check(name, url=f"{server}/{run_id}/job/1", conclusion=conclusion) for name, conclusion, run_id in jobs
        )
        monkeypatch.setattr(Repo, "checks", lambda self, sha, **_: checks if sha == workflow.head else ())
        subject = workflow.subject(**more.pop("subject", {}))
        with workflow.repo(READING) as repo:
            return complete_in_job(validated(workflow, **more), subject, workflow.job(), None, repo).report

    return settle


@pytest.mark.parametrize("conclusion", ["failure", "cancelled", "timed_out"])
def test_a_tools_job_that_died_is_no_success(told_with: Any, conclusion: str):
    report = told_with(("assay / tools", conclusion, RUN_ID))
    assert runs_of(report) == {LOST: Outcome.infra_failed}
    assert report.conclusion == "incomplete"
    assert f"ended {conclusion}" in report.reasons[0]


@pytest.mark.parametrize("conclusion", ["success", "skipped", "neutral"])
def test_a_job_called_tools_that_ended_otherwise_is_not_missed(told_with: Any, conclusion: str):
    report = told_with(("assay / tools", conclusion, RUN_ID))
    assert (runs_of(report), report.conclusion) == ({}, "success")


def test_what_only_informs_is_not_waited_for(told_with: Any):
    report = told_with(("tools", "failure", RUN_ID), tier1={"gate": "informational"})
    assert runs_of(report) == {LOST: Outcome.infra_failed}
    assert report.conclusion == "success"


@pytest.mark.soak
def test_a_tools_job_of_another_run_is_no_loss_of_ours(told_with: Any):
    assert LOST not in runs_of(told_with(("assay / tools", "failure", 901)))


def test_a_failing_check_still_fails_the_change_beside_a_tools_job_that_died(told_with: Any):
    report = told_with(("assay / tools", "failure", RUN_ID), ("unit tests", "failure", 901))
    assert report.conclusion == "failure"


@pytest.mark.soak
def test_in_the_second_stage_it_is_as_if_nothing_had_been_said(told_with: Any):
    stage = {"is_second_stage": True, "source_run_id": RUN_ID, "is_fork": True}
    report = told_with(("assay / tools", "failure", RUN_ID), subject=stage)
    assert (runs_of(report), report.conclusion) == ({}, "success")


def test_an_artifact_that_was_written_over_is_no_success(workflow: Workflow):
    run_id = workflow.github.workflow_run(workflow.head, NONSENSE, event="pull_request")
    job, inputs = workflow.job(run_id=run_id), workflow.inputs(mode=Mode.publish)
    before = validated(workflow)
    with job.repo() as repo:
        posted, notes = taken_over(workflow.subject(), None, before, inputs, job, repo)
        report = complete_in_job(before, workflow.subject(), job, posted, repo, notes).report
    assert report.conclusion == "incomplete"
    assert runs_of(report) == {LOST: Outcome.infra_failed}
    assert "artifact.not-by-action" in report.reasons[0]
