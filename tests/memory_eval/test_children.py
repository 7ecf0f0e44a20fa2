"""An agent's program: one line in, one line out, whatever it does in between."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.memory_eval.adapters.child import child_process
from assay.memory_eval.adapters.child.child_process import Child, environment_without_secrets
from assay.memory_eval.errors import AgentCallFailed, AgentFailed, AgentTimedOut, ExamUsageError

ECHO = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    {before}
    print(json.dumps({{"ok": True, "heard": message["op"]}}), flush=True)
    {after}
"""


@pytest.fixture
def started():
    running = []

    def start(code: str, **env: str) -> Child:
        child = Child([sys.executable, "-c", code], env={**os.environ, **env})
        running.append(child)
        return child

    yield start
    for child in running:
        child.kill()


def echo(before: str = "pass", after: str = "pass") -> str:
    return ECHO.format(before=before, after=after)


def test_one_object_goes_in_and_one_comes_back(started):
    child = started(echo())
    assert child.ask({"op": "learn", "content": "ä\n\u2028\0"}, 10) == {"ok": True, "heard": "learn"}
    assert child.ask({"op": "stats"}, 10)["heard"] == "stats"


def test_chatter_between_the_answers_is_no_answer(started):
    child = started(echo(before='print("Loading model… 100%\\n[1, 2]\\n")', after='print("done")'))
    assert [child.ask({"op": op}, 10)["heard"] for op in "abc"] == ["a", "b", "c"]


def test_an_object_nobody_asked_for_is_not_taken_for_the_next_answer(started):
    child = started(echo(after='print("{}", flush=True); time.sleep(0.05)'))
    assert child.ask({"op": "a"}, 10)["heard"] == "a"
    time.sleep(0.2)
    assert child.ask({"op": "b"}, 10)["heard"] == "b"


def test_a_late_answer_is_dropped_and_the_program_can_be_asked_again(started):
    child = started(echo(before='time.sleep(0.6 if message["op"] == "slow" else 0)'))
    child.ask({"op": "warm"}, 10)
    with pytest.raises(AgentTimedOut, match=r"agent\.timed-out"):
        child.ask({"op": "slow"}, 0.2)
    assert child.is_behind
    assert child.ask({"op": "quick"}, 10)["heard"] == "quick"
    assert not child.is_behind


def test_a_program_that_never_stops_talking_is_stopped_by_the_clock(started):
    child = started("import sys\nwhile True: print('still thinking', flush=True)")
    with pytest.raises(AgentTimedOut, match="still thinking"):
        child.ask({"op": "answer"}, 0.5)


@pytest.mark.system
def test_a_program_that_never_reads_is_stopped_by_the_clock(started):
    child = started("import time\ntime.sleep(60)")
    with pytest.raises((AgentTimedOut, AgentFailed)):
        child.ask({"op": "learn", "content": "x" * 1_000_000}, 0.3)


@pytest.mark.parametrize("line", ['{"answer": ', "{]", '{"a": nope}', "{" * 100_000], ids=range(4))
def test_half_an_object_is_a_failed_call_and_the_next_one_works(started, line: str):
    child = started(f"import sys\nsys.stdin.readline()\nprint({line!r}, flush=True)\n" + echo())
    with pytest.raises(AgentCallFailed, match=r"agent\.invalid-reply"):
        child.ask({"op": "answer"}, 10)
    assert child.ask({"op": "answer"}, 10)["ok"] is True


def test_an_answer_that_is_too_long_is_skipped_without_being_kept(started, monkeypatch):
    monkeypatch.setattr(child_process, "MOST_BYTES", 100_000)
    child = started(echo(before='print("{" + "x" * 5_000_000) if message["op"] == "big" else None'))
    with pytest.raises(AgentCallFailed, match="longer than"):
        child.ask({"op": "big"}, 20)
    assert child.ask({"op": "next"}, 10)["heard"] in {"big", "next"}


