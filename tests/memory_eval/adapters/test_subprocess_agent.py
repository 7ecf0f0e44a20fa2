"""A program of any kind, by lines."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jsonschema
import pytest

from assay.memory_eval import (
    AgentCallFailed,
    AgentOptions,
    AgentResponse,
    ExamUsageError,
    agent_from,
)
from tests.conftest import ROOT

GOOD = """
import json, sys
log = open(sys.argv[1], "a")
turns = []
for line in sys.stdin:
    message = json.loads(line)
    reply = {"ok": True}
    if message["op"] == "learn":
        turns.append(message["content"])
    elif message["op"] == "answer":
        reply |= {"answer": turns[-1] if turns else "never told", "confidence": 0.5, "tokens_out": 7, "id": 3}
    elif message["op"] == "stats":
        reply["stats"] = {"entries": len(turns)}
    else:
        turns.clear()
    print(json.dumps([message, reply]), file=log, flush=True)
    print(json.dumps(reply), flush=True)
"""


def agent_of(code: str, *arguments: str, timeout_s: float = 10.0, text: str = "subprocess"):
    command = (sys.executable, "-c", code, *arguments)
    return agent_from(text, AgentOptions(command=command, timeout_s=timeout_s, start_timeout_s=10))


def test_it_learns_answers_resets_and_fits_the_published_schema(tmp_path: Path):
    agent = agent_of(GOOD, str(tmp_path / "log"))
    agent.learn("the pet is a newt")
    response = agent.answer("which pet?")
    assert (response.answer, response.confidence, response.tokens_out) == ("the pet is a newt", 0.5, 7)
    assert agent.stats() == {"entries": 1}
    agent.reset()
    assert agent.answer("which pet?").answer == "never told"
    agent.close()
    schema = json.loads((ROOT / "assay/memory_eval/schemas/agent-subprocess.schema.json").read_text())
    lines = (tmp_path / "log").read_text().splitlines()
    assert len(lines) == 5
    for line in lines:
        request, reply = json.loads(line)
        shape = {"answer": "answer_reply", "stats": "stats_reply"}.get(request["op"], "done_reply")
        for name, value in (("request", request), (shape, reply)):
            jsonschema.Draft202012Validator({**schema, "$ref": f"#/$defs/{name}"}).validate(value)


def test_its_command_may_stand_behind_the_colon(tmp_path: Path):
    program = tmp_path / "an agent.py"
    program.write_text(GOOD)
    agent = agent_from(f"subprocess:{sys.executable} '{program}' {tmp_path / 'log'}")
    agent.learn("x")
    assert agent.answer("?") == AgentResponse("x", confidence=0.5, tokens_out=7)
    assert agent.name == f"subprocess:{Path(sys.executable).name} an agent.py"
    assert agent_from(f"subprocess:/bin/sh -c {program}").name == "subprocess:sh"
    assert agent_from("subprocess:curl my-secret-token").name == "subprocess:curl"
    agent.close()


@pytest.mark.parametrize("text", ["subprocess", "subprocess:", "subprocess:'never closed"])
def test_no_command_is_a_usage_error(text: str):
    with pytest.raises(ExamUsageError, match="command"):
        agent_from(text)


def test_what_it_calls_an_error_is_a_failed_call_and_it_goes_on():
    agent = agent_of('import sys\nfor _ in sys.stdin: print(\'{"error": "no\\\\ndisk"}\', flush=True)')
    for _ in range(2):
        with pytest.raises(AgentCallFailed, match="no disk"):
            agent.learn("x")
    agent.close()


def test_stats_may_stand_beside_the_ok_and_not_ok_is_a_failed_call():
    code = """
import json, sys
for line in sys.stdin:
    op = json.loads(line)["op"]
    print(json.dumps({"ok": True, "entries": 3} if op == "stats" else {"ok": False}), flush=True)
"""
    agent = agent_of(code)
    assert agent.stats() == {"entries": 3}
    with pytest.raises(AgentCallFailed, match="did not return ok"):
        agent.learn("x")
    agent.close()


def test_one_that_cannot_forget_is_started_anew():
    code = """
import json, sys
turns = []
for line in sys.stdin:
    op = json.loads(line)["op"]
    turns.append(line) if op == "learn" else None
    print(json.dumps({"error": "?", "unsupported": True} if op == "reset" else {"answer": str(len(turns))}), flush=True)
"""
    agent = agent_of(code)
    agent.learn("x")
    assert agent.answer("?").answer == "1"
    agent.reset()
    assert agent.answer("?").answer == "0"
    agent.close()


def test_an_agent_that_is_forgotten_takes_its_process_with_it():
    agent = agent_of(GOOD, "/dev/null")
    agent.learn("x")
    process = agent._child._process
    del agent
    assert process.poll() is not None
