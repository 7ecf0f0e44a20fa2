"""A memory on disk is examined as it lies there: asked, counted, never taught, never changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.memory_eval import EvalRunner
from assay.memory_eval.adapters.adapter import AgentAdapter, AgentOptions, AgentResponse
from assay.memory_eval.adapters.extracting.reader import NEVER_TOLD
from assay.memory_eval.adapters.naming import agent_from
from assay.memory_eval.errors import ExamUsageError, WorldUnreadable
from tests.memory_eval.adapters.snapshots.memory_server import remember

ATLAS = ["The deadline is 3 May 2025", "Budget: $2,450,000"]
ENTITIES = [
    {"name": "Ada Lund", "entityType": "person", "observations": ["Allergic to peanuts", "Phone extension: 7883"]},
    {"name": "Project Atlas", "entityType": "project", "observations": ATLAS},
]


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    path = tmp_path / "memory.jsonl"
    remember(path, [("create_entities", {"entities": ENTITIES})])
    return path


@pytest.fixture
def agent(memory: Path) -> AgentAdapter:
    return agent_from("snapshot", AgentOptions(load_memory=memory))


def answer(agent: AgentAdapter, question: str) -> str:
    response = agent.answer(question)
    assert isinstance(response, AgentResponse)
    return response.answer


def test_the_mcp_server_s_memory_answers(agent: AgentAdapter):
    assert "peanuts" in answer(agent, "What is Ada Lund allergic to?")
    assert "7883" in answer(agent, "What is Ada Lund's phone extension?")
    assert answer(agent, "When is the deadline of Project Atlas? Answer with the date.") == "3 May 2025"
    assert answer(agent, "What is the budget of Project Atlas? The dollar amount.") == "$2,450,000"
    assert answer(agent, "What is Cy Orr's hobby?") == NEVER_TOLD


@pytest.mark.soak
def test_the_entry_an_answer_was_taken_from_is_named(agent: AgentAdapter):
    response = agent.answer("What is Ada Lund's phone extension?")
    assert isinstance(response, AgentResponse)
    assert response.sources == ("memory.jsonl:1#2",)


@pytest.mark.soak
def test_size_health_and_what_could_not_be_read_are_told(memory: Path):
    with memory.open("a") as file:
        file.write("\n{broken")
    stats = agent_from("snapshot", AgentOptions(load_memory=memory)).stats()
    assert stats == {
        "format": "mcp_memory",
        "entries": 4,
        "bytes": memory.stat().st_size,
        "num_duplicate": 0,
        "num_empty": 0,
        "num_contradictory": 0,
        "num_stale": None,
        "num_unread": 1,
        "unread": [f"{memory}:3: no JSON: expecting property name enclosed in double quotes at character 2"],
    }
    json.dumps(stats)


def test_the_path_may_stand_behind_the_name(memory: Path):
    assert agent_from(f"snapshot:{memory}").stats()["entries"] == 4


def test_without_a_memory_or_with_none_that_can_be_read_there_is_one_line(tmp_path: Path):
    with pytest.raises(ExamUsageError, match="--load-memory PATH --skip-learning"):
        agent_from("snapshot")
    with pytest.raises(WorldUnreadable, match=r"snapshot\.missing"):
        agent_from("snapshot", AgentOptions(load_memory=tmp_path / "missing"))


@pytest.mark.soak
def test_a_memory_that_was_told_to_learn_says_what_is_missing(memory: Path):
    runner = EvalRunner(num_turns=40, num_questions=5, seed=5, grading="deterministic")
    report = runner.run(agent_from("snapshot", AgentOptions(load_memory=memory)))
    assert not report.valid
    assert "--skip-learning" in (report.why_invalid or "")
