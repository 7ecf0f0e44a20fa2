"""A store in the agent's process: its own search, Assay's reader, and what the report says of both."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assay.cli.main import run
from assay.memory_eval import (
    AgentCallFailed,
    AgentFailed,
    AgentOptions,
    AgentResponse,
    EvalRunner,
    ExamUsageError,
    agent_from,
    read_report,
)
from assay.memory_eval.adapters.live.store import MARK
from tests.memory_eval.exams import small_exam

LIBRARY = """
import json
from assay.memory_eval.adapters.live.store import Store, found

class Listing(Store):
    package, embedder = "pytest", "none"
    def open(self):
        self.file = self.folder / "turns.json"
        self.turns = json.loads(self.file.read_text()) if self.file.exists() else []
    def remember(self, turn):
        self.turns.append([self.next_number(), turn])
        self.file.write_text(json.dumps(self.turns))
    def search(self, question, k):
        return [found(text, number) for number, text in self.turns[:k]]

class Unordered:
    def remember(self, turn): pass
    def search(self, question, k):
        return ["Ada Lund is allergic to eggs.", "Ada Lund is allergic to milk."]

class Odd(Unordered):
    def search(self, question, k):
        return None

class Half:
    def remember(self, turn): pass
"""
STUB = """
class LearningAgent:
    def __init__(self, agent_name, model, storage_path, use_hierarchical):
        assert (agent_name, model, use_hierarchical) == ("assay", "claude-x", True)
        storage_path.mkdir(exist_ok=True)
        self.file = storage_path / "facts.txt"
    def learn_from_content(self, content):
        with self.file.open("a") as file: file.write(content + "\\n")
        return {"facts_extracted": 1}
    def answer_question(self, question):
        words = set(question.rstrip("?.").split())
        facts = self.file.read_text().splitlines() if self.file.exists() else ["nothing"]
        return max(facts, key=lambda fact: len(words & set(fact.split()))), "trace"
    def close(self): pass
"""


@pytest.fixture
def options(tmp_path: Path) -> AgentOptions:
    (tmp_path / "stores.py").write_text(LIBRARY)
    return AgentOptions(python_path=tmp_path)


def asked(name: str, options: AgentOptions, turns: Sequence[str] = ()) -> AgentResponse:
    agent = agent_from(name, options)
    try:
        for turn in turns:
            agent.learn(turn)
        answer = agent.answer("What is Ada Lund allergic to?")
        assert isinstance(answer, AgentResponse)
        return answer
    finally:
        agent.close()


def test_the_reader_takes_the_turn_with_the_larger_number_as_newer(options: AgentOptions, tmp_path: Path):
    turns = [f"Ada Lund is allergic to {thing}." for thing in ("peanuts", "milk", "eggs")]
    assert "eggs" in asked("store:stores:Listing", replace(options, storage_path=tmp_path / "kept"), turns).answer


def test_without_numbers_the_best_entry_counts_as_the_newest(options: AgentOptions):
    found = asked("store:stores:Unordered", options)
    assert "eggs" in found.answer
    assert found.context_tokens == 8 + 8


def test_a_store_outlives_its_process_and_names_its_version(options: AgentOptions, tmp_path: Path):
    place = tmp_path / "kept"
    agent = agent_from("store:stores:Listing", AgentOptions(python_path=options.python_path, storage_path=place))
    report = EvalRunner(world=small_exam(12, 4), segment_size=5).run(agent)
    agent.close()
    assert (report.valid, report.notes) == (True, []), report.why_invalid
    assert (report.system, report.embedder) == (f"pytest {pytest.__version__}", "none")
    assert report.measured["store_bytes"] == (place / "turns.json").stat().st_size
    assert report.measured["store_bytes_per_turn"] == report.measured["store_bytes"] / 12
    assert (place / MARK).read_text() == "12"


@pytest.mark.system
def test_a_kept_store_is_asked_again_without_its_dialogue(options: AgentOptions, tmp_path: Path):
    size = ["--turns", "60", "--questions", "12", "--seed", "5"]
    store = ["--adapter", "store:stores:Listing", "--python-path", str(options.python_path)]
    kept = ["memory", "run", *size, *store, "--load-memory", str(tmp_path / "kept")]
    assert run([*kept, "--output-dir", str(tmp_path / "one")]) == 0
    assert run([*kept, "--skip-learning", "--output-dir", str(tmp_path / "two")]) == 0
    one, two = (read_report(tmp_path / name / "report.json") for name in ("one", "two"))
    assert [result.answer for result in one.results] == [result.answer for result in two.results]
    assert one.memory_row("found") == two.memory_row("found")
    assert two.measured["learn_p50_s"] is None


@pytest.mark.parametrize(("name", "missing"), [("Half", "search"), ("Nothing", "Nothing")])
def test_a_class_without_its_methods_is_one_line(options: AgentOptions, name: str, missing: str):
    agent = agent_from(f"store:stores:{name}", options)
    with pytest.raises(AgentFailed, match=missing) as raised:
        agent.learn("x")
    assert raised.value.code == "agent.not-started"


def test_a_search_that_returns_nothing_useful_fails_its_call(options: AgentOptions):
    agent = agent_from("store:stores:Odd", options)
    with pytest.raises(AgentCallFailed, match="expected a list"):
        agent.answer("What?")
    agent.close()


MEM0 = """
class Client:
    def close(self): pass
