"""Tier 1 of a report by whoever has run it, and never by the Action's own jobs; nothing is waited for."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from assay.action.environment.subject import Subject
from assay.action.steps.complete import CHECKS, CHECKS_UNREADABLE, STATUSES, complete_in_job, without_our_jobs
from assay.github.client import Repo
from assay.github.errors import GithubUnavailable
from assay.github.events.model import CheckFacts
from assay.github.external_results.github_checks import UNFINISHED
from assay.github.external_results.tools_payload import PostedTools, body_of, read_posted
from assay.validators import UNTRUSTED_RUN, NotChecked, Outcome, ToolKind, ToolsResult, ValidationReport
from assay.validators.report.model import Commit, Gate, ToolRun
from tests.github_app.action.workflow import READING, RUN_ID, Workflow, job_in
from tests.github_app.publish.reports import fine

LINE = NotChecked("the tools artifact", "it holds a link")


def validated(workflow: Workflow, **configuration: Any) -> ValidationReport:
    """As a publishing job validates it: no command of the repository was run."""
    return dataclasses.replace(
        fine(workflow.head),
        base=Commit(workflow.base, "main"),
        merge_base=workflow.base,
        settings={"configuration": configuration},
    ).with_tiers(tools=ToolsResult())


def tools(outcome: Outcome = Outcome.failed, name: str = "pytest") -> PostedTools:
    run = ToolRun(name, ToolKind.test, name, "Makefile", outcome, Gate.strict, 1.0, gating=outcome is Outcome.failed)
    return read_posted(body_of(ToolsResult(runs=(run,)), job="tools"))


def told(
    workflow: Workflow, report: ValidationReport, posted: PostedTools | None = None, **more: Any
) -> ValidationReport:
    permissions, subject = more.pop("permissions", READING), workflow.subject(**more)
    with workflow.repo(permissions) as repo:
        done = complete_in_job(report, subject, workflow.job(), posted, repo, (LINE,))
    assert done.awaited == ()
    assert LINE in done.report.not_checked
    return done.report


def runs_of(report: ValidationReport) -> dict[str, str]:
    assert report.tools is not None
    return {run.name: str(run.outcome) for run in report.tools.runs}


def test_what_the_tools_job_wrote_down_is_tier_1_and_no_check_is_asked_for(workflow: Workflow):
    workflow.github.check(workflow.head, "unit tests", "success")
    report = told(workflow, validated(workflow), tools())
    assert runs_of(report) == {"pytest": "failed"}
    assert (report.conclusion, report.blocking) == ("failure", ("pytest",))
    assert report.tools is not None
    assert report.tools.reported_by == "the change's own workflow run"
    assert workflow.github.requests == []


@pytest.mark.soak
def test_without_it_the_heads_own_checks_are_heard(workflow: Workflow):
    workflow.github.check(workflow.head, "unit tests", "failure")
    workflow.github.check(workflow.head, "lint", "success")
    workflow.github.status(workflow.head, "success", "build")
    report = told(workflow, validated(workflow), permissions={**READING, "statuses": "read"})
    assert runs_of(report) == {"unit tests": "failed", "lint": "passed", "build": "passed"}
    assert report.blocking == ("unit tests",)


@pytest.mark.soak
def test_what_failed_on_the_base_too_does_not_count(workflow: Workflow):
    for sha in (workflow.base, workflow.head):
        workflow.github.check(sha, "unit tests", "failure")
    report = told(workflow, validated(workflow), permissions={**READING, "statuses": "read"})
    assert (report.conclusion, report.blocking) == ("success", ())


@pytest.mark.soak
def test_what_still_runs_and_what_has_not_begun_is_named_and_not_waited_for(workflow: Workflow):
    workflow.github.require_checks("slow tests", "never begun", "Assay")
    workflow.github.check(workflow.head, "slow tests", None)
    workflow.github.check(workflow.head, "Assay", "failure")
    report = told(workflow, validated(workflow), permissions={**READING, "statuses": "read"})
    assert runs_of(report) == {}
    said = {note.what: note.why for note in report.not_checked}
    assert UNFINISHED in said["slow tests (reported)"]
    assert "never begun (reported)" in said
    assert "Assay (reported)" not in said


def test_a_token_that_may_not_read_checks_leaves_a_line(workflow: Workflow):
    workflow.github.check(workflow.head, "unit tests", "failure")
    report = told(workflow, validated(workflow), permissions={"contents": "read", "statuses": "read"})
    assert runs_of(report) == {}
    (line,) = [note for note in report.not_checked if note.what == CHECKS]
    assert "checks: read" in line.why


def test_a_token_that_may_not_read_statuses_still_hears_the_check_runs(workflow: Workflow):
    for sha in (workflow.base, workflow.head):
        workflow.github.check(sha, "unit tests", "failure")
    report = told(workflow, validated(workflow), permissions=READING)
    assert runs_of(report) == {"unit tests": "failed"}
    assert report.blocking == ()
    (line,) = [note for note in report.not_checked if note.what == STATUSES]
    assert "statuses: read" in line.why


def test_a_job_without_a_token_reads_no_checks(workflow: Workflow):
    alone = complete_in_job(validated(workflow), workflow.subject(), workflow.job(token=None), None, None)
    assert [note.why for note in alone.report.not_checked if note.what == CHECKS] == [CHECKS_UNREADABLE]


def test_when_github_is_down_that_is_not_taken_for_good_checks(workflow: Workflow):
    workflow.github.front.fault(r"GET .*/check-runs", 502, times=100)
    with pytest.raises(GithubUnavailable):
        told(workflow, validated(workflow))


@pytest.mark.soak
def test_a_tier_that_is_switched_off_or_was_not_asked_for_stays_so(workflow: Workflow):
    off = {"tier1": {"enabled": False}}
    for report in (validated(workflow, **off), validated(workflow).with_tiers(tools=None)):
        for posted in (None, tools()):
            settled_report = told(workflow, report, posted)
            assert settled_report.blocking == ()
            assert settled_report.tools == report.tools
    assert workflow.github.requests == []


def test_in_the_second_stage_results_are_a_strangers_word(workflow: Workflow):
    report = told(workflow, validated(workflow), tools(), is_second_stage=True, is_fork=True, source_run_id=5)
    assert report.tools is not None
    assert report.tools.reported_by == UNTRUSTED_RUN
    assert report.blocking == ("pytest",)


def test_a_strangers_good_word_keeps_no_failing_check_from_being_heard(workflow: Workflow):
    workflow.github.check(workflow.head, "unit tests", "failure")
    second = {
        "is_second_stage": True,
        "is_fork": True,
        "source_run_id": 5,
        "permissions": {**READING, "statuses": "read"},
    }
    report = told(workflow, validated(workflow), tools(Outcome.passed), **second)
    assert report.blocking == ("unit tests",)
    assert told(workflow, validated(workflow), None, **second).blocking == ("unit tests",)


def job_check(name: str, status: str = "completed", run_id: int = RUN_ID, **more: Any) -> CheckFacts:
    url = f"https://github.com/acme/shop/actions/runs/{run_id}/job/1"
    values: dict[str, Any] = {"conclusion": "success" if status == "completed" else None, "app_slug": "github-actions"}
    return CheckFacts("check_run", f"{name}{run_id}", name, "b" * 40, status, **({"url": url} | values | more))


@pytest.mark.parametrize(
    ("checks", "kept", "num_beside"),
    [
        ([job_check("assay / tools"), job_check("assay / publish", "in_progress")], [], 0),
        ([job_check("My Assay", "in_progress"), job_check("test")], ["test"], 0),
        ([job_check("My Assay", "in_progress"), job_check("test", "queued")], [], 1),
        ([job_check("assay / publish", "in_progress"), job_check("test", "queued")], [], 1),
        ([job_check("assay / tools", run_id=8), job_check("assay / tools")], [], 0),
        ([job_check("other / tools", run_id=8), job_check("test", "queued", run_id=8)], ["other / tools", "test"], 0),
        ([job_check("assay / tools", run_id=9001)], ["assay / tools"], 0),
        ([job_check("tools", app_slug="buildkite")], ["tools"], 0),
        ([job_check("assay / tools"), job_check("assay / tools", app_slug="x", run_id=7)], ["assay / tools"], 0),
    ],
    ids=range(9),
)
def test_the_actions_own_jobs_are_no_tools(checks: list[CheckFacts], kept: list[str], num_beside: int):
    others, found = without_our_jobs(checks, Subject("a" * 40, "b" * 40, "main", "x", 7), job_in(Path("/w")))
    assert ([one.name for one in others], found) == (kept, num_beside)


def test_in_the_second_stage_a_name_hides_nothing():
    checks = [job_check("ci / publish", run_id=5), job_check("ci / publish", run_id=6, conclusion="failure")]
    subject = Subject("a" * 40, "b" * 40, "main", "x", 7, is_second_stage=True, source_run_id=5)
    others, num_beside = without_our_jobs(checks, subject, job_in(Path("/w")))
    assert ([one.conclusion for one in others], num_beside) == (["failure"], 0)


@pytest.mark.soak
def test_jobs_that_run_beside_ours_are_named(workflow: Workflow, monkeypatch: pytest.MonkeyPatch):
    url = f"{workflow.github.url}/acme/shop/actions/runs/{RUN_ID}/job/1"
    running = [job_check(name, "in_progress", url=url) for name in ("assay / publish", "test a", "test b")]
    monkeypatch.setattr(Repo, "checks", lambda self, sha, **more: tuple(running))
    report = told(workflow, validated(workflow))
    told_of = [note for note in report.not_checked if "of this workflow run" in note.what]
    assert told_of == [
        NotChecked("2 other jobs of this workflow run", "was not finished; `needs:` runs a job before Assay")
    ]


@pytest.mark.parametrize("mode", ["advisory", "enforce"])
def test_tests_that_the_tools_job_had_no_time_for_are_no_success(workflow: Workflow, mode: str):
    skipped = tools(Outcome.skipped).tools.runs[0]
    linted = dataclasses.replace(skipped, name="ruff", kind=ToolKind.lint, outcome=Outcome.passed)
    report = validated(workflow, mode=mode)
    report = dataclasses.replace(report, settings={**report.settings, "expects_tests": True})
    posted = read_posted(body_of(ToolsResult(runs=(linted, skipped)), job="tools"))
    assert told(workflow, report, posted).conclusion == "action_required"
