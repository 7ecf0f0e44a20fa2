"""The workflow that watches a production memory, run by act: a real memory server's file, damaged and restored."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.fakes.act import Act
from tests.fakes.act_report import ActRun
from tests.fakes.github import FakeGitHub
from tests.functional.action_bed import documented, keeps_secrets
from tests.memory_eval.adapters.snapshots.memory_server import remember
from tests.memory_eval.adapters.snapshots.test_generators import PACKAGES, interpreter
from tests.memory_eval.drift.test_drifting import PEOPLE, TEXTS
from tests.repositories import RealRepository

pytestmark = pytest.mark.timeout(300)
FILE = "assay-production-memory.yml"
WORKFLOW = dict(documented("memory.md"))[FILE]
MEMORY = "memory/memory.jsonl"
SECRET = "The deploy token is ghp_abcdefghijklmnop1234567890."


def test_the_workflow_has_ten_lines_and_both_pages_show_the_same():
    text = (ROOT / "docs/memory/production.md").read_text()
    assert len(WORKFLOW.splitlines()) <= 10
    assert dict(documented("../memory/production.md")) == {FILE: WORKFLOW}, text[:200]


class Lab:
    """A repository with a memory that the memory server itself writes, and the documentation's workflow."""

    def __init__(self, folder: Path, github: FakeGitHub, work: RealRepository) -> None:
        self.github, self.work, self.act = github, work, Act(github, folder / "act")
        self.name = github.create_repository("lab")
        self.memory = folder / "memory.jsonl"
        entities = [
            {
                "name": name,
                "entityType": "person",
                "observations": [f"phone extension {4000 + 17 * place}", f"sits in room B-{100 + place}"],
            }
            for place, name in enumerate(PEOPLE)
        ]
        remember(self.memory, [("create_entities", {"entities": entities})])
        self.push({f".github/workflows/{FILE}": WORKFLOW})

    def push(self, files: dict[str, str] | None = None) -> None:
        self.work.commit("The memory", {MEMORY: self.memory.read_text(), **(files or {})})
        self.github.push(self.work, "main", repo=self.name)

    def run(self, **more: Any) -> ActRun:
        run = self.act.dispatch(FILE, repo=self.name, timeout_s=200, **more)
        keeps_secrets(run)
        return run

    def issues(self, state: str = "open") -> list[dict[str, str]]:
        found: list[dict[str, str]] = self.github.get(f"/repos/{self.name}/issues?state={state}&labels=assay:memory")
        return found


@pytest.fixture
def lab(github: FakeGitHub, repository: RealRepository, tmp_path: Path) -> Lab:
    """A repository with a production memory."""
    return Lab(tmp_path, github, repository)


@pytest.mark.soak
def test_a_memory_is_good_then_damaged_then_restored(lab: Lab):
    first = lab.run()
    assert first.results() == {"memory": "success"}, first.log[-6000:]
    assert first.outputs("memory")["regression"] == "unknown"
    assert set(first.artifacts) == {
        *("assay-memory-record", "assay-memory-record-data"),
        *("assay-memory-changes", "assay-memory-changes-data"),
    }
    kept = json.loads(first.artifacts["assay-memory-changes-data"]["report.json"])
    assert (kept["record"]["format"], kept["record"]["states"]["live"]) == ("mcp_memory", 40)
    everything = b"".join(content for files in first.artifacts.values() for content in files.values())
    assert b"Lund" not in everything
    assert b"Lund" not in first.summary.encode()

    whole = lab.memory.read_text()
    people = [{"name": "Fay Holm", "entityType": "person", "observations": ["sits in room B-190"]}]
    remember(lab.memory, [("create_entities", {"entities": people})])
    lab.push()
    second = lab.run()
    assert second.outputs("memory") == {"regression": "false", "score": "1.0000"}, second.jobs["report"].summary
    assert lab.issues() == []

    remember(lab.memory, [("delete_entities", {"entityNames": PEOPLE[:4]})])
    lab.push()
    third = lab.run()
    assert third.outputs("memory")["regression"] == "true", third.jobs["report"].summary
    (issue,) = lab.issues()
    assert "entries gone" in issue["body"]
    assert f"#{issue['number']}" in third.jobs["report"].summary

    again = lab.run()
    assert again.outputs("memory")["regression"] == "true"
    assert [one["number"] for one in lab.issues()] == [issue["number"]]

    lab.memory.write_text(whole)
    lab.push()
    restored = lab.run()
    assert restored.outputs("memory")["regression"] == "false", restored.jobs["report"].summary
    assert lab.issues() == []
    assert [one["number"] for one in lab.issues("all")] == [issue["number"]]
    assert lab.github.violations == []


