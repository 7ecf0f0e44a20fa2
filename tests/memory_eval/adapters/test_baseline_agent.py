"""The baselines learn, answer, forget, say how much they keep, and keep no more than they may."""

from __future__ import annotations

import subprocess
import sys

import pytest

from assay.memory_eval.adapters import baseline_agent
from assay.memory_eval.adapters.adapter import AgentAdapter, AgentResponse
from assay.memory_eval.adapters.baseline_agent import BASELINES
from assay.memory_eval.adapters.extracting.reader import NEVER_TOLD
from assay.memory_eval.adapters.naming import agent_from
from assay.memory_eval.errors import AgentCallFailed, UnknownAdapter

TURNS = [
    "Ada Lund has extension 7883.",
    "Project Atlas is due on 3 May 2025.",
    "As of 1 June 2025, Project Atlas is due on 9 July 2025.",
]


def taught(name: str) -> AgentAdapter:
    agent = agent_from(f"baseline:{name}")
    for turn in TURNS:
        agent.learn(turn)
    return agent


def answer(agent: AgentAdapter, question: str) -> AgentResponse:
    response = agent.answer(question)
    assert isinstance(response, AgentResponse)
    return response


def test_nothing_says_so():
    assert answer(taught("nothing"), "What is Ada Lund's extension?").answer == NEVER_TOLD
    assert taught("nothing").stats() == {"entries": 0, "bytes": 0}


def test_transcript_answers_with_all_that_was_said():
    assert answer(taught("transcript"), "Anything?").answer == "\n".join(TURNS)


@pytest.mark.parametrize("name", ["bm25", "embeddings"])
def test_retrieving_answers_from_the_turn_that_fits_and_names_it(name: str):
    agent = taught(name)
    assert "7883" in answer(agent, "What is the extension of Ada Lund?").answer
    due = answer(agent, "When is Project Atlas due? Answer with the date.")
    assert (due.answer, due.sources) == ("9 July 2025", ("turn 3",))
    assert due.confidence is not None
    assert 0 < due.confidence < 1


@pytest.mark.parametrize("name", ["transcript", "bm25", "embeddings"])
def test_what_was_learned_is_counted_and_forgotten(name: str):
    agent = taught(name)
    assert agent.stats() == {"entries": 3, "bytes": sum(map(len, TURNS))}
    agent.reset()
    assert agent.stats() == {"entries": 0, "bytes": 0}
    assert "7883" not in answer(agent, "What is the extension of Ada Lund?").answer


@pytest.mark.parametrize("name", ["transcript", "bm25", "embeddings"])
def test_memory_is_bounded_and_says_so(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(baseline_agent, "MOST_BYTES", 2**20)
    agent = taught(name)
    with pytest.raises(AgentCallFailed, match=r"agent\.full"):
        agent.learn("x" * 2**20)
    assert agent.stats()["entries"] == 3


@pytest.mark.parametrize("name", BASELINES)
def test_any_turn_at_all_is_learned(name: str):
    agent = agent_from(f"baseline:{name}")
    for turn in ("", "\0", "\ud800 half a character", "word " * 200_000):
        agent.learn(turn)
    agent.answer("\ud800?")
    agent.answer("")


def test_an_unknown_baseline_is_told_which_there_are():
    for text in ("baseline", "baseline:", "baseline:magic"):
        with pytest.raises(
            UnknownAdapter, match="baseline:nothing, baseline:transcript, baseline:bm25, baseline:embeddings"
        ):
            agent_from(text)


def test_no_baseline_opens_a_connection_or_prints():
    script = f"""
import socket
class Banned(socket.socket):
    def __init__(self, *args, **kwargs): raise AssertionError("a connection")
socket.socket = Banned
socket.getaddrinfo = socket.create_connection = Banned
from assay.memory_eval.adapters.naming import agent_from
for name in {list(BASELINES)!r}:
    agent = agent_from("baseline:" + name)
    agent.learn("Ada Lund has extension 7883.")
    agent.answer("What is the extension of Ada Lund?")
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
