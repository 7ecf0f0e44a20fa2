"""The child program of a python agent: creates the agent, then executes one call per line. Started by `class_agent`.

The agent's output goes to standard error; standard output is reserved for replies.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any, TextIO

from assay.memory_eval.adapters.replies import response_from, retrieved_from, shortly, stats_from
from assay.memory_eval.errors import AgentCallFailed
from assay.memory_eval.truth import NOT_GIVEN

OPTIONAL = ("reset", "stats", "save", "load", "close", "persistent")


class StoreCalls:
    """The methods of a store under the names of an agent's; those the store lacks are missing here, too."""

    def __init__(self, store: Any) -> None:
        self.learn = store.remember
        self.retrieve = store.search
        for name in OPTIONAL:
            if hasattr(store, name):
                setattr(self, name, getattr(store, name))


def main() -> None:
    """Answer calls line by line until the input ends."""
    calls, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    serve(calls, answers)


def serve(calls: Iterable[str], answers: TextIO) -> None:
    """Serve calls: the first line creates the agent, each other one calls it, the end of input closes it."""
    agent: Any = None
    for line in calls:
        message = json.loads(line)
        if message["op"] == "start":
            agent, reply = _tried(_made, message)
        else:
            _, reply = _tried(_done, agent, message)
        answers.write(json.dumps({"ok": "error" not in reply, **reply}) + "\n")
        answers.flush()
        if message["op"] == "close":
            return
    if _has(agent, "close"):  # the caller is gone, but the agent may still have to write its store
        agent.close()


def _tried(call: Callable[..., tuple[Any, dict[str, Any]]], *given: Any) -> tuple[Any, dict[str, Any]]:
    """Make the call and return its result and reply; any exception of the agent becomes its reply."""
    try:
        return call(*given)
    except AgentCallFailed as failed:
        return None, {"error": str(failed)}
    except (Exception, SystemExit) as raised:  # noqa: BLE001 - see above
        return None, {"error": shortly(f"{type(raised).__name__}: {raised}")}


def _made(message: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    sys.path[:0] = message["python_path"]
    made_by: Any = importlib.import_module(message["module"])
    for name in message["class"].split("."):
        made_by = getattr(made_by, name)
    agent = made_by(**message["arguments"])
    for method in ("remember", "search") if message["is_store"] else ("learn", "answer"):
        if not _has(agent, method):
            raise AgentCallFailed(f"{message['class']} has no method `{method}`")
    if message["is_store"]:
        agent = StoreCalls(agent)
    can_save = _has(agent, "save") and _has(agent, "load")
    return agent, {
        "can_save": can_save,
        "can_retrieve": _has(agent, "retrieve"),
        "persistent": getattr(agent, "persistent", False) is True,
    }


def _done(agent: Any, message: Mapping[str, Any]) -> tuple[None, dict[str, Any]]:
    reply: dict[str, Any] = {}
    match message["op"]:
        case "learn":
            agent.learn(message["content"])
        case "answer":
            response = response_from(agent.answer(message["question"]))
            reply = {name: given for name, given in asdict(response).items() if given is not NOT_GIVEN}
        case "reset":
            reply = _reset(agent)
        case "retrieve" if _has(agent, "retrieve"):
            reply = _retrieved(agent, message)
        case "stats" if _has(agent, "stats"):
            reply = {"stats": stats_from(agent.stats())}
        case "save" | "load" as op:
            getattr(agent, op)(message["path"])
        case "close" if _has(agent, "close"):
            agent.close()
    return None, reply


def _retrieved(agent: Any, message: Mapping[str, Any]) -> dict[str, Any]:
    try:
        found = retrieved_from(agent.retrieve(message["question"], message["k"]))
    except NotImplementedError:
        return {"error": "this agent does not offer retrieve", "unsupported": True}
    return {"results": [{"text": one.text, "id": one.id, "score": one.score} for one in found]}


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
