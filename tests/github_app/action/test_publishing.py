"""What stands on GitHub behind a job, and how the job ends, by what its token may do."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from assay.action.environment.inputs import Inputs, Sarif
from assay.action.environment.subject import SubjectKind
from assay.action.output.publishing import LEFT_TO_APP, NEWER_HEAD, NOT_WRITTEN, OTHER_COMMIT, exit_code_of, publish_all
from assay.github.client import Github
from assay.github.publish.verdict import could_not_run
from assay.validators import Conclusion, FailOn, Severity, ValidationReport
from tests.github_app.action.workflow import READING, WRITING, Workflow
from tests.github_app.publish.reports import failing, finding, fine, held, with_findings
from tests.validators.render.sample import replaced


def enforced(report: ValidationReport, **configuration: Any) -> ValidationReport:
    """The same under a configuration that blocks."""
    told = {**report.settings, "configuration": {"mode": "enforce", **configuration}}
    return dataclasses.replace(report, mode="enforce", settings=told)


@pytest.mark.soak
def test_a_pull_request_gets_check_label_comment_and_review(workflow: Workflow):
    outcome = workflow.publish(enforced(failing()))
    check = workflow.check()
    assert (check["conclusion"], check["actions"], check["app"]["slug"]) == ("failure", [], "github-actions")
    assert check["external_id"] == f"assay-action:{workflow.number}:{workflow.head}"
    assert check["details_url"] == f"{workflow.github.url}/acme/shop/actions/runs/900"
    assert len(check["annotations"]) > 0
    assert workflow.github.labels(workflow.number) == ["risk:medium"]
    (comment,) = workflow.github.comments(workflow.number)
    assert comment["user"]["login"] == "github-actions[bot]"
    assert f"{workflow.github.url}/acme/shop/pull/{workflow.number}/checks" in comment["body"]
    assert len(workflow.github.reviews(workflow.number)) == 1
    assert (outcome.exit_code, outcome.check_run_id, outcome.notes) == (1, check["id"], ())
    assert outcome.check_url == f"{workflow.github.url}/acme/shop/runs/{check['id']}"


def test_with_the_token_of_another_app_its_comments_are_ours(workflow: Workflow, app: Github):
    """Some give the Action an App's token, so that what it writes starts other workflows."""
    granted = {"checks": "write", "pull_requests": "write", "contents": "read"}
    token = app.token(workflow.github.installation_id, workflow.github.repository_id(), granted)
    for _ in range(2):
        workflow.publish(enforced(failing()), job=workflow.job(token=token))
    (comment,) = workflow.github.comments(workflow.number)
    assert comment["user"]["login"] == "assay-test[bot]"
    assert len(workflow.github.reviews(workflow.number)) == 1
    assert len(workflow.checks()) == 1


@pytest.mark.soak
def test_a_rerun_leaves_one_of_each(workflow: Workflow):
    first = workflow.publish(enforced(failing()))
    second = workflow.publish(enforced(failing()), job=workflow.job(run_attempt=2))
    third = workflow.publish(fine())
    assert first.check_run_id == second.check_run_id == third.check_run_id
    assert len(workflow.checks()) == 1
    assert workflow.check()["conclusion"] == "success"
    (comment,) = workflow.github.comments(workflow.number)
    assert "Resolved" in comment["body"]
    assert len(workflow.github.reviews(workflow.number)) == 1
    assert workflow.github.labels(workflow.number) == ["risk:low"]


@pytest.mark.parametrize(("configured", "lines"), [("none", []), ("blocking", [3]), ("all", [3, 9])])
def test_the_configuration_says_what_is_commented_on(workflow: Workflow, configured: str, lines: list[int]):
    report = with_findings([finding(3, Severity.error), finding(9, Severity.info)])
    workflow.publish(enforced(report, comments=configured))
    reviews = workflow.github.reviews(workflow.number)
    assert [one["line"] for review in reviews for one in review["comments"]] == lines


@pytest.mark.parametrize("kind", [SubjectKind.group, SubjectKind.commit])
def test_a_group_and_a_commit_get_a_check_and_nothing_else(workflow: Workflow, kind: SubjectKind):
    workflow.github.close_pull(workflow.number)
    outcome = workflow.publish(enforced(failing()), workflow.subject(number=None, kind=kind))
    assert workflow.check(str(kind))["conclusion"] == "failure"
    assert outcome.exit_code == 1
    assert workflow.github.labels(workflow.number) == []
    assert workflow.github.comments(workflow.number) == []
    assert workflow.github.reviews(workflow.number) == []


@pytest.mark.soak
def test_a_head_that_is_no_longer_the_newest_gets_its_check_alone(workflow: Workflow):
    subject = workflow.subject()
    workflow.repository.commit("More", {"docs/more.md": "more\n"})
    workflow.github.push(workflow.repository, "change")
    outcome = workflow.publish(enforced(failing()), subject, sarif=Sarif.upload, permissions=UPLOADING)
    assert workflow.check()["conclusion"] == "failure"
    assert workflow.github.labels(workflow.number) == []
    assert workflow.github.comments(workflow.number) == []
    assert workflow.github.sarifs == []
    assert NEWER_HEAD in outcome.notes[0]
    assert outcome.exit_code == 1


