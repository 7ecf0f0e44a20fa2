"""The Action on a repository's own pull requests: its workflow is run for real, and GitHub asked what stands there."""

from __future__ import annotations

import json
import re

import pytest

from tests.conftest import ROOT
from tests.fakes.act_run import ASSAY_REPOSITORY
from tests.functional.action_bed import BETTER, BROKEN, LOUD, Shop, job, keeps_secrets, report_of

pytestmark = pytest.mark.timeout(180)
BROKEN_AND_LOUD = {"shop.py": LOUD["shop.py"].replace("n + 1", "n - 1")}


def test_a_pull_request_gets_what_the_app_would_give_it(shop: Shop):
    number = shop.pull(BETTER)
    run = shop.validate(number)
    assert run.results() == {"assay": "success"}, run.log[-5000:]
    check = shop.check(number)
    assert (check["conclusion"], check["status"]) == ("success", "completed")
    assert check["app"]["slug"] == "github-actions"
    assert check["external_id"] == f"assay-action:{number}:{shop.heads[number]}"
    assert "1 passed" in check["output"]["summary"] + check["output"]["text"]
    assert shop.risk(number) == ["risk:low"]
    assert shop.comments(number) == []
    outputs = run.outputs("assay")
    assert outputs["conclusion"] == "success"
    assert outputs["risk-level"] == "low"
    assert (outputs["blocking"], outputs["findings"]) == ("0", "1"), "source changed and no test did"
    assert outputs["title"] == check["output"]["title"]
    assert outputs["check-url"].endswith(f"/{check['id']}")
    report = report_of(run)
    assert report["head"]["sha"] == shop.heads[number]
    assert json.loads(run.artifacts["assay-report"]["report.sarif"])["version"] == "2.1.0"
    assert check["output"]["title"] in run.jobs["publish"].summary
    keeps_secrets(run)


@pytest.mark.soak
def test_the_five_lines_of_the_readme_are_enough(shop: Shop):
    (text,) = re.findall(r"^```yaml\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    number = shop.pull(BETTER)
    run = shop.act.pull(number, text.replace("OWNER/assay", ASSAY_REPOSITORY), repo=shop.name)
    assert run.results() == {"assay": "success"}, run.log[-5000:]
    assert shop.check(number)["conclusion"] == "success"
    assert shop.risk(number) == ["risk:low"]


@pytest.mark.soak
def test_what_blocks_is_said_where_the_author_sees_it(shop: Shop):
    _blocked(shop, shop.pull(BROKEN_AND_LOUD))


@pytest.mark.soak
def test_a_run_again_adds_nothing(shop: Shop):
    number = shop.pull(BROKEN_AND_LOUD)
    run, check, comment = _blocked(shop, number)
    again = shop.validate(number, again=run.run_id)
    after = shop.check(number)
    assert again.results() == {"assay": "failure"}
    assert (after["id"], after["external_id"]) == (check["id"], check["external_id"])
    assert [(one["path"], one["start_line"]) for one in after["annotations"]] == [("shop.py", 2), ("test_shop.py", 5)]
    assert shop.comments(number) == [comment]
    assert len(shop.github.reviews(number, repo=shop.name)) == 1
    assert len(shop.risk(number)) == 1
    assert again.outputs("assay")["check-url"] == run.outputs("assay")["check-url"]


def _blocked(shop: Shop, number: int):
    """Validate a change that breaks a test and a rule; return its run, check and comment, each as it should be."""
    run = shop.validate(number)
    assert run.results() == {"assay": "failure"}
    assert (run.jobs["tools"].result, run.jobs["publish"].result) == ("success", "failure")
    assert "1 failed" in run.jobs["tools"].summary
    check = shop.check(number)
    assert check["conclusion"] == "failure"
    assert "1 failed" in check["output"]["summary"] + check["output"]["text"]
    assert [(one["path"], one["start_line"]) for one in check["annotations"]] == [("shop.py", 2), ("test_shop.py", 5)]
    (comment,) = shop.comments(number)
    assert "Say nothing to the terminal" in comment
    (review,) = shop.github.reviews(number)
    assert [(one["path"], one["line"]) for one in review["comments"]] == [("shop.py", 2)]
    assert run.outputs("assay")["conclusion"] == "failure"
    assert run.outputs("assay")["blocking"] == "2"
    return run, check, comment


@pytest.mark.soak
def test_a_run_that_nobody_wants_to_fail_says_so_in_its_check_alone(shop: Shop):
    number = shop.pull(BROKEN)
    never = shop.act.pull(number, CALLER_NEVER, repo=shop.name)
    assert never.results() == {"assay": "success"}
    assert shop.check(number)["conclusion"] == "failure"
    assert never.outputs("assay")["conclusion"] == "failure"


CALLER_NEVER = """
on: pull_request
jobs:
  assay:
    uses: assay-dev/assay/.github/workflows/validate.yml@v1
    permissions: {contents: read, checks: write, pull-requests: write, actions: read}
    with: {fail-on: never}
"""


@pytest.mark.soak
def test_a_new_head_gets_a_check_of_its_own_and_the_old_one_keeps_his(shop: Shop):
    number = shop.pull(LOUD)
    shop.validate(number)
    old = shop.heads[number]
    shop.heads[number] = shop.work.commit("Quiet", BETTER)
    shop.github.push(shop.work, "change", repo=shop.name)
    shop.github.delivery("pull_request", "synchronize")
    run = shop.validate(number)
    assert run.results() == {"assay": "success"}
    assert (shop.check(old)["conclusion"], shop.check(number)["conclusion"]) == ("failure", "success")
    (comment,) = shop.comments(number)
    assert "Resolved" in comment


@pytest.mark.soak
def test_one_job_does_it_all_on_a_checkout(shop: Shop):
    number = shop.pull(BETTER)
    run = shop.act.pull(
        number,
        job(
            "uses: actions/checkout@v7\nwith: {ref: '${{ github.event.pull_request.head.sha }}', fetch-depth: 0}",
            "uses: assay-dev/assay@v1\nid: assay",
            permissions="contents: read, checks: write, pull-requests: write",
        ),
        repo=shop.name,
    )
    assert run.results() == {"one": "success"}, run.log[-5000:]
    check = shop.check(number)
    assert check["conclusion"] == "success"
    assert "1 passed" in check["output"]["summary"] + check["output"]["text"]
    assert shop.risk(number) == ["risk:low"]
    assert run.outputs("one") == {"conclusion": "success"}
    assert set(run.artifacts) == {"assay-report"}
