"""Two pull requests of one commit, each validated by a workflow run of its own: the worse verdict ends up on both."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from assay.action.environment.subject import SubjectKind
from assay.action.handover.same_commit import NOT_YET, SameCommit
from assay.action.output.publishing import Outcome
from assay.validators import FailOn, ValidationReport
from tests.github_app.action.workflow import WRITING, Workflow
from tests.github_app.publish.reports import failing, fine

STRICT = dataclasses.replace(failing(), mode="enforce", settings={"configuration": {"mode": "enforce"}})
LAX = dataclasses.replace(failing(), mode="advisory")


class Twins:
    """The pull request of the workflow, and a second one of the same head against an old branch."""

    def __init__(self, workflow: Workflow, required: tuple[str, ...]) -> None:
        self.workflow = workflow
        workflow.repository.branch("old", "main")
        workflow.github.push(workflow.repository, "old")
        self.first = workflow.number
        self.second = workflow.github.open_pull("change", base="old", by="mallory", title="The same, elsewhere")
        for branch in required:
            workflow.github.require_checks("Assay", branch=branch)

    def publish(self, number: int, report: ValidationReport, **more: Any) -> Outcome:
        base = "main" if number == self.first else "old"
        return self.workflow.publish(report, self.workflow.subject(number=number, base_ref=base), **more)

    def conclusions(self) -> tuple[str | None, str | None]:
        ours = (one for one in self.workflow.checks() if one["external_id"].endswith(f":{self.workflow.head}"))
        found = {one["external_id"].split(":")[1]: one["conclusion"] for one in ours}
        return found.get(str(self.first)), found.get(str(self.second))

    def title(self, number: int) -> str:
        return str(self.workflow.check(number)["output"]["title"])


@pytest.fixture
def twins(workflow: Workflow) -> Twins:
    return Twins(workflow, ("main",))


@pytest.mark.soak
def test_the_strict_one_first_its_failure_stands_on_the_lax_one_too(twins: Twins):
    assert twins.publish(twins.first, STRICT).exit_code == 1
    outcome = twins.publish(twins.second, LAX)
    assert twins.conclusions() == ("failure", "failure")
    assert twins.title(twins.second).startswith(f"#{twins.first} of the same commit ended in failure · Would fail: ")
    assert f"#{twins.first}" in twins.workflow.check(twins.second)["output"]["summary"]
    assert outcome.exit_code == 1, "the job's own check is shown for both as well"
    assert twins.publish(twins.second, LAX, fail_on=FailOn.never).exit_code == 0


@pytest.mark.soak
def test_the_lax_one_first_waits_for_the_one_that_has_to_be_validated_and_then_fails_with_it(twins: Twins):
    outcome = twins.publish(twins.second, LAX)
    assert twins.conclusions() == (None, "action_required")
    assert twins.title(twins.second).startswith(f"#{twins.first} of the same commit has no verdict yet · ")
    assert outcome.exit_code == 0, "nobody could put the job right later"
    twins.publish(twins.first, STRICT)
    assert twins.conclusions() == ("failure", "failure")
    assert twins.title(twins.second).startswith(f"#{twins.first} of the same commit ended in failure · Would fail: ")
    assert twins.title(twins.second).count("same commit") == 1
    assert twins.workflow.check(twins.second)["output"]["summary"].count("also the head") == 1


@pytest.mark.soak
def test_a_good_verdict_lets_go_of_the_one_that_waited(twins: Twins):
    twins.publish(twins.second, LAX)
    before = twins.workflow.check(twins.second)["output"]
    twins.publish(twins.first, fine())
    assert twins.conclusions() == ("success", "neutral")
    after = twins.workflow.check(twins.second)["output"]
    assert after["title"].startswith("Would fail: ")
    assert "same commit" not in after["summary"] + after["title"]
    assert after["text"] == before["text"]


@pytest.mark.parametrize("order", ["strict first", "lax first"])
def test_mended_and_run_again_both_are_good(twins: Twins, order: str):
    for number in (twins.first, twins.second) if order == "strict first" else (twins.second, twins.first):
        twins.publish(number, STRICT if number == twins.first else LAX)
    assert twins.conclusions() == ("failure", "failure")
    twins.publish(twins.first, fine())
    assert twins.conclusions() == ("success", "neutral")
    twins.publish(twins.second, fine())
    assert twins.conclusions() == ("success", "success")


@pytest.mark.soak
def test_where_nothing_requires_the_check_nobody_is_waited_for(workflow: Workflow):
    twins = Twins(workflow, ())
    twins.publish(twins.second, fine())
    assert twins.conclusions() == (None, "success")
    twins.publish(twins.first, STRICT)
    assert twins.conclusions() == ("failure", "failure")


def test_two_at_the_same_time_agree_in_the_end(twins: Twins, monkeypatch: pytest.MonkeyPatch):
    """The lax run looks before the strict one has written, and writes after the strict one has looked once more."""
    agreed = SameCommit.agreed
    settle = SameCommit.settle

    def strict_in_between(self, check):
        monkeypatch.setattr(SameCommit, "agreed", agreed)
        found = agreed(self, check)
        twins.publish(twins.first, STRICT)
        return found

    monkeypatch.setattr(SameCommit, "agreed", strict_in_between)
    outcome = twins.publish(twins.second, LAX)
    assert SameCommit.settle is settle
    assert twins.conclusions() == ("failure", "failure")
    assert outcome.publication.check.conclusion == "failure"
    assert outcome.exit_code == 1


@pytest.mark.soak
def test_a_closed_one_is_asked_no_more(twins: Twins):
    twins.publish(twins.first, STRICT)
    twins.workflow.github.close_pull(twins.first)
    assert twins.publish(twins.second, fine()).exit_code == 0
    assert twins.conclusions() == ("failure", "success")


def test_who_may_not_read_pull_requests_takes_every_check_for_an_open_one(twins: Twins):
    twins.publish(twins.first, STRICT)
    twins.publish(twins.second, fine(), permissions={"contents": "read", "checks": "write"})
    assert twins.conclusions() == ("failure", "failure")


@pytest.mark.soak
def test_a_push_of_the_same_commit_is_no_way_round(twins: Twins):
    twins.workflow.github.close_pull(twins.second)
    commit = twins.workflow.subject(number=None, kind=SubjectKind.commit)
    twins.workflow.publish(fine(), commit)
    assert twins.workflow.check("commit")["conclusion"] == "action_required", "not validated yet"
    twins.publish(twins.first, STRICT)
    assert twins.workflow.check("commit")["conclusion"] == "failure"
    twins.workflow.publish(fine(), commit)
    assert twins.workflow.check("commit")["conclusion"] == "failure"
    assert twins.conclusions()[0] == "failure"
    twins.publish(twins.first, fine())
    assert twins.workflow.check("commit")["conclusion"] == "success"


@pytest.mark.soak
def test_checks_of_that_name_that_are_not_ours_are_left_alone(twins: Twins):
    github, head = twins.workflow.github, twins.workflow.head
    for external_id in ("assay:1:2:3", f"assay-action:{twins.first}", "", f"assay-action:x y:{head}"):
        github.check(head, "Assay", "failure", external_id=external_id)
    twins.publish(twins.second, fine())
    assert twins.conclusions()[1] == "action_required"
    assert NOT_YET in twins.title(twins.second)


@pytest.mark.soak
def test_a_lone_pull_request_costs_no_second_look(workflow: Workflow):
    workflow.publish(fine())
    looks = [one for one in workflow.github.requests if one.path.endswith(f"{workflow.head}/check-runs")]
    assert len(looks) == 2, "one to see the others, one to find ours"


@pytest.mark.soak
def test_a_push_that_is_nobodys_head_does_not_search_all_pull_requests(workflow: Workflow):
    workflow.publish(fine(), workflow.subject(number=None, kind=SubjectKind.commit, head_sha=workflow.base))
    asked = [one.path for one in workflow.github.requests if "pulls" in one.path]
    assert asked == [f"/repos/acme/shop/commits/{workflow.base}/pulls"]
    workflow.publish(fine(), workflow.subject(number=None, kind=SubjectKind.group, head_sha=workflow.base))
    assert len([one for one in workflow.github.requests if "pulls" in one.path]) == 1


@pytest.mark.soak
def test_what_cannot_be_set_right_is_told(twins: Twins):
    twins.publish(twins.second, LAX)
    twins.workflow.github.front.fault(r"GET .*/check-runs/\d+$", 404, times=9)
    outcome = twins.publish(twins.first, STRICT, permissions=WRITING)
    assert outcome.exit_code == 1
    assert any("github.refused" in one for one in outcome.notes)


def test_when_github_goes_down_before_the_others_are_set_right_the_job_says_so(twins: Twins):
    twins.publish(twins.second, LAX)
    twins.workflow.github.front.fault(r"GET .*/check-runs/\d+$", 502, times=9)
    outcome = twins.publish(twins.first, fine())
    assert (outcome.exit_code, outcome.check_run_id) == (3, twins.workflow.check(twins.first)["id"])
    assert outcome.error is not None
    assert "github.unavailable" in outcome.error
