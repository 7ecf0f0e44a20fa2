"""The Action where something is wrong: one line says what, and the exit code says whose fault it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.github import FakeGitHub
from tests.functional.action_bed import BETTER, SETTINGS, Shop, at, job
from tests.repositories import RealRepository

pytestmark = pytest.mark.timeout(180)
WRITING = "contents: read, checks: write, pull-requests: write"
QUICK = "tiers: 'quality,risk'"
PUBLISH = "mode: publish"


@pytest.fixture
def shop(github: FakeGitHub, repository: RealRepository, tmp_path: Path) -> Shop:
    return at(tmp_path, github, repository)


def one_job(*more: str) -> str:
    given = [QUICK, *more] if any(one.startswith("mode:") for one in more) else [QUICK, PUBLISH, *more]
    return job(f"uses: assay-dev/assay@v1\nid: assay\nwith: {{{', '.join(given)}}}", permissions=WRITING)


@pytest.mark.soak
def test_a_configuration_that_is_wrong_is_a_verdict_with_file_and_line(shop: Shop):
    shop.begin(assay_yml=SETTINGS + "tier4: true\n")
    number = shop.pull(BETTER)
    run = shop.validate(number, one_job())
    assert run.results() == {"one": "failure"}
    assert run.jobs["one"].steps["assay"].exit_code == 2
    line = len(SETTINGS.splitlines()) + 1
    assert f".github/assay.yml:{line}" in run.summary
    check = shop.check(number)
    assert check["conclusion"] == "action_required"
    assert f".github/assay.yml:{line}" in check["output"]["summary"] + check["output"]["text"]


@pytest.mark.parametrize(
    ("given", "line"),
    [
        pytest.param(
            "fail-on: maybe", "input fail-on: 'maybe' is not one of failure, hold, never", marks=pytest.mark.soak
        ),
        pytest.param(
            "mode: memory-x",
            "input mode: 'memory-x' is not one of validate, tools, publish",
            marks=pytest.mark.soak,
        ),
        ("base: no-such-branch", "input base: 'no-such-branch' does not name a commit of acme/shop"),
    ],
)
def test_a_wrong_input_is_one_line_and_nothing_is_published(shop: Shop, given: str, line: str):
    shop.begin()
    number = shop.pull(BETTER)
    run = shop.validate(number, one_job(given))
    assert run.results() == {"one": "failure"}
    assert run.jobs["one"].steps["assay"].exit_code == 2
    assert line in run.jobs["one"].log
    assert line in run.summary
    assert [one["level"] for one in run.jobs["one"].annotations] == ["error"]
    assert line in run.jobs["one"].annotations[0]["message"]
    assert shop.checks(number) == []
    assert "Traceback" not in run.log


@pytest.mark.soak
def test_a_github_that_is_down_is_not_the_changes_fault(shop: Shop):
    shop.begin()
    number = shop.pull(BETTER)
    shop.github.front.fault(r"/repos/acme/shop", 503, times=float("inf"))
    run = shop.validate(number, one_job())
    assert run.results() == {"one": "failure"}
    assert run.jobs["one"].steps["assay"].exit_code == 3
    assert shop.checks(number) == []
    assert "Traceback" not in run.log


@pytest.mark.soak
def test_a_base_that_is_gone_is_not_the_changes_fault(shop: Shop):
    shop.begin()
    number = shop.pull(BETTER)
    payload = shop.github.delivery("pull_request", "opened").payload
    payload["pull_request"]["base"]["sha"] = "12" * 20
    run = shop.validate(number, one_job())
    assert run.results() == {"one": "failure"}
    assert run.jobs["one"].steps["assay"].exit_code == 3
    assert "git.remote-refused" in run.summary
    assert "Traceback" not in run.log
