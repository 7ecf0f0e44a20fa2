"""Learning in pieces, each in a process of its own."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

from assay.memory_eval import AgentOptions, EvalReport, EvalRunner, ExamUsageError, agent_from
from tests.memory_eval.exams import small_exam

AGENTS = '''
import json, os
from pathlib import Path

class Forgetful:
    """Keeps everything in its process."""
    def __init__(self, storage_path=None):
        self.turns, self.storage_path = [], storage_path
        with open(os.environ["STARTS"], "a") as file: file.write(f"{os.getpid()}\\n")
    def learn(self, content):
        self.turns.append(content)
    def answer(self, question):
        words = set(question.replace("?", " ").lower().split())
        return max(self.turns, key=lambda turn: len(words & set(turn.lower().split())), default="never told")
    def reset(self):
        self.turns = []

class Saving(Forgetful):
    def save(self, path):
        os.mkdir(path)  # a store may be a folder
        Path(path, "turns.json").write_text(json.dumps(self.turns))
    def load(self, path):
        self.turns = json.loads(Path(path, "turns.json").read_text())

class Storing(Forgetful):
    """Has a store of its own."""
    def __init__(self, storage_path):
        super().__init__()
        self.store = Path(storage_path)
        self.turns = self.store.read_text().splitlines() if self.store.exists() else []
    def learn(self, content):
        super().learn(content)
        with self.store.open("a") as file: file.write(content + "\\n")
    def reset(self):
        super().reset()
        self.store.unlink(missing_ok=True)

class Silent(Forgetful):
    def answer(self, question): return "no comment"

class SilentStoring(Silent):
    persistent = True
'''


@pytest.fixture
def run(tmp_path: Path, monkeypatch):
    (tmp_path / "agents.py").write_text(AGENTS)
    monkeypatch.setenv("STARTS", str(tmp_path / "starts"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def examined(name: str, **how) -> EvalReport:
        options = AgentOptions(
            python_path=tmp_path,
            timeout_s=20,
            storage_path=tmp_path / "store" if name == "Storing" else None,
        )
        agent = agent_from(f"python:agents:{name}", options)
        try:
            return EvalRunner(world=small_exam(), **how).run(agent)
        finally:
            agent.close()

    return examined


def num_starts(tmp_path: Path) -> int:
    return len(set((tmp_path / "starts").read_text().splitlines()))


@pytest.mark.parametrize("name", ["Saving", "Storing"])
def test_what_was_learned_in_one_process_is_known_in_the_next(run, tmp_path: Path, name: str):
    report = run(name, segment_size=15)
    assert report.valid
    assert report.overall_score == 1.0
    assert num_starts(tmp_path) == 1 + 1 + 3  # the first, one for the probe, and one after each of 15 + 15 + 10 turns
    assert list(tmp_path.glob("assay-memory-*")) == []


def test_without_segments_there_is_one_process(run, tmp_path: Path):
    assert run("Forgetful").overall_score == 1.0
    assert num_starts(tmp_path) == 1


def test_an_agent_that_would_lose_everything_is_refused(run):
    with pytest.raises(ExamUsageError, match=r"agent\.loses-memory: .*Forgetful.*`save\(path\)`"):
        run("Forgetful", segment_size=15)


def test_a_program_that_would_lose_everything_is_told_what_a_program_can_do(tmp_path: Path):
    (tmp_path / "agent.py").write_text(
        """
import json, sys
told = [""]
for line in sys.stdin:
    message = json.loads(line)
    told = {"learn": lambda: [message["content"]], "reset": lambda: [""]}.get(message["op"], lambda: told)()
    print(json.dumps({"ok": True, "answer": told[0]}), flush=True)
"""
    )
    agent = agent_from("subprocess", AgentOptions(command=(sys.executable, str(tmp_path / "agent.py"))))
    with pytest.raises(ExamUsageError, match=r"agent\.loses-memory"):
        EvalRunner(world=small_exam(), segment_size=20).run(agent)
    agent.close()


@pytest.mark.soak
def test_where_the_probe_cannot_tell_the_agent_has_to_say_so(run):
    with pytest.raises(ExamUsageError, match=r"agent\.no-store"):
        run("Silent", segment_size=15)
    assert run("SilentStoring", segment_size=15).valid


def test_with_a_folder_the_last_save_lies_in_it(run, tmp_path: Path):
    run("Saving", segment_size=15, output_dir=tmp_path / "out")
    assert [path.name for path in sorted((tmp_path / "out").glob("agent-memory*"))] == ["agent-memory-40"]