def test_of_a_closed_pull_request_nothing_is_said(workflow: Workflow):
    workflow.github.close_pull(workflow.number)
    outcome = workflow.publish(enforced(failing()))
    assert workflow.writes() == []
    assert [f"#{workflow.number}" in note for note in outcome.notes] == [True]
    assert (outcome.exit_code, outcome.check_run_id) == (1, None)


@pytest.mark.parametrize("permissions", [READING, {"contents": "read"}, {}], ids=["reads", "no checks", "nothing"])
@pytest.mark.parametrize(("report", "code"), [(failing(), 1), (fine(), 0)])
def test_a_token_that_may_only_read_fails_nothing(
    workflow: Workflow, permissions: dict[str, str], report: ValidationReport, code: int
):
    outcome = workflow.publish(enforced(report), workflow.subject(is_fork=True), permissions)
    assert workflow.checks() == []
    assert workflow.github.labels(workflow.number) == []
    assert workflow.github.comments(workflow.number) == []
    assert len([one for one in workflow.writes() if "check-runs" not in one]) == 0, "nothing after the first refusal"
    assert outcome.exit_code == code
    assert outcome.check_run_id is None
    assert outcome.error is None
    told = "Check Run not written: this job's token may only read; the second stage does it (docs/action/forks.md)."
    assert outcome.notes == (told,)


@pytest.mark.soak
def test_a_branch_of_the_repository_is_told_which_permission_is_missing(workflow: Workflow):
    outcome = workflow.publish(fine(), permissions=READING)
    assert outcome.exit_code == 0
    assert "checks: write" in outcome.notes[0]
    assert "docs/action/permissions.md" in outcome.notes[0]


@pytest.mark.soak
def test_without_the_right_to_write_on_pull_requests_the_check_stands_and_the_rest_is_told(workflow: Workflow):
    outcome = workflow.publish(fine(), permissions=WRITING | {"pull-requests": "read"})
    assert workflow.check()["conclusion"] == "success"
    assert outcome.exit_code == 0
    assert outcome.notes
    assert all(one.startswith("Not published: ") and "pull-requests: write" in one for one in outcome.notes)


@pytest.mark.soak
def test_without_the_right_to_read_pull_requests_the_check_is_written(workflow: Workflow):
    outcome = workflow.publish(fine(), permissions={"contents": "read", "checks": "write"})
    assert workflow.check()["conclusion"] == "success"
    assert outcome.exit_code == 0
    assert outcome.notes[0].startswith(
        "Only the Check Run was written. The job needs `pull-requests: write` (docs/action/permissions.md). "
    )


def test_a_job_without_a_token_writes_nothing(workflow: Workflow):
    outcome = workflow.publish(fine(), job=workflow.job(token=None))
    assert workflow.github.requests == []
    assert outcome.notes == (NOT_WRITTEN,)
    assert outcome.exit_code == 0


@pytest.mark.soak
def test_with_an_app_the_app_publishes(workflow: Workflow):
    outcome = workflow.publish(enforced(failing()), app_url="https://assay.example.com")
    assert workflow.github.requests == []
    assert outcome.is_left_to_app
    assert outcome.notes == (LEFT_TO_APP,)
    assert outcome.exit_code == 1


def test_when_github_is_down_the_verdict_is_told_and_the_job_ends_with_3(workflow: Workflow):
    workflow.github.front.fault(r"(POST|GET) .*/check-runs", 502, times=100)
    outcome = workflow.publish(fine())
    assert (outcome.exit_code, outcome.check_run_id) == (3, None)
    assert outcome.error is not None
    assert "github.unavailable" in outcome.error
    assert "\n" not in outcome.error
    assert workflow.publish(enforced(failing())).exit_code == 1, "a failure stays one"


@pytest.mark.soak
def test_a_moment_of_bad_weather_is_sat_out(workflow: Workflow):
    workflow.github.front.fault(r"POST .*/check-runs", 502, after=True)
    workflow.github.front.fault(r"POST .*/comments", "half_close", after=True)
    outcome = workflow.publish(enforced(failing()))
    assert (outcome.exit_code, outcome.error) == (1, None)
    assert len(workflow.checks()) == 1
    assert len(workflow.github.comments(workflow.number)) == 1


@pytest.mark.soak
def test_validating_that_broke_off_is_a_failure_with_its_incident(workflow: Workflow):
    outcome = workflow.publish(None, why="it took more memory than it may")
    check = workflow.check()
    assert (check["conclusion"], check["output"]["title"]) == ("failure", could_not_run("900-1"))
    assert "memory" in check["output"]["summary"]
    assert (outcome.exit_code, outcome.incident) == (3, "900-1")
    assert workflow.github.comments(workflow.number) == []


