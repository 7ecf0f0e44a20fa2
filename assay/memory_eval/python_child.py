"""The program a python agent lives in: makes the agent, then does what each line asks. Started by `python_agent`.

What the agent prints goes to standard error; standard output belongs to the answers.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from assay.memory_eval.adapters.replies import response_from, shortly, stats_from
from assay.memory_eval.errors import AgentCallFailed


def main() -> None:
    """Answer line by line until there are no more."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    serve(sys.stdin, answers)


def serve(lines: Iterable[str], answers: TextIO) -> None:
    """The conversation: the first line makes the agent, every other one is a call to it."""
    agent: Any = None
    for line in lines:
        message = json.loads(line)
        try:
            if message["op"] == "start":
                agent = _made(message)
                reply = {"can_save": _has(agent, "save") and _has(agent, "load"), **_said_of_itself(agent)}
            else:
                reply = _done(agent, message)
        except AgentCallFailed as failed:
            reply = {"error": str(failed)}
        except (Exception, SystemExit) as raised:  # noqa: BLE001 - whatever an agent raises is its answer
            reply = {"error": shortly(f"{type(raised).__name__}: {raised}")}
        answers.write(json.dumps({"ok": "error" not in reply, **reply}) + "\n")
        answers.flush()


def _made(message: Mapping[str, Any]) -> Any:
    sys.path.insert(0, message["python_path"])
    made_by: Any = importlib.import_module(message["module"])
    for name in message["class"].split("."):
        made_by = getattr(made_by, name)
    agent = made_by(**message["arguments"])
    for method in ("learn", "answer"):
        if not _has(agent, method):
            raise AgentCallFailed(f"{message['class']} has no method `{method}`")
    return agent


def _said_of_itself(agent: Any) -> dict[str, Any]:
    return {"persistent": getattr(agent, "persistent", False) is True}


def _done(agent: Any, message: Mapping[str, Any]) -> dict[str, Any]:
    match message["op"]:
        case "learn":
            agent.learn(message["content"])
        case "answer":
            response = response_from(agent.answer(message["question"]))
            return {
                name: getattr(response, name) for name in ("answer", "confidence", "tokens_in", "tokens_out", "sources")
            }
        case "reset":
            return _reset(agent)
        case "stats":
            return {"stats": stats_from(agent.stats())} if _has(agent, "stats") else {}
        case "save" | "load" as op:
            getattr(agent, op)(message["path"])
        case "close" if _has(agent, "close"):
            agent.close()
    return {}


def _reset(agent: Any) -> dict[str, Any]:
    cannot = {"error": "this agent cannot be reset", "unsupported": True}
    if not _has(agent, "reset"):
        return cannot
    try:
        agent.reset()
    except NotImplementedError:
        return cannot
    return {}


def _has(agent: Any, method: str) -> bool:
    return callable(getattr(agent, method, None))


if __name__ == "__main__":
    main()
