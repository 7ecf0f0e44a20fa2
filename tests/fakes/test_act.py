"""The runner of workflows: what it fills in of GitHub is as GitHub has it, and its stand-ins do as they say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fakes.act import Act
from tests.fakes.act_workflows import JobNeeds, StartupFailure, Workflows
from tests.fakes.conftest import Shop
from tests.fakes.front.mirror import git
from tests.fakes.github import FakeGitHub

NOTHING = JobNeeds({"github.token": "none"})
TOY = """
name: Toy
on: pull_request
permissions: {}
jobs:
  first:
    runs-on: ubuntu-latest
    permissions: {contents: read, id-token: write}
    outputs: {sha: "${{ steps.out.outputs.commit }}"}
    steps:
      - id: out
        uses: actions/checkout@v7
        with: {path: here, persist-credentials: false}
      - run: |
          cat here/new.py; mkdir deep; echo one > deep/one.txt; echo two > deep/.two
          echo "number ${{ github.event.number }} of ${{ github.repository_id }} at $GITHUB_API_URL"
          echo "asks ${ACTIONS_ID_TOKEN_REQUEST_URL%%\\?*}"
          echo "::error file=app.py,line=3,title=No::it%0Afails"
          echo "# Said" >> "$GITHUB_STEP_SUMMARY"
          curl -s --noproxy '*' -o /dev/null -w 'comment %{http_code}\\n' -d '{"body": "hello"}' \\
            -H "Authorization: Bearer ${{ github.token }}" "$GITHUB_API_URL/repos/acme/shop/issues/1/comments"
      - uses: actions/upload-artifact@v7
        with: {name: kept, path: deep}
  second:
    needs: first
    runs-on: ubuntu-latest
    permissions: {pull-requests: write}
    steps:
      - run: |
          curl -s --noproxy '*' -o /dev/null -w 'comment %{http_code}\\n' -d '{"body": "hello"}' \\
            -H "Authorization: Bearer ${{ github.token }}" "$GITHUB_API_URL/repos/acme/shop/issues/1/comments"
          echo "asks ${ACTIONS_ID_TOKEN_REQUEST_URL:-nobody}"
          exit 1
"""


@pytest.fixture
def shop_act(shop: Shop, tmp_path: Path) -> Act:
    return Act(shop.github, tmp_path / "act")


@pytest.mark.soak
def test_jobs_run_with_the_rights_their_workflow_gives_them(shop: Shop, shop_act: Act):
    run = shop_act.pull(shop.number, TOY)
    first, second = run.jobs["first"], run.jobs["second"]
    assert (run.exit_code, first.result, second.result) == (1, "success", "failure")
    assert run.results() == {"first": "success", "second": "failure"}
    assert "x = 1\n" in first.log
    assert f"number 1 of {shop.github.repository_id()} at {shop.github.url}\n" in first.log
    assert "comment 403\n" in first.log
    assert "comment 201\n" in second.log
    assert [each["user"]["login"] for each in shop.github.comments(1)] == ["github-actions[bot]"]
    assert f"asks {shop.github.url}/_services/token/request\n" in first.log
    assert "asks nobody\n" in second.log
    assert first.annotations == [
        {"level": "error", "message": "it\nfails", "file": "app.py", "line": "3", "title": "No"}
    ]
    assert run.summary == "# Said\n"
    assert run.artifacts == {"kept": {"one.txt": b"one\n"}}
    merge = git(shop.github.bare(), "rev-parse", "refs/pull/1/merge").decode().strip()
    assert run.outputs("first")["sha"] == merge
    shown = {each["name"]: each["conclusion"] for each in shop.github.check_runs(shop.head)}
    assert shown == {"first": "success", "second": "failure"}
    assert run.payload["workflow_run"]["conclusion"] == "failure"


@pytest.mark.small
def test_a_fork_gets_no_right_to_write_and_no_identity(github: FakeGitHub, shop: Shop, shop_act: Act):
    fork = github.fork("mallory")
    shop.work.branch("theirs")
    shop.work.commit("Theirs", {"theirs.py": "y = 1\n"})
    github.push(shop.work, "theirs", repo=fork)
    number = github.open_pull("theirs", by="mallory", from_fork=fork)
    run = shop_act.pull(number, TOY)
    assert "comment 403\n" in run.jobs["second"].log
    assert "asks \n" in run.jobs["first"].log
    assert run.payload["workflow_run"]["head_repository"]["full_name"] == fork


@pytest.mark.soak
def test_a_name_of_an_artifact_is_taken_once_in_an_attempt(shop: Shop, shop_act: Act):
    keep = """
      - run: date > one.txt
      - uses: actions/upload-artifact@v7
        with: {name: kept, path: one.txt}
"""
    text = f"on: pull_request\njobs:\n  twice:\n    runs-on: ubuntu-latest\n    steps:{keep}{keep}"
    run = shop_act.pull(shop.number, text)
    assert run.results() == {"twice": "failure"}
    assert "409" in run.jobs["twice"].log + run.log
    once = text.replace(keep + keep, keep)
    again = shop_act.pull(shop.number, once, again=run.run_id)
    assert again.results() == {"twice": "success"}
    listed = shop.github.get(f"/repos/acme/shop/actions/runs/{run.run_id}/artifacts")["artifacts"]
    assert [each["name"] for each in listed] == ["kept", "kept"]
    assert shop.github.get(f"/repos/acme/shop/actions/runs/{run.run_id}")["run_attempt"] == 2


def test_what_runs_too_long_is_ended_with_all_it_started(shop: Shop, shop_act: Act, tmp_path: Path):
    steps = f"      - run: (sleep 3; date > {tmp_path}/late) & sleep 60"
    text = f"on: pull_request\njobs:\n  one:\n    runs-on: ubuntu-latest\n    steps:\n{steps}\n"
    with pytest.raises(AssertionError, match="act was not done in 1 s"):
        shop_act.pull(shop.number, text, timeout_s=1)
    assert not (tmp_path / "late").exists()


def called(permissions: str) -> str:
    return json.dumps(
        {"on": {"workflow_call": {"inputs": {"tiers": {"type": "string"}}}},
         "jobs": {"inner": {"permissions": json.loads(permissions), "runs-on": "x", "steps": []}}}
    )  # fmt: skip


@pytest.mark.parametrize(
    ("granted", "wanted", "words"),
    [
        (
            '{"contents": "read"}',
            '{"checks": "write"}',
            "requesting 'checks: write', but is only allowed 'checks: none'",
        ),
        ('{"checks": "read"}', '{"checks": "write"}', "only allowed 'checks: read'"),
        ('{"checks": "write"}', '{"checks": "read"}', None),
    ],
)
def test_a_called_workflow_may_not_want_more_than_its_caller_has(granted: str, wanted: str, words: str | None):
    caller = json.dumps(
        {
            "on": "push",
            "jobs": {"outer": {"permissions": json.loads(granted), "uses": "a/b/.github/workflows/c.yml@v1"}},
        }
    )
    workflows = Workflows(
        "a/b/.github/workflows/main.yml@x", lambda *_: called(wanted), lambda *_: NOTHING, lambda _: None, {}
    )
    if words is None:
        workflows.prepare(caller)
        assert set(workflows.files) == {"main.yml", "called-outer-c.yml"}
    else:
        with pytest.raises(StartupFailure, match=words):
            workflows.prepare(caller)
