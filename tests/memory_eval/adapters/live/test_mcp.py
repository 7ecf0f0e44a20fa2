"""A memory server over the Model Context Protocol, driven by the official SDK."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from mcp.types import CallToolResult, TextContent

from assay.memory_eval import AgentCallFailed, AgentFailed, AgentOptions, EvalRunner, ExamUsageError, agent_from
from assay.memory_eval.adapters.extracting.reader import READER
from assay.memory_eval.adapters.live.configuration import PRESETS, Search, mcp_config
from assay.memory_eval.adapters.live.mcp_store import entries_in
from assay.memory_eval.adapters.live.store import MARK
from tests.conftest import ROOT
from tests.examples import sampled
from tests.memory_eval.adapters.live.systems import server_memory
from tests.memory_eval.exams import small_exam

NOTES = [sys.executable, "-m", "tests.memory_eval.adapters.live.mcp_notes_server"]
SAVE = {"tool": "save", "arguments": {"text": "{text}"}}
FIND = {
    "tool": "find",
    "arguments": {"query": "{query}", "k": "{k}"},
    "items": "hits[]",
    "text": "lines[]",
    "id": "name",
}
CONFIG: dict[str, Any] = {
    "command": [*NOTES, "{folder}/notes.json"],
    "env": {"PYTHONPATH": str(ROOT)},
    "write": SAVE,
    "search": FIND,
}

Made = Callable[..., Any]


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    agents: list[Any] = []

    def make(options: AgentOptions | None = None, **changes: Any) -> Any:
        file = tmp_path / f"server-{len(agents)}.yaml"
        config = CONFIG | changes
        file.write_text(yaml.safe_dump({key: value for key, value in config.items() if value is not None}))
        agents.append(agent_from(f"mcp:{file}", options))
        return agents[-1]

    yield make
    for agent in agents:
        agent.close()


@pytest.mark.system
def test_a_server_is_examined_and_its_parts_are_named(made: Made):
    report = EvalRunner(world=small_exam(12, 4)).run(made(reset={"tool": "wipe"}))
    assert (report.valid, report.notes) == (True, []), report.why_invalid
    assert report.overall_score == 1.0
    assert report.memory_row("found")["value"] == 1.0
    assert (report.system, report.embedder, report.reader) == ("notes 1.2.3", "", READER)
    assert report.measured["search_p50_s"] > 0
    assert report.measured["store_bytes"] > 300
    assert 50 < report.measured["context_tokens_mean"] < 100
    assert report.results[0].sources == ("turn 8",)


@pytest.mark.soak
def test_a_search_may_be_by_words(made: Made):
    agent = made(
        write={"tool": "save", "arguments": {"text": "{text}", "number": "{number}"}},
        search={"tool": "find_exact", "arguments": {"query": "{query}"}, "by": "words", "items": "found[]"},
    )
    agent.learn("Ada Lund lives in Oslo. Bo Reyes drives a {k} van.")
    agent.learn("Ada Lund plays chess in Bergen.")
    found = [one.text for one in agent.retrieve("Where does Ada Lund play chess?", 2)]
    assert found[0] == "2: Ada Lund plays chess in Bergen."
    assert [one.text for one in agent.retrieve("the van", 5)] == [
        "1: Ada Lund lives in Oslo. Bo Reyes drives a {k} van."
    ]


PROSE = "Found:\n1. Ada lives in Oslo.\n   Key: turn-2\n2. Bo drives.\n   Key: turn-1\n"
HITS = {"hits": [{"name": "a", "lines": ["one", "two"]}, {"name": 7, "lines": ["three", 4, ""]}, "five"]}


@pytest.mark.parametrize(
    ("result", "search", "entries"),
    [
        (
            [PROSE],
            {"pattern": r"\d+\. (?P<text>.*)\n   Key: (?P<id>.*)"},
            [("Ada lives in Oslo.", "turn-2"), ("Bo drives.", "turn-1")],
        ),
        ([PROSE, "  "], {}, [(PROSE, None)]),
        (HITS, {"items": "hits[]", "text": "lines[]", "id": "name"}, [("one", "a"), ("two", "a"), ("three", "7")]),
        (["[1", json.dumps(["a", "b"])], {"items": "[]"}, [("a", None), ("b", None)]),
        (HITS, {"items": "misses[]", "text": "lines[]"}, []),
    ],
    ids=["pattern", "texts", "structured", "json in texts", "another form"],
)
def test_every_form_of_result_is_read(result: Any, search: dict[str, Any], entries: list[tuple[str, str | None]]):
    is_texts = isinstance(result, list)
    found = CallToolResult(
        content=[TextContent(type="text", text=one) for one in result] if is_texts else [],
        structured_content=None if is_texts else result,
    )
    assert list(entries_in(found, Search(tool="find", **search).model_dump())) == entries


@pytest.mark.soak
def test_a_reset_empties_a_folder_only_if_an_adapter_made_it(made: Made, tmp_path: Path):
    folder = tmp_path / "store"
    agent = made(AgentOptions(storage_path=folder))
    agent.learn("Ada Lund lives in Oslo.")
    agent.reset()
    assert agent.retrieve("Ada Lund", 5) == []
    agent.learn("Ada Lund lives in Bergen.")
    (folder / MARK).unlink()
    with pytest.raises(AgentCallFailed, match="no live adapter made"):
        agent.reset()
    assert "Bergen" in (folder / "notes.json").read_text()


@pytest.mark.parametrize(
    ("changes", "said"),
    sampled(
        [
            (
                {"search": FIND | {"tool": "seek"}},
                "the server has no tool seek; it has find, find_exact, find_prose, save",
            ),
            ({"command": ["no-such-program"]}, "the server did not start: FileNotFoundError"),
            ({"command": [sys.executable, "-c", "raise SystemExit(3)"]}, "the server did not start"),
            ({"command": None, "url": "http://127.0.0.1:9/mcp", "token_variable": "NOTES_TOKEN"}, "--env NOTES_TOKEN"),
        ],
        1,
    ),
)
def test_a_server_that_does_not_start_is_one_line(made: Made, changes: dict[str, Any], said: str):
    with pytest.raises(AgentFailed) as raised:
        made(**changes).learn("x")
    assert raised.value.code == "agent.not-started"
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.system
def test_an_error_of_a_tool_is_that_calls_and_a_dead_server_that_of_all(made: Made):
    agent = made(AgentOptions(timeout_s=10))
    with pytest.raises(AgentCallFailed, match=r"save: .*this cannot be kept"):
        agent.learn("unspeakable")
    agent.learn("Ada Lund lives in Oslo.")
    assert len(agent.retrieve("Oslo", 1)) == 1
    with pytest.raises(AgentCallFailed):
        agent.learn("die now")
    with pytest.raises(AgentCallFailed):
        agent.learn("again")


@pytest.mark.soak
def test_a_server_is_reached_over_http(made: Made):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [*NOTES, "--http", str(port)], env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL
    )
    try:
        _wait_for(port)
        url = f"http://127.0.0.1:{port}/mcp"
        agent = made(command=None, env=None, url=url, reset={"tool": "wipe"})
        report = EvalRunner(world=small_exam(num_turns=20, num_questions=5)).run(agent)
        assert (report.valid, report.overall_score) == (True, 1.0), report.why_invalid
        forgetful = made(command=None, env=None, url=url)
        assert "still remembers" in (EvalRunner(world=small_exam()).run(forgetful).why_invalid or "")
    finally:
        server.kill()
        server.wait()


@pytest.mark.system
def test_the_protocols_own_memory_server_is_examined(tmp_path: Path):
    if shutil.which("node") is None:
        pytest.skip("no node on PATH")
    agent = agent_from(server_memory(tmp_path))
    try:
        report = EvalRunner(world=small_exam(12, 4)).run(agent)
        assert (report.valid, report.overall_score) == (True, 1.0), report.why_invalid
        assert report.system == "memory-server 0.6.3"
    finally:
        agent.close()


def test_every_preset_is_valid_and_pinned():
    for name in PRESETS:
        command = mcp_config(name).command or []
        assert any(word.count("@") + word.count("==") and word[-1].isdigit() for word in command), command


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "or a preset"),
        ("nothing", "or a preset"),
        ("nowhere.yaml", "nowhere.yaml: cannot be read"),
        ("FILE: [", "not YAML"),
        ("FILE: - 1", "expected keys"),
        ("FILE:preset: best", "unknown preset 'best'"),
        ("FILE:write: {tool: a}\nsearch: {tool: b}", "either `command` or `url`"),
        ("FILE:preset: server-memory\nurl: http://h", "either `command` or `url`"),
        ("FILE:preset: server-memory\nsurch: {}", "surch: Extra inputs"),
        ("FILE:preset: server-memory\nsearch: {tool: a, by: letters}", "search.by: Input should be"),
        ("FILE:preset: server-memory\nsearch: {tool: a, pattern: '('}", "not a regular expression"),
        ("FILE:preset: server-memory\nsearch: {tool: a, pattern: '(.)'}", "no group (?P<text>"),
        ("FILE:command: []\nwrite: {tool: a}\nsearch: {tool: b}", "command: List should have"),
    ],
)
def test_a_configuration_that_is_none_is_a_usage_error(tmp_path: Path, text: str, said: str):
    file = tmp_path / "server.yaml"
    if text.startswith("FILE:"):
        file.write_text(text.removeprefix("FILE:"))
        text = str(file)
    with pytest.raises(ExamUsageError) as raised:
        agent_from(f"mcp:{text}")
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the server did not start")
