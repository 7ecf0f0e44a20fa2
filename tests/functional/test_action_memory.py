"""The workflow that examines a memory, run by act: each exam in a job of its own, joined, compared, and said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.action.memory.baseline import NO_EARLIER_REPORT
from assay.memory_eval import EvalRunner, merge_reports
from assay.memory_eval.adapters.baseline_agent import Retrieving
from tests.fakes.act import Act
from tests.fakes.act_report import ActRun
from tests.fakes.github import FakeGitHub
from tests.functional.action_bed import documented, keeps_secrets
from tests.repositories import RealRepository

pytestmark = pytest.mark.timeout(240)
SECRET = ("secret-1", "secret-2", "secret-3", "secret-4")
PAGE = dict(documented("memory.md"))
SIZES = (
    ("--turns 1000 --questions 200", "--turns 60 --questions 40"),
    (
        "      setup: python -m pip install --target .agent --requirement requirements.txt\n",
        "      setup: mkdir .agent && touch .agent/installed.py\n",
    ),
)
GOOD = """\
import os, re
import installed
from assay.memory_eval.adapters.baseline_agent import Retrieving

HELD = [name for name in os.environ if re.search("TOKEN|SECRET|KEY|GITHUB_OUTPUT|GITHUB_ENV", name)]


class Agent(Retrieving):
    def __init__(self):
        assert not HELD, HELD
        super().__init__("bm25")
"""
WORSE = (
    GOOD
    + """
    def answer(self, question):
        return "Not today."
"""
)


class Lab:
    """A repository with an agent and the documentation's workflow."""

    def __init__(self, folder: Path, github: FakeGitHub, work: RealRepository) -> None:
        self.github, self.work, self.act = github, work, Act(github, folder / "act")
        self.name = github.create_repository("lab")
        workflow = PAGE["assay-memory.yml"]
        for before, after in SIZES:
            assert before in workflow, before
            workflow = workflow.replace(before, after)
        self.become(GOOD, **{".github/workflows/assay-memory.yml": workflow})

    def become(self, agent: str, **files: str) -> None:
        self.work.commit("The agent", {"agent.py": agent, **files})
        self.github.push(self.work, "main", repo=self.name)

    def run(self) -> ActRun:
        return self.act.dispatch("assay-memory.yml", repo=self.name, timeout_s=200)

    def issues(self, state: str = "open") -> list[dict[str, str]]:
        found: list[dict[str, str]] = self.github.get(f"/repos/{self.name}/issues?state={state}&labels=assay:memory")
        return found


@pytest.fixture
def lab(github: FakeGitHub, repository: RealRepository, tmp_path: Path) -> Lab:
    """A repository whose agent's memory is examined."""
    return Lab(tmp_path, github, repository)


@pytest.mark.soak
def test_one_seed_is_examined_and_a_regression_against_the_last_report_opens_an_issue(lab: Lab):
    before = EvalRunner(num_turns=60, num_questions=40, seed=1, grading="deterministic").run(Retrieving("bm25"))
    kept = {"report.json": json.dumps(merge_reports([before]).to_dict())}
    sha = lab.github.get(f"/repos/{lab.name}/branches/main")["commit"]["sha"]
    artifacts = {"assay-memory-report-data": kept}
    lab.github.workflow_run(sha, artifacts, repo=lab.name, event="schedule", head_branch="main", announce=False)
    workflow = (lab.work.path / ".github/workflows/assay-memory.yml").read_text()
    assert "      options: --turns" in workflow
    workflow = workflow.replace("      options: --turns", '      exams: "[1]"\n      options: --turns')
    lab.become(WORSE, **{".github/workflows/assay-memory.yml": workflow})
    run = lab.run()
    assert run.results() == {"memory": "success"}, run.log[-6000:]
    keeps_secrets(run)
    assert run.outputs("memory") == {"regression": "true", "score": "0.0000"}, run.jobs["report"].summary[:600]
    (issue,) = lab.issues()
    assert "worse" in issue["body"]
    assert f"#{issue['number']}" in run.jobs["report"].summary


@pytest.mark.soak
def test_secret_exams_are_held_joined_and_compared_and_a_regression_opens_one_issue(lab: Lab, tmp_path: Path):
    first = lab.run()
    assert first.results() == {"memory": "success"}, first.log[-6000:]
    keeps_secrets(first)
    outputs = first.outputs("memory")
    assert outputs["regression"] == "unknown"
    assert 0 < float(outputs["score"]) < 1
    assert set(first.artifacts) == {
        *(f"assay-memory-{name}{data}" for name in SECRET for data in ("", "-data")),
        "assay-memory-report",
        "assay-memory-report-data",
    }
    report = json.loads(first.artifacts["assay-memory-report-data"]["report.json"])
    assert len(report["results"]) == 160
    assert report["comparable"] is True
    each = {one["seed"] for one in report["measured"]["seeds"]["each"]}
    own = [json.loads(first.artifacts[f"assay-memory-{name}-data"]["report.json"]) for name in SECRET]
    assert each == {one["seed"] for one in own}
    assert len(each) == 4
    assert {"report.html", "report.md", "report.json"} <= set(first.artifacts["assay-memory-report"])
    assert "needle_in_haystack" in first.summary
    assert NO_EARLIER_REPORT in first.summary
    assert lab.issues() == []

    lab.become(WORSE)
    second = lab.run()
    assert second.results() == {"memory": "success"}, second.log[-6000:]
    assert second.outputs("memory")["regression"] == "true", second.jobs["report"].summary[:600]
    (issue,) = lab.issues()
    assert "worse" in issue["body"]

    again = lab.run()
    assert again.outputs("memory")["regression"] == "true"
    assert [one["number"] for one in lab.issues()] == [issue["number"]]

    lab.become(GOOD)
    third = lab.run()
    assert third.outputs("memory")["regression"] == "false"
    assert lab.issues() == []
    assert [one["number"] for one in lab.issues("all")] == [issue["number"]]
    assert lab.github.violations == []


@pytest.mark.soak
def test_an_agent_that_fails_every_call_makes_a_red_run_that_says_why(lab: Lab):
    lab.become(GOOD + "\n    def learn(self, content):\n        raise RuntimeError('no memory today')\n")
    run = lab.run()
    assert run.results() == {"memory": "failure"}
    assert "no memory today" in " ".join(one["message"] for job in run.jobs.values() for one in job.annotations)
    assert run.outputs("memory").get("score") is None
    assert "invalid run" in run.jobs["report"].summary
    assert lab.issues() == []
