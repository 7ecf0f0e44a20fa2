"""What separates an agent from the exam is found out, and is the weaker of two where that is not known."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path
from typing import Self

import pytest

from assay.memory_eval import AgentOptions, ExamUsageError, agent_from
from assay.memory_eval.adapters.http_agent import HttpAgent
from assay.memory_eval.adapters.in_process import InProcessAgent
from assay.memory_eval.adapters.isolation import Isolation, of_process
from assay.memory_eval.adapters.remote import RemoteAgent
from assay.memory_eval.run.secrecy import NO_ISOLATION
from tests.codes import code_of
from tests.conftest import ROOT
from tests.memory_eval.examined_agents import Good

GAINING = """
import json
for line in open(0):
    flag = open("/proc/self/status").read().split("NoNewPrivs:")[1].split()[0]
    print(json.dumps({"ok": True, "answer": flag}), flush=True)
"""


class Route:
    """A datagram socket that leads from one address to another."""

    def __init__(self, begin: str, end: str) -> None:
        self.begin, self.end = begin, end

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Hold nothing."""

    def connect(self, _address: object) -> None:
        """Find the route."""

    def getsockname(self) -> tuple[str, int]:
        return self.begin, 1

    def getpeername(self) -> tuple[str, int]:
        return self.end, 2


def server(url: str) -> Isolation:
    return HttpAgent("", AgentOptions(url=url)).isolation


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000", "http://localhost:8000", "http://no-such-host.invalid"])
def test_a_server_here_or_at_an_unknown_place_may_have_read_the_exam(url: str):
    assert server(url) is Isolation.server
    assert Isolation.server in NO_ISOLATION
    letta = agent_from("letta", AgentOptions(url=url))
    assert isinstance(letta, RemoteAgent)
    assert letta.isolation is Isolation.server


@pytest.mark.parametrize(
    ("begin", "end", "found"), [("10.0.0.2", "10.0.0.7", Isolation.remote), ("10.0.0.2", "10.0.0.2", Isolation.server)]
)
def test_a_server_elsewhere_is_remote_and_one_at_our_own_address_is_not(monkeypatch, begin, end, found):
    monkeypatch.setattr(socket, "socket", lambda *_: Route(begin, end))
    assert server(f"http://{end}:8000") is found


@pytest.mark.skipif(sys.platform != "linux", reason="there are no capabilities")
@pytest.mark.parametrize(
    ("uid", "allowed", "found"),
    [
        (0, "000001ffffffffff", Isolation.root),
        (0, "00000000a80425fb", Isolation.same_user),  # what Docker leaves to root
        (1000, "000001ffffffffff", Isolation.same_user),
    ],
)
def test_root_is_who_can_read_others(monkeypatch, uid: int, allowed: str, found: Isolation):
    monkeypatch.setattr("os.geteuid", lambda: uid)
    monkeypatch.setattr(Path, "read_text", lambda *_: f"Name:\tpython\nCapBnd:\t{allowed}\n")
    assert of_process() is found


def test_our_own_baselines_are_built_in_and_other_objects_are_not():
    assert InProcessAgent(agent_from("baseline:bm25"), 1.0).isolation is Isolation.built_in
    assert InProcessAgent(Good(), 1.0).isolation is Isolation.in_process


def test_root_and_unknown_users_are_refused_as_the_user_of_an_agent(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("os.geteuid", lambda: 0)
    for name, code in (("root", "agent.user"), ("no-such-user", "agent.no-user")):
        with pytest.raises(ExamUsageError) as refused:
            agent_from("subprocess:true", AgentOptions(agent_user=name))
        assert code_of(str(refused.value)) == code
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(ExamUsageError, match="needs root"):
        agent_from("subprocess:true", AgentOptions(agent_user="nobody"))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems cannot hide a process")
def test_a_hidden_process_dumps_no_core():
    program = (
        "import resource; from assay.memory_eval import hide_process;"
        "print(hide_process(), resource.getrlimit(resource.RLIMIT_CORE)[0])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "0"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such flag")
def test_an_agent_cannot_gain_privileges_and_this_process_keeps_its_own():
    before = Path("/proc/self/status").read_text()
    agent = agent_from("subprocess", AgentOptions(command=(sys.executable, "-c", GAINING)))
    assert agent.answer("?").answer == "1"  # type: ignore[union-attr]
    agent.close()
    kept = [text.partition("NoNewPrivs:")[2].split()[0] for text in (before, Path("/proc/self/status").read_text())]
    assert kept[0] == kept[1]
