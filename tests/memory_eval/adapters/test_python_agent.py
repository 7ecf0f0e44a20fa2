"""A Python class in a process of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from assay.memory_eval import (
    AgentCallFailed,
    AgentFailed,
    AgentOptions,
    AgentResponse,
    ExamUsageError,
    agent_from,
)

AGENTS = """
import os, sys, time
from assay.memory_eval import AgentAdapter, AgentResponse

class Good:
    def __init__(self, storage_path=None, greeting=""):
        self.turns, self.greeting, self.storage_path = [], greeting, storage_path
    def learn(self, content):
        print("learning", content)
        os.write(1, b"straight to the wire\\n")
        self.turns.append(content)
    def answer(self, question):
        return self.greeting + "; ".join(self.turns)
    def reset(self):
        self.turns = []
    def stats(self):
        return {"pid": os.getpid(), "parent": os.getppid(), "storage_path": self.storage_path}
    def save(self, path):
        with open(path, "w") as file: file.write("\\n".join(self.turns))
    def load(self, path):
        with open(path) as file: self.turns = file.read().split("\\n")

class Derived(AgentAdapter):
    def learn(self, content): self.known = content
    def answer(self, question): return AgentResponse(self.known, confidence=0.25, sources=("here",))

class Storing:
    persistent = True
    def __init__(self, storage_path): self.storage_path = storage_path
    def learn(self, content):
        with open(self.storage_path, "a") as file: file.write(content)
    def answer(self, question):
        with open(self.storage_path) as file: return file.read()
    def close(self):
        with open(self.storage_path, "a") as file: file.write("|closed")

class Bad:
    def learn(self, content): raise ValueError("cannot\\nread this")
    def answer(self, question):
        if question == "bytes": return b"bytes"
        if question == "nothing": return None
        if question == "much": return "x" * 10_000_000
        if question == "hang": time.sleep(0.8)
        if question == "exit": sys.exit("enough")
        if question == "surrogate": return "a \\ud83d b"
        if question == "input": return repr(sys.stdin.read())
        if question == "dead": os._exit(9)
        return f"answer to {question}"
    def stats(self): return [1]

class Needy:
    def __init__(self, key): pass

class Mute:
    def learn(self, content): pass

class Slow:
    def __init__(self): time.sleep(5)

class Closing:
    def learn(self, content): pass
    def answer(self, question): return "x"
    def close(self): time.sleep(60)