class Memory:
    @classmethod
    def from_config(cls, config):
        assert config["embedder"] == {"provider": "fastembed"}, config
        memory = cls()
        memory.rows, memory.vector_store = [], type("Store", (), {"client": Client()})
        return memory
    def add(self, messages, user_id, infer, metadata):
        self.rows.append({"memory": f"{infer}: {messages[0]['content']}", "metadata": metadata})
    def search(self, question, filters, top_k, threshold):
        return {"results": self.rows[:top_k]}
    def delete_all(self, user_id): self.rows.clear()
    def close(self): pass
"""
LIBRARIES = ("langgraph", "letta", "mem0")


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_library_that_is_missing_is_one_line_with_what_to_install(name: str):
    agent = agent_from(name, AgentOptions(url="http://127.0.0.1:9"))
    with pytest.raises(AgentFailed) as raised:
        agent.learn("x")
    assert raised.value.code == "agent.not-started"
    assert f"{name} did not start" in str(raised.value)
    assert re.search(r" is not installed: pip install '\S+>=\d,<\d'", str(raised.value))


@pytest.mark.parametrize(
    ("version", "keys", "said"),
    [
        ("2.2.1", "", "False: Ada Lund is allergic to milk."),
        ("2.2.1", "llm: {provider: ollama}", "True: Ada Lund is allergic to milk."),
        ("1.0.11", "", "mem0ai 1.0.11 is installed, and mem0ai>=2,<3 is needed"),
    ],
)
def test_a_librarys_own_configuration_is_passed_through(tmp_path: Path, version: str, keys: str, said: str):
    (tmp_path / "mem0.py").write_text(MEM0)
    about = tmp_path / f"mem0ai-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: mem0ai\nVersion: {version}\n")
    config = tmp_path / "own.yaml"
    config.write_text(f"embedder: {{provider: fastembed}}\n{keys}\n")
    agent = agent_from(f"mem0:{config}", AgentOptions(python_path=tmp_path))
    if version[0] != "2":
        with pytest.raises(AgentFailed, match=said):
            agent.learn("x")
        return
    agent.learn("Ada Lund is allergic to milk.")
    assert [one.text for one in agent.retrieve("milk", 3)] == [said]
    assert agent.stats()["system"] == f"mem0ai 2.2.1, {'extracting by its model' if keys else 'turns verbatim'}"
    agent.reset()
    assert agent.retrieve("milk", 3) == []
    agent.close()


@pytest.mark.parametrize("text", ["letta", "learning-agent", "learning-agent:more", "mem0:nowhere.yaml"])
def test_a_library_without_what_it_needs_is_a_usage_error(text: str):
    with pytest.raises(ExamUsageError):
        agent_from(text)


def test_the_learning_agent_is_called_as_its_documents_say(tmp_path: Path):
    package = tmp_path / "amplihack/agents/goal_seeking"
    package.mkdir(parents=True)
    (package / "learning_agent.py").write_text(STUB)
    options = AgentOptions(python_path=tmp_path, arguments={"model": "claude-x"})
    agent = agent_from("learning-agent", options)
    report = EvalRunner(world=small_exam(12, 4)).run(agent)
    agent.close()
    assert (report.valid, report.overall_score, report.reader) == (True, 1.0, ""), report.why_invalid
    assert report.system == "amplihack"
    assert "amplihack" not in sys.modules
