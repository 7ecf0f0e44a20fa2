"""How long the Action takes on a small pull request, from the first step of the job to the last, installation included.

The packages come from the cache, as in every run but the first. The repository's own commands are not the Action's.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.act import Act
from tests.fakes.act_report import ActRun, JobRun
from tests.fakes.github import FakeGitHub
from tests.functional.action_bed import BETTER, SETTINGS, Shop, job, report_of
from tests.repositories import RealRepository

pytestmark = [pytest.mark.bench, pytest.mark.timeout(1200)]
MOST_S = 20.0
ONE_JOB = job(
    "uses: actions/checkout@v7\nwith: {ref: '${{ github.event.pull_request.head.sha }}', fetch-depth: 0}",
    "uses: assay-dev/assay@v1\nid: assay",
    permissions="contents: read, checks: write, pull-requests: write",
)
WITH_ALL_SCANNERS = SETTINGS.replace("  scanners: {semgrep: false}\n", "")


def test_a_small_pull_request_takes_the_action_less_than_20_seconds(
    github: FakeGitHub, repository: RealRepository, tmp_path: Path
):
    """One online run fills the cache; what is measured has no network."""
    shop = Shop(github, repository, Act(github, tmp_path / "act", installed=False))
    shop.begin(assay_yml=WITH_ALL_SCANNERS)
    number = shop.pull(BETTER)
    shop.act.online = True
    first = shop.judge(number, ONE_JOB, timeout_s=600)
    assert first.results() == {"one": "success"}, first.log[-5000:]
    shop.act.online = False
    warm = shop.judge(number, ONE_JOB, again=first.run_id)
    assert warm.results() == {"one": "success"}, warm.log[-5000:]
    assert warm.jobs["one"].steps["assay/cache"].outputs["cache-hit"] == "true"
    assert "installed from the cache" in warm.jobs["one"].log

    own_s = sum(each["duration_s"] or 0 for each in report_of(warm)["tiers"]["tools"]["runs"] if each["kind"] == "test")
    print(f"\nthe first run, without a cache:\n{table(first.jobs['one'])}")
    print(f"\nwith a warm cache:\n{table(warm.jobs['one'])}")
    action_s = seconds_of(warm, "assay") - own_s
    print(
        f"\nthe Action {action_s:.1f} s, the repository's own commands {own_s:.1f} s, all of act {warm.seconds:.1f} s"
    )
    assert action_s < MOST_S


def seconds_of(run: ActRun, step: str) -> float:
    return run.jobs["one"].steps[step].seconds


def table(of: JobRun) -> str:
    """A line for every step that took its time."""
    return "\n".join(f"{one.seconds:7.2f} s  {one.id}" for one in of.steps.values() if one.seconds > 0.005)