def test_how_a_program_ended_is_said_with_its_last_words(started):
    child = started("import sys\nsys.stdin.readline()\nprint('out of memory', file=sys.stderr)\nsys.exit(7)")
    with pytest.raises(AgentFailed, match="ended with exit code 7: out of memory"):
        child.ask({"op": "learn"}, 10)
    with pytest.raises(AgentFailed, match="exit code 7"):
        child.ask({"op": "learn"}, 10)


def test_much_said_on_standard_error_blocks_nothing(started):
    child = started(echo(before='sys.stderr.write("w" * 1_000_000 + "\\nlast\\n")'))
    assert child.ask({"op": "a"}, 20)["heard"] == "a"
    assert child.ask({"op": "b"}, 20)["heard"] == "b"
    assert len(child.last_words) <= 300


def test_closing_gives_time_to_write_a_store(started, tmp_path: Path):
    store = tmp_path / "store"
    code = (
        "import sys, time\nfor line in sys.stdin: print('{}', flush=True)\n"
        f"time.sleep(0.3)\nopen({str(store)!r}, 'w').write('kept')"
    )
    child = started(code)
    child.ask({"op": "learn"}, 10)
    child.close()
    assert store.read_text() == "kept"


def test_what_it_started_itself_is_gone_with_it(started, monkeypatch):
    monkeypatch.setattr(child_process, "LEAVING_S", 0.1)
    child = started(
        "import subprocess, sys, json\n"
        "sleeper = subprocess.Popen(['sleep', '300'])\n"
        "sys.stdin.readline()\n"
        "print(json.dumps({'pid': sleeper.pid}), flush=True)\n"
        "sleeper.wait()"
    )
    pid = child.ask({"op": "learn"}, 10)["pid"]
    child.close()
    time.sleep(0.1)
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    assert state.strip()[:1] in {"", "Z"}  # flags may follow, such as that of a low priority


def test_no_secret_reaches_a_program_unless_it_is_named(monkeypatch):
    secret = {"ANTHROPIC_API_KEY": "a", "MY_TOKEN": "b", "DB_PASSWORD": "c", "SSH_AUTH_SOCK": "d", "AWS_REGION": "e"}
    for name, value in {**secret, "PLAIN": "f", "DATABASE_URL": "postgres://me:secret@host/db"}.items():
        monkeypatch.setenv(name, value)
    kept = environment_without_secrets()
    assert kept["PLAIN"] == "f"
    assert not {*secret, "DATABASE_URL"} & set(kept)
    assert environment_without_secrets(["MY_TOKEN"])["MY_TOKEN"] == "b"
    with pytest.raises(ExamUsageError, match="NOT_THERE"):
        environment_without_secrets(["NOT_THERE"])


@pytest.mark.system
def test_a_program_that_talks_and_never_listens_does_not_fill_the_memory(started):
    child = started("import os\nwhile True:\n    os.write(1, b'{}\\n' * 20000)")
    with pytest.raises(AgentFailed, match=r"agent\.ended"):
        child.ask({"content": "x" * 300_000}, 1)
    assert child._lines.qsize() <= 64


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SOME_HEADER", "AUTHORIZATION: basic dXNlcjpwYXNz"),
        ("INDEX", "https://t0ken@packages.example.com/simple"),
        ("DB_PWD", "hunter2"),
        ("SLACK_WEBHOOK", "https://hooks.example.com/services/T0/B0/x"),
        ("MY_JWT", "eyJhbGciOi.J.x"),
        ("DEPLOY", "-----BEGIN OPENSSH PRIVATE " + "KEY-----\nb3Bl"),
        ("CLAUDE", "sk-ant-" + "api03-0123456789abcdef"),
        ("GH", "ghp_" + "0123456789abcdefghij"),
        ("STORE", "DefaultEndpointsProtocol=https;AccountKey=abc;"),
    ],
)
def test_what_looks_like_a_secret_by_its_value_or_its_name_stays_with_us(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert name not in environment_without_secrets()
    assert {"PATH", "HOME"} <= set(environment_without_secrets()) | ({"HOME"} - set(os.environ))
