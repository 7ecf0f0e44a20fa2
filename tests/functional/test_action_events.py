"""What is no pull request: pushes, merge groups, runs started by hand. They get their Check Run and nothing else."""

from __future__ import annotations

import pytest

from tests.functional.action_bed import BETTER, LOUD, Shop, job

pytestmark = pytest.mark.timeout(180)
RIGHTS = "contents: read, checks: write"


@pytest.mark.soak
def test_a_push_to_main_is_validated_from_what_was_there_before(shop: Shop):
    head = shop.work.commit("Loud", LOUD)
    shop.github.push(shop.work, "main", repo=shop.name)
    action = "uses: assay-dev/assay@v1\nid: assay\nwith: {mode: publish, tiers: 'quality,risk'}"
    run = shop.act.push("main", job(action, on="push", permissions=RIGHTS), repo=shop.name)
    assert run.results() == {"one": "failure"}, run.log[-5000:]
    check = shop.check(head)
    assert check["conclusion"] == "failure"
    assert [(one["path"], one["start_line"]) for one in check["annotations"]] == [("shop.py", 2)]
    assert shop.writes() == [f"POST /repos/{shop.name}/check-runs"]


@pytest.mark.soak
def test_a_merge_group_gets_its_check_through_the_same_workflow(shop: Shop):
    number = shop.pull(BETTER)
    group = shop.github.enqueue(number, repo=shop.name)
    run = shop.act.group("assay.yml", repo=shop.name)
    assert run.results() == {"assay": "success"}, run.log[-5000:]
    check = shop.check(group)
    assert check["conclusion"] == "success"
    assert "1 passed" in check["output"]["summary"] + check["output"]["text"]
    assert shop.risk(number) == []


@pytest.mark.soak
def test_a_new_title_is_not_validated_and_another_base_branch_is(shop: Shop):
    shop.work.branch("lax", "main")
    shop.work.commit("Ask for less", {".github/assay.yml": "mode: advisory\ntier1: {enabled: false}\n"})
    shop.github.push(shop.work, "lax", repo=shop.name)
    number = shop.pull(LOUD)

    shop.github.edit_pull(number, repo=shop.name, title="Another")
    shop.github.delivery("pull_request", "edited")
    assert shop.validate(number, action="edited").results() == {"assay": "skipped"}
    assert shop.checks(number) == []
    shop.github.edit_pull(number, repo=shop.name, base="lax")
    # Of this the emulator says nothing by itself.
    shop.github._announce_pull("edited", shop.name, number, "ada", changes={"base": {"ref": {"from": "main"}}})
    assert shop.validate(number, action="edited").results() == {"assay": "success"}
    assert shop.check(number)["conclusion"] == "success"


@pytest.mark.soak
def test_a_run_by_hand_validates_between_the_revisions_it_is_given(shop: Shop):
    number = shop.pull(LOUD)
    action = """
uses: assay-dev/assay@v1
id: assay
with:
  mode: publish
  tiers: quality,risk
  base: ${{ github.event.inputs.base }}
  head: ${{ github.event.inputs.head }}
"""
    text = job(action, on="workflow_dispatch", permissions=RIGHTS)
    run = shop.act.dispatch(text, {"base": "main", "head": "change"}, repo=shop.name)
    assert run.results() == {"one": "failure"}, run.log[-5000:]
    assert shop.check(number)["conclusion"] == "failure"
    assert shop.risk(number) == []
    assert shop.comments(number) == []
