"""Pull requests from forks: a first stage that may only read, and a second one that trusts nothing of it."""

from __future__ import annotations

import pytest

from assay.action.output.publishing import READ_ONLY_JOB
from tests.functional.action_bed import BETTER, BROKEN, LOUD, Shop, keeps_secrets, report_of

pytestmark = pytest.mark.timeout(180)
UNTRUSTED = "untrusted run"


@pytest.mark.soak
def test_a_fork_is_told_by_its_own_run_and_judged_by_the_second(shop: Shop):
    fork = shop.github.fork("mallory", repo=shop.name)
    number = shop.pull(BETTER, by="mallory", fork=fork)
    first = shop.validate(number)
    assert first.results() == {"assay": "success"}, first.log[-5000:]
    assert shop.writes() == [f"POST /repos/{shop.name}/check-runs"], "one was tried, and refused"
    assert [one.status for one in shop.github.requests if one.method == "POST" and "check-runs" in one.path] == [403]
    assert shop.checks(number) == []
    assert shop.risk(number) == []
    assert READ_ONLY_JOB in first.summary
    assert report_of(first)["head"]["sha"] == shop.heads[number]
    assert "assay-tools" in first.artifacts

    second = shop.act.second_stage(first, "assay-report.yml")
    assert second.results() == {"report": "success"}, second.log[-5000:]
    check = shop.check(number)
    assert check["conclusion"] == "action_required", "an untrusted run's pass is no test result"
    assert check["external_id"] == f"assay-action:{number}:{shop.heads[number]}"
    text = check["output"]["summary"] + check["output"]["text"]
    assert "1 passed" in text
    assert UNTRUSTED in text
    assert shop.risk(number) == ["risk:low"]
    assert second.outputs("report") == {"conclusion": "action_required", "risk-level": "low"}
    keeps_secrets(first)
    keeps_secrets(second)


@pytest.mark.soak
def test_what_a_fork_breaks_fails_in_both_stages(shop: Shop):
    fork = shop.github.fork("mallory", repo=shop.name)
    number = shop.pull(BROKEN | {"loud.py": LOUD["shop.py"]}, by="mallory", fork=fork)
    first = shop.validate(number)
    assert first.results() == {"assay": "failure"}
    levels = [(one["level"], one.get("file")) for one in first.jobs["publish"].annotations]
    assert ("error", "loud.py") in levels
    assert len(levels) <= 30
    assert "Say nothing to the terminal" in first.summary

    second = shop.act.second_stage(first, "assay-report.yml")
    # The verdict stands on the pull request; this run belongs to the default branch.
    assert second.results() == {"report": "success"}
    check = shop.check(number)
    assert check["conclusion"] == "failure"
    assert "1 failed" in check["output"]["summary"] + check["output"]["text"]
    assert shop.risk(number) == ["risk:low"]
    assert len(shop.comments(number)) == 1


@pytest.mark.soak
def test_the_second_stage_leaves_alone_what_a_branch_of_the_repository_said_itself(shop: Shop):
    number = shop.pull(BETTER)
    first = shop.validate(number)
    before = shop.check(number)["updates"]
    second = shop.act.second_stage(first, "assay-report.yml")
    assert second.results() == {"report": "skipped"}
    assert shop.check(number)["updates"] == before
