"""Files that are not of their form are refused in one line with file, line and place; hostile ones are bounded."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.memory_eval import WorldUnreadable
from assay.memory_eval.benchmarks.benchmark import elements_of
from tests.memory_eval.benchmarks.copies import PATHS, changed, worlds


def refused(name: str, path: Path) -> str:
    """The one line that refuses a copy."""
    with pytest.raises(WorldUnreadable) as caught:
        worlds(name, path)
    line = str(caught.value)
    assert "\n" not in line
    assert len(line) < 600
    return line


@pytest.mark.parametrize(
    ("name", "change", "place"),
    [
        ("locomo", lambda data: data[0].pop("qa"), "'qa' is missing"),
        ("locomo", lambda data: data[0].pop("conversation"), "'conversation' is missing"),
        ("locomo", lambda data: data[0].update(conversation=[]), "conversation: "),
        ("locomo", lambda data: data[0].update(conversation={}), "no session has turns"),
        ("locomo", lambda data: data[0]["qa"][1].pop("answer"), "qa.1.answer is missing"),
        ("locomo", lambda data: data[0]["qa"][1].update(category=6), "qa.1.category"),
        ("locomo", lambda data: data[0]["qa"][1].update(question=7), "qa.1.question"),
        ("locomo", lambda data: data[0]["qa"][1].update(evidence="D1:1"), "qa.1.evidence"),
        ("locomo", lambda data: data[0]["conversation"]["session_1"][0].pop("text"), "sessions.1.turns.0.text"),
        ("locomo", lambda data: data[0]["conversation"].update(session_1="x"), "conversation.sessions.1.turns"),
        ("longmemeval", lambda data: data[0].pop("answer"), "'answer' is missing"),
        ("longmemeval", lambda data: data[0].update(question_id=""), "question_id"),
        ("longmemeval", lambda data: data[0]["haystack_dates"].pop(), "a1: haystack_dates has 1 entries"),
        ("longmemeval", lambda data: data[0]["haystack_session_ids"].pop(), "a1: haystack_session_ids has 1 entries"),
        ("longmemeval", lambda data: data[0].update(haystack_sessions=[[], []]), "a1: haystack_sessions has no turns"),
        ("longmemeval", lambda data: data[0]["haystack_sessions"][0][0].update(role="root"), "sessions.0.0.role"),
        ("longmemeval", lambda data: data.append(data[0]), "a second world is named 'a1'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, name: str, change: Callable[[Any], object], place: str):
    line = refused(name, changed(tmp_path, name, change))
    assert f"world.invalid-row: {tmp_path / name}.json:" in line
    assert place in line


def test_the_number_is_that_of_the_element(tmp_path: Path):
    path = changed(tmp_path, "longmemeval", lambda data: data[1].pop("question"))
    assert f"{path}:2: " in refused("longmemeval", path)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "the file is empty"),
        ("7", "expected a list or an object"),
        ("[7]", "expected an object"),
        ("[{}", "not JSON: "),
        ('[{"a": 1} {"a": 2}]', "not JSON: "),
        ('[{"a": }]', "not JSON: "),
        ('[{}, {"a": "', "not JSON: "),
        ('[{"a": NaN}]', "not JSON: "),
        ("[{}] x", "not JSON: "),
        ('[{"a":' + "[" * 1_000, "not JSON: "),
    ],
)
def test_what_is_not_json_is_refused(tmp_path: Path, text: str, what: str):
    (tmp_path / "copy.json").write_text(text, "utf-8")
    with pytest.raises(WorldUnreadable, match=r"copy\.json:(\d+:)? ") as caught:
        list(elements_of(tmp_path / "copy.json"))
    assert what in str(caught.value)


@pytest.mark.parametrize("name", PATHS)
def test_a_missing_copy_is_said(tmp_path: Path, name: str):
    assert "none" in refused(name, tmp_path / "none")


@pytest.mark.parametrize("name", ["locomo", "longmemeval"])
def test_a_folder_or_another_encoding_is_refused(tmp_path: Path, name: str):
    assert "cannot be read" in refused(name, tmp_path)
    (tmp_path / "copy.json").write_bytes("[]".encode("utf-16"))
    assert "expected a list" in refused(name, tmp_path / "copy.json")


def test_beam_names_the_missing_file_and_the_place(tmp_path: Path):
    assert "no folder with chat.json" in refused("beam", tmp_path)
    (tmp_path / "chat.json").write_text('[{"batch_number": 1, "turns": [[{"role": "user"}]]}]', "utf-8")
    assert "holds no probing_questions.json" in refused("beam", tmp_path)
    asked = tmp_path / "probing_questions.json"
    asked.write_text("{}", "utf-8")
    assert "chat.json:1: 'turns.0.0.content' is missing" in refused("beam", tmp_path)
    (tmp_path / "chat.json").write_text("[]", "utf-8")
    assert "chat.json: holds no turns" in refused("beam", tmp_path)
    (tmp_path / "chat.json").write_text(
        '[{"batch_number": 1, "turns": [[{"role": "user", "content": "Hello."}]]}]', "utf-8"
    )
    asked.write_text('{"abstention": [{"question": "Who?", "rubric": []}]}', "utf-8")
    assert "of.abstention.0.rubric" in refused("beam", tmp_path)


def test_beam_bounds_the_ids_of_a_hostile_file(tmp_path: Path):
    ids: Any = list(range(50_000))
    for _ in range(50):
        ids = [ids]
    (tmp_path / "chat.json").write_bytes((PATHS["beam"] / "1/chat.json").read_bytes())
    asked = {"summarization": [{"question": "Sum?", "rubric": ["x"], "source_chat_ids": ids}]}
    (tmp_path / "probing_questions.json").write_text(json.dumps(asked), "utf-8")
    (world,) = worlds("beam", tmp_path)
    assert len(world.questions[0].relevant_turns) <= len(world.turns)


def test_too_many_elements_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("assay.memory_eval.benchmarks.benchmark.MOST_ELEMENTS", 2)
    (tmp_path / "copy.json").write_text("[{}, {}, {}]", "utf-8")
    with pytest.raises(WorldUnreadable, match="more than 2 elements"):
        list(elements_of(tmp_path / "copy.json"))