"""


@pytest.fixture
def agent_named(tmp_path: Path):
    (tmp_path / "agents.py").write_text(AGENTS)
    made = []

    def make(name: str, **options):
        given = {"timeout_s": 10.0, "start_timeout_s": 20.0, "python_path": tmp_path, **options}
        made.append(agent_from(f"python:agents:{name}", AgentOptions(**given)))
        return made[-1]

    yield make
    for agent in made:
        agent.close()


def test_it_learns_answers_and_forgets_in_a_process_of_its_own(agent_named):
    agent = agent_named("Good")
    agent.learn("one")
    agent.learn("two")
    assert agent.answer("?").answer == "one; two"
    assert agent.stats()["parent"] == os.getpid()
    agent.reset()
    assert agent.answer("?").answer == ""
    assert "agents" not in sys.modules


def test_it_is_made_with_what_it_was_given(agent_named):
    agent = agent_named("Good", arguments={"greeting": "Well: "}, storage_path=Path("/tmp/store"))
    assert agent.answer("?").answer == "Well: "
    assert agent.stats()["storage_path"] == "/tmp/store"


def test_one_derived_from_the_adapter_is_welcome(agent_named):
    agent = agent_named("Derived")
    agent.learn("a newt")
    assert (agent.answer("?").confidence, agent.answer("?").sources) == (0.25, ("here",))
    agent.reset()  # it has none, so its process is started anew
    with pytest.raises(AgentCallFailed, match="AttributeError"):
        agent.answer("?")


@pytest.mark.soak
def test_what_it_saved_is_carried_into_the_next_process(agent_named, tmp_path: Path):
    agent = agent_named("Good")
    agent.learn("one")
    before = agent.stats()["pid"]
    agent.renew(tmp_path / "memory")
    assert agent.can_save
    assert agent.stats()["pid"] != before
    assert agent.answer("?").answer == "one"


def test_a_store_of_its_own_is_closed_before_the_next_process(agent_named, tmp_path: Path):
    agent = agent_named("Storing", storage_path=tmp_path / "store")
    agent.learn("one")
    agent.renew(tmp_path / "unused")
    assert agent.persists
    assert agent.answer("?").answer == "one|closed"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("bytes", "answered with bytes b'bytes'"),
        ("nothing", r"nothing \(None\)"),
        ("much", "at most 8388608"),
        ("exit", "SystemExit: enough"),
    ],
)
def test_what_it_does_wrong_is_a_failed_call_and_it_goes_on(agent_named, question: str, said: str):
    agent = agent_named("Bad")
    with pytest.raises(AgentCallFailed, match=said):
        agent.answer(question)
    with pytest.raises(AgentCallFailed, match="ValueError: cannot read this"):
        agent.learn("x")
    with pytest.raises(AgentCallFailed, match="stats are list"):
        agent.stats()
    assert agent.answer("next").answer == "answer to next"


def test_it_can_neither_read_the_calls_nor_break_a_character(agent_named):
    agent = agent_named("Bad")
    assert agent.answer("input").answer == "''"
    assert agent.answer("surrogate").answer == "a \ufffd b"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Nobody", "has no attribute 'Nobody'"),
        ("Needy", "missing 1 required positional argument: 'key'"),
        ("Mute", "Mute has no method `answer`"),
        ("AGENTS", "has no attribute 'AGENTS'"),
    ],
)
def test_one_that_cannot_be_made_is_said_in_a_line(agent_named, name: str, said: str):
    with pytest.raises(AgentFailed, match=rf"agent\.not-started: python:agents:{name} .*{said}"):
        agent_named(name).learn("x")


@pytest.mark.soak
def test_what_it_imports_may_lie_in_further_folders(tmp_path: Path):
    for name in ("code", "packages"):
        (tmp_path / name).mkdir()
    (tmp_path / "code/mine.py").write_text("import theirs\n" + AGENTS)
    agent = agent_from("python:mine:Good", AgentOptions(python_path=tmp_path / "code"))
    with pytest.raises(AgentFailed, match=r"No module named 'theirs'; it runs by .*python.*: install it there, or"):
        agent.learn("x")
    (tmp_path / "packages/theirs.py").write_text("")
    agent = agent_from("python:mine:Good", AgentOptions(python_path=(tmp_path / "code", tmp_path / "packages")))
    agent.learn("x")
    agent.close()


def test_one_that_takes_too_long_to_start_is_not_waited_for(agent_named):
    agent = agent_named("Slow", start_timeout_s=0.5)
    with pytest.raises(AgentFailed, match=r"agent\.not-started"):
        agent.learn("x")


def test_one_that_never_finishes_closing_is_ended(agent_named, monkeypatch):
    monkeypatch.setattr("assay.memory_eval.adapters.child.class_agent.LEAVING_S", 0.2)
    agent = agent_named("Closing")
    agent.learn("x")
    agent.close()
    assert agent._child is None


def test_a_file_of_the_current_folder_does_not_stand_in_for_pythons_own(tmp_path: Path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit('hijacked')")
    (tmp_path / "agents.py").write_text("class Good:\n  def learn(self, c): 0\n  def answer(self, q): return 'fine'")
    monkeypatch.chdir(tmp_path)
    agent = agent_from("python:agents:Good")
    assert agent.answer("?") == AgentResponse("fine")
    agent.close()


@pytest.mark.parametrize("text", ["python", "python:module", "python:module:", "python:a b:C", "python:../x:C"])
def test_a_name_that_is_none_is_a_usage_error(text: str):
    with pytest.raises(ExamUsageError, match="python:module:Class"):
        agent_from(text)


def test_a_folder_that_is_none_is_a_usage_error(tmp_path: Path):
    with pytest.raises(ExamUsageError, match=r"agent\.no-folder"):
        agent_from("python:a:B", AgentOptions(python_path=tmp_path / "nowhere"))
