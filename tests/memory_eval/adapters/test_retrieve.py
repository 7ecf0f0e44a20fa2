"""The optional operation `retrieve`, of every adapter."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jsonschema
import pytest

from assay.memory_eval import AgentCallFailed, AgentOptions, agent_from
from assay.memory_eval.adapters.adapter import Retrieved
from assay.memory_eval.adapters.replies import MOST_RETRIEVED, retrieved_from
from assay.memory_eval.errors import CannotRetrieve
from tests.conftest import ROOT
from tests.memory_eval.agent_servers import served

LINES = """
import json, sys
turns = ["the pet is a newt"]
for line in sys.stdin:
    message = json.loads(line)
    reply = {"ok": True}
    if message["op"] == "stats":
        reply["stats"] = {"retrieve": len(sys.argv) > 1}
    elif message["op"] == "retrieve":
        reply["results"] = [{"text": turn, "id": 1, "score": 0.5} for turn in turns][:message["k"]]
    elif message["op"] == "answer":
        reply["answer"] = turns[0] if turns else "lost"
    else:
        turns.clear()
    print(json.dumps(reply), flush=True)
"""

MODULE = """
class Plain:
    def learn(self, content): pass
    def answer(self, question): return "no"

class Finds(Plain):
    def retrieve(self, question, k): return ["one", {"text": "two", "id": "b"}][:k]

class Declines(Plain):
    def retrieve(self, question, k): raise NotImplementedError
"""


def program(*arguments: str):
    return agent_from("subprocess", AgentOptions(command=(sys.executable, "-c", LINES, *arguments), start_timeout_s=10))


def test_a_program_that_offers_it_is_asked():
    agent = program("offers")
    assert agent.retrieve("pet?", 5) == [Retrieved("the pet is a newt", "1", 0.5)]
    agent.close()


def test_a_program_that_does_not_offer_it_is_never_sent_the_operation():
    """It may take an unknown operation for a reset, as this one does."""
    agent = program()
    with pytest.raises(CannotRetrieve):
        agent.retrieve("pet?", 5)
    assert agent.answer("pet?").answer == "the pet is a newt"
    agent.close()


def test_a_class_offers_it_by_a_method(tmp_path: Path):
    (tmp_path / "finder.py").write_text(MODULE, "utf-8")
    options = AgentOptions(python_path=tmp_path)
    agent = agent_from("python:finder:Finds", options)
    agent.learn("x")
    assert agent.retrieve("?", 2) == [Retrieved("one"), Retrieved("two", "b")]
    agent.close()
    for name in ("Plain", "Declines"):
        agent = agent_from(f"python:finder:{name}", options)
        agent.learn("x")
        with pytest.raises(CannotRetrieve):
            agent.retrieve("?", 2)
        agent.close()


@pytest.mark.parametrize("value", [None, "text", {"text": "x"}, [1], [{"id": "a"}], [{"text": 3}]])
def test_an_invalid_reply_is_named(value: object):
    with pytest.raises(AgentCallFailed, match="retrieved"):
        retrieved_from(value)


def test_a_reply_is_bounded():
    assert len(retrieved_from(["x"] * 5000)) == MOST_RETRIEVED
    assert retrieved_from([{"text": "x\ud800", "score": float("nan"), "id": 7}]) == [Retrieved("x\ufffd", "7", None)]


@pytest.mark.parametrize("name", ["agent-http", "agent-subprocess"])
def test_the_published_protocol_has_it(name: str):
    schema = json.loads((ROOT / f"assay/memory_eval/schemas/{name}.schema.json").read_text("utf-8"))
    request = {"question": "pet?", "k": 5, **({"op": "retrieve"} if name == "agent-subprocess" else {})}
    jsonschema.Draft202012Validator({**schema, "$ref": "#/$defs/retrieve_request"}).validate(request)


def test_a_server_offers_it_by_a_path():
    def server(_method: str, path: str, body):
        if path != "/retrieve":
            return 200, b"{}", {}
        return 200, json.dumps({"results": [{"text": body["question"], "id": "a"}] * body["k"]}).encode(), {}

    with served(server) as url:
        agent = agent_from("http", AgentOptions(url=url))
        assert agent.retrieve("pet?", 2) == [Retrieved("pet?", "a")] * 2
        agent.close()


@pytest.mark.parametrize(("status", "body"), [(404, b""), (405, b""), (501, b"no"), (200, b'{"answer": "a newt"}')])
def test_a_server_without_the_path_does_not_offer_it(status: int, body: bytes):
    with served(lambda *_: (status, body, {})) as url:
        agent = agent_from("http", AgentOptions(url=url))
        with pytest.raises(CannotRetrieve):
            agent.retrieve("pet?", 2)
        agent.close()
