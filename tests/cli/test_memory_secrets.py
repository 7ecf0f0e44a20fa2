"""The key of the model that grades: the agent under examination finds it neither in its environment nor in ours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

LOOKING = """
import os


def seen(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read().decode("utf-8", "replace")
    except PermissionError:
        return "not to be looked into"


def left_in_pipe():
    try:
        pipe = os.open(f"/proc/{os.getppid()}/fd/{os.environ['PIPE']}", os.O_RDONLY | os.O_NONBLOCK)
        return os.read(pipe, 100).decode()
    except OSError as error:
        return type(error).__name__


class Agent:
    def __init__(self, model=""):
        with open(os.environ["SEEN"], "w") as file:
            file.write(f"{dict(os.environ)} {seen(os.getppid())} {left_in_pipe()}")

    def learn(self, content):
        pass

    def answer(self, question):
        return "You never told me that."

    def reset(self):
        pass
"""
SECRET = "s3cret-of-the-judge"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")


@pytest.fixture
def asked(tmp_path: Path):
    """Examine an agent that looks around; what it saw, and what the command said."""
    (tmp_path / "agent.py").write_text(LOOKING)
    seen = tmp_path / "seen"

    def run(*more: str, pipe: int | None = None, **env: str) -> tuple[str, subprocess.CompletedProcess[str]]:
        command = [sys.executable, "-c", "from assay.cli.main import main; main()", "memory", "run", "--turns", "20"]
        env = {**os.environ, "SEEN": str(seen), "PIPE": "9", **env}
        done = subprocess.run(
            [*command, "--questions", "2", "--adapter", "python:agent:Agent", *more],
            cwd=tmp_path, env=env, capture_output=True, text=True, check=False,
            pass_fds=[] if pipe is None else [pipe],
        )  # fmt: skip
        return seen.read_text(), done

    return run


@pytest.mark.soak
def test_a_secret_of_our_environment_is_not_to_be_read_in_our_process(asked):
    seen, done = asked(ANTHROPIC_API_KEY=SECRET, MY_TOKEN=SECRET, PLAIN="open to all")
    assert done.returncode == 0, done.stderr
    assert SECRET not in seen
    assert "open to all" in seen


def test_a_secret_that_is_passed_on_by_name_arrives(asked):
    seen, _ = asked("--env", "ANTHROPIC_API_KEY", ANTHROPIC_API_KEY=SECRET)
    assert SECRET in seen


@pytest.mark.system
@pytest.mark.parametrize("more", [(), ("--env", "ANTHROPIC_API_KEY")], ids=["kept", "passed on"])
def test_a_key_that_came_by_a_pipe_is_ours_and_only_passed_on_by_name(asked, monkeypatch, more: tuple[str, ...]):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    pipe, end = os.pipe()
    os.write(end, SECRET.encode())
    os.close(end)
    seen, done = asked(*more, pipe=pipe, ASSAY_MODEL_KEY_FD=str(pipe), PIPE=str(pipe))
    assert done.returncode == 0, done.stderr
    assert (SECRET in seen) is bool(more)
    os.close(pipe)