@pytest.mark.soak
def test_a_report_about_another_commit_is_no_report(workflow: Workflow):
    outcome = publish_all(fine("e" * 40), workflow.subject(), workflow.inputs(), workflow.job())
    assert workflow.check()["conclusion"] == "failure"
    assert OTHER_COMMIT in workflow.check()["output"]["summary"]
    assert outcome.exit_code == 3


UPLOADING = WRITING | {"security-events": "write"}


@pytest.mark.parametrize("sarif", Sarif)
def test_sarif_is_uploaded_where_it_is_asked_for(workflow: Workflow, sarif: Sarif):
    workflow.publish(failing(), permissions=UPLOADING, sarif=sarif)
    found = [(one["ref"], one["commit_sha"]) for one in workflow.github.sarifs]
    assert found == ([(f"refs/pull/{workflow.number}/head", workflow.head)] if sarif is Sarif.upload else [])


def test_sarif_of_a_push_is_about_its_branch_and_a_groups_is_about_nothing(workflow: Workflow):
    for kind in (SubjectKind.group, SubjectKind.commit):
        subject = workflow.subject(number=None, kind=kind)
        workflow.publish(failing(), subject, UPLOADING, sarif=Sarif.upload)
    assert [one["ref"] for one in workflow.github.sarifs] == ["refs/heads/change"]


@pytest.mark.soak
def test_code_scanning_that_is_not_allowed_fails_nothing(workflow: Workflow):
    outcome = workflow.publish(fine(), sarif=Sarif.upload)
    assert workflow.check()["conclusion"] == "success"
    assert (outcome.exit_code, "security-events: write" in outcome.notes[0]) == (0, True)


LOST: dict[str, Any] = {"conclusion": Conclusion.incomplete}
MENDED: dict[str, Any] = {"conclusion": Conclusion.action_required, "configuration_at_fault": True}
UNREAD: dict[str, Any] = {**MENDED, "tools": None, "quality": None, "risk": None}
TABLE = [
    # report, then for each mode: (fail-on not given, failure, hold, never)
    ("success", fine(), (0, 0, 0, 0), (0, 0, 0, 0)),
    ("failure", failing(), (0, 1, 1, 0), (1, 1, 1, 0)),
    ("held", held(), (0, 0, 1, 0), (1, 0, 1, 0)),
    ("to mend", fine(**MENDED), (0, 2, 2, 0), (2, 2, 2, 2)),
    ("not validated", replaced(fine(), **UNREAD), (2, 2, 2, 2), (2, 2, 2, 2)),
    ("lost", fine(**LOST), (3, 3, 3, 3), (3, 3, 3, 3)),
]


@pytest.mark.parametrize(("name", "report", "advisory", "enforce"), TABLE, ids=[row[0] for row in TABLE])
def test_the_table_of_exit_codes(
    name: str, report: ValidationReport, advisory: tuple[int, ...], enforce: tuple[int, ...]
):
    given = (None, FailOn.failure, FailOn.hold, FailOn.never)
    for mode, codes in (("advisory", advisory), ("enforce", enforce)):
        told = {**report.settings, "configuration": {"mode": mode}}
        validated = dataclasses.replace(report, mode=mode, settings=told)
        assert tuple(exit_code_of(validated, Inputs(Path("/r"), fail_on=one)) for one in given) == codes
    assert exit_code_of(None, Inputs(Path("/r"), fail_on=FailOn.never)) == 3


@pytest.mark.parametrize(
    ("mode", "fail_on", "conclusion"),
    [
        ("enforce", None, "action_required"),
        ("enforce", FailOn.failure, "neutral"),
        ("enforce", FailOn.never, "action_required"),
        ("enforce", FailOn.hold, "action_required"),
        ("advisory", FailOn.hold, "neutral"),
    ],
)
def test_a_change_that_is_only_held_is_said_to_be_and_blocks_where_that_is_asked_for(
    workflow: Workflow, mode: str, fail_on: FailOn | None, conclusion: str
):
    report = dataclasses.replace(enforced(held()), mode=mode)
    workflow.publish(report, fail_on=fail_on)
    check = workflow.check()
    assert check["conclusion"] == conclusion
    assert check["output"]["title"].startswith("Would be held: ") is (conclusion == "neutral")
    assert "Assay's GitHub App" in check["output"]["summary"]
    assert workflow.github.labels(workflow.number) == ["risk:critical"]


@pytest.mark.soak
def test_where_nothing_could_be_validated_the_check_is_not_green_in_either_mode(workflow: Workflow):
    outcome = workflow.publish(replaced(fine(), title="Not validated", **UNREAD))
    check = workflow.check()
    assert (check["conclusion"], check["output"]["title"], outcome.exit_code) == ("action_required", "Not validated", 2)