@pytest.mark.soak
def test_what_has_to_be_forgotten_and_the_key_of_the_record(lab: Lab):
    workflow = WORKFLOW.replace(
        "with: { snapshot: memory/memory.jsonl }",
        "with: { snapshot: memory/memory.jsonl, options: --forget forget.txt }\n"
        "    secrets: { memory-key: '${{ secrets.MEMORY_KEY }}' }",
    )
    observed = {"observations": [{"entityName": PEOPLE[0], "contents": [SECRET]}]}
    remember(lab.memory, [("add_observations", observed)])
    lab.push({f".github/workflows/{FILE}": workflow, "forget.txt": f"{SECRET}\n"})
    run = lab.run(secrets={"MEMORY_KEY": "only-the-owner-knows"})
    assert run.outputs("memory")["regression"] == "true", run.log[-4000:]
    (issue,) = lab.issues()
    assert "not forgotten" in issue["body"]
    record = json.loads(run.artifacts["assay-memory-changes-data"]["report.json"])["record"]
    assert record["salt"] == ""
    kept = b"".join(content for files in run.artifacts.values() for content in files.values())
    assert b"only-the-owner-knows" not in kept
    assert b"ghp_" not in kept + run.log.encode()


@pytest.mark.soak
def test_a_memory_that_an_earlier_job_of_the_run_exported(lab: Lab):
    exporting = """jobs:
  export:
    runs-on: ubuntu-latest
    permissions: { contents: read }
    steps:
      - uses: actions/checkout@v7
      - uses: actions/upload-artifact@v7
        with: { name: assay-memory-snapshot, path: memory }
"""
    workflow = WORKFLOW.replace("jobs:\n", exporting).replace("name: memory\n", "name: memory\n    needs: export\n")
    lab.push({f".github/workflows/{FILE}": workflow.replace("memory/memory.jsonl", "memory.jsonl")})
    run = lab.run()
    assert run.outputs("memory")["regression"] == "unknown", run.log[-4000:]
    record = json.loads(run.artifacts["assay-memory-changes-data"]["report.json"])["record"]
    assert (record["format"], record["states"]["live"]) == ("mcp_memory", 40)


@pytest.mark.soak
def test_a_memory_that_cannot_be_read_makes_a_red_run_that_says_why(lab: Lab):
    lab.memory.write_bytes(b"\x80\x04 a pickle")
    lab.work.path.joinpath(MEMORY).write_bytes(lab.memory.read_bytes())
    lab.work.commit("Damaged", {"memory/README.md": "x"})
    lab.github.push(lab.work, "main", repo=lab.name)
    run = lab.run()
    assert run.results() == {"memory": "failure"}
    assert lab.issues() == []


@pytest.mark.soak
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("system", ["mem0", "chroma"])
def test_a_store_of_a_real_system_is_good_then_damaged_then_restored(lab: Lab, system: str, tmp_path: Path):
    steps = [("add", f"m{place}", text) for place, text in enumerate(TEXTS)]
    steps.append(("snapshot", "", str(tmp_path / "good")))
    steps += [("add", "more", "The lease of Cy Orr ends on 3 May 2029."), ("snapshot", "", str(tmp_path / "grown"))]
    steps += [("lose", f"m{place}", "") for place in range(4)] + [("snapshot", "", str(tmp_path / "damaged"))]
    steps += [("undelete", f"m{place}", TEXTS[place]) for place in range(4)]
    steps.append(("snapshot", "", str(tmp_path / "restored")))
    command = [interpreter(tmp_path, PACKAGES[system]), "-m", "tests.memory_eval.drift.real_stores", system]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    subprocess.run(
        [*command, str(tmp_path / "store")], input=json.dumps(steps), text=True, check=True, timeout=300, cwd=ROOT,
        env=environment,
    )  # fmt: skip
    workflow = WORKFLOW.replace("memory/memory.jsonl", f"memory/{system}")
    seen = []
    for state in ("good", "grown", "damaged", "restored"):
        target = lab.work.path / "memory" / system
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(tmp_path / state, target)
        lab.push({f".github/workflows/{FILE}": workflow, "state.txt": state})
        run = lab.run()
        assert run.results() == {"memory": "success"}, run.log[-6000:]
        seen.append((run.outputs("memory")["regression"], len(lab.issues())))
    print(f"\n{system}: {seen}")
    assert seen == [("unknown", 0), ("false", 0), ("true", 1), ("false", 0)]
