"""`assay feedback --hook`: the question asked once in a session of each agent, and its answer stored."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.cli.agent.stop_hook import HookFailed, stopping
from assay.github_app.provenance.declarations import FEEDBACK_QUESTION
from tests.cli.agent.at_work import Place
from tests.conftest import ROOT
from tests.examples import sampled
from tests.github_app.remembering import REPOSITORY

ANSWER = "Lacked the name of the linter."
DOCS = ROOT / "docs" / "learning" / "feedback.md"


def claude(role: str, text: str) -> dict[str, Any]:
    content = text if role == "user" else [{"type": "text", "text": text}]
    return {"type": role, "sessionId": "s-1", "message": {"role": role, "content": content}}


def codex(role: str, text: str) -> dict[str, Any]:
    content = [{"type": "input_text" if role == "user" else "output_text", "text": text}]
    return {"type": "response_item", "payload": {"type": "message", "role": role, "content": content}}


def copilot(role: str, text: str) -> dict[str, Any]:
    return {"type": f"{role}.message", "data": {"content": text}}


def result(text: str) -> dict[str, Any]:
    """Output of a tool, which Claude Code writes as a line of the user."""
    content = [{"type": "tool_result", "tool_use_id": "t", "content": text}]
    return {"type": "user", "message": {"role": "user", "content": content}}


@pytest.fixture(params=[claude, codex, copilot], ids=lambda made: made.__name__)
def line(request: pytest.FixtureRequest) -> Callable[[str, str], dict[str, Any]]:
    made: Callable[[str, str], dict[str, Any]] = request.param
    return made


def payload(folder: Path, *lines: dict[str, Any], **more: Any) -> bytes:
    transcript = folder / "session.jsonl"
    transcript.write_text("".join(json.dumps(one) + "\n" for one in lines) + "{half a line")
    return json.dumps({"session_id": "s-1", "transcript_path": str(transcript), **more}).encode()


def step(folder: Path, *lines: dict[str, Any], **more: Any) -> tuple[str, str]:
    found = stopping(payload(folder, *lines, **more))
    return found.step, found.answer


def test_the_question_is_asked_once_and_its_answer_taken(tmp_path: Path, line: Callable[[str, str], dict[str, Any]]):
    work = [line("user", "Sell hats"), line("assistant", "Done.")]
    asked = [*work, line("user", f"Stop hook feedback:\n{FEEDBACK_QUESTION}")]
    answered = [*asked, line("assistant", "Let me think."), line("assistant", ANSWER)]
    assert step(tmp_path, *work, stop_hook_active=False) == ("ask", "")
    assert step(tmp_path, *answered, stop_hook_active=True) == ("take", ANSWER)
    # The transcript may lag behind the message in the payload.
    assert step(tmp_path, *asked, stop_hook_active=True, last_assistant_message=ANSWER) == ("take", ANSWER)
    more = [*answered, line("user", "Sell shoes too"), line("assistant", "Done.")]
    assert step(tmp_path, *more, stop_hook_active=False) == ("stop", "")
    # Another hook continued the turn after the answer, or before any question.
    assert step(tmp_path, *more, stop_hook_active=True) == ("stop", "")
    assert step(tmp_path, *work, stop_hook_active=True) == ("stop", "")


def test_the_output_of_a_tool_is_no_question_and_no_message(tmp_path: Path):
    work = [claude("user", "Sell hats"), result(FEEDBACK_QUESTION), claude("assistant", "Done.")]
    assert step(tmp_path, *work) == ("ask", "")
    asked = [*work, claude("user", FEEDBACK_QUESTION), result("ok"), claude("assistant", ANSWER)]
    assert step(tmp_path, *asked) == ("take", ANSWER)


def test_without_a_transcript_the_payload_decides():
    first = stopping(b'{"session_id": "s", "stop_hook_active": false, "last_assistant_message": "Done."}')
    then = stopping(b'{"session_id": "s", "stop_hook_active": true, "last_assistant_message": "Lacked it."}')
    assert (first.step, then.step, then.answer) == ("ask", "take", "Lacked it.")
    assert stopping(b'{"sessionId": "s", "transcriptPath": "/nowhere", "stop_hook_active": true}').step == "stop"


@given(
    st.binary(max_size=60)
    | st.recursive(st.none() | st.booleans() | st.text(), lambda inner: st.dictionaries(st.text(), inner)).map(
        lambda data: json.dumps(data).encode()
    )
)
def test_any_payload_is_read_or_refused(data: bytes):
    with suppress(HookFailed):
        assert stopping(data).step in ("ask", "take", "stop")


def commands() -> dict[str, str]:
    """The hook commands in the documentation, by agent."""
    blocks = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", DOCS.read_text(), re.DOTALL)]
    text = json.dumps(blocks)
    return {found[2]: found[1] for found in re.finditer(r'"(assay feedback --hook --agent ([\w-]+))"', text)}


def run_hook(place: Place, command: str, data: bytes, *more: str) -> subprocess.CompletedProcess[bytes]:
    words = [str(Path(sys.executable).with_name("assay")), *shlex.split(command)[1:], *more]
    return subprocess.run(words, input=data, capture_output=True, check=False, env=place.environment)


@pytest.mark.system
def test_the_documented_hooks_ask_and_store(place: Place, tmp_path: Path):
    assert set(commands()) == {"claude-code", "copilot"}
    command = commands()["claude-code"]
    asked = run_hook(place, command, payload(tmp_path, claude("user", "Sell hats")))
    assert json.loads(asked.stdout) == {"decision": "block", "reason": FEEDBACK_QUESTION}
    said = payload(tmp_path, claude("user", FEEDBACK_QUESTION), claude("assistant", ANSWER), stop_hook_active=True)
    done = run_hook(place, command, said)
    assert (done.returncode, json.loads(done.stdout)) == (0, {})
    (row,) = place.store.insights.of_task(REPOSITORY.id, "s-1")
    assert (row.text, row.agent, row.source) == (ANSWER, "claude-code", "api")


@pytest.mark.system
@pytest.mark.parametrize("data", sampled([b"", b"[]", b"{"], 1))
def test_an_error_never_keeps_the_agent_at_work(place: Place, data: bytes, tmp_path: Path):
    done = run_hook(place, "assay feedback --hook", data)
    assert (done.returncode, done.stdout) == (3, b"")
    unknown = payload(tmp_path, claude("user", FEEDBACK_QUESTION), claude("assistant", ANSWER))
    failed = run_hook(place, "assay feedback --hook", unknown, "--repo", "acme/nowhere")
    assert (failed.returncode, failed.stdout) == (3, b"")
    assert len(failed.stderr.splitlines()) == 1
