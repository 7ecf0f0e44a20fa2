"""Any JSON objects with a text in them are a memory, a line each or as one list."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from assay.memory_eval.adapters.snapshots.opening import open_snapshot

OBJECTS: list[tuple[dict[str, Any], str]] = [
    ({"content": "Ada likes tea."}, "Ada likes tea."),
    ({"id": "1", "memory": "likes tea", "hash": "9f", "score": 0.4}, "likes tea"),
    ({"entity": "Ada", "fact": "likes tea"}, "Ada: likes tea"),
    ({"entity": "Ada", "fact": "Ada likes tea"}, "Ada likes tea"),
    ({"subject": "Ada", "attribute": "pet_name", "value": "Pixel"}, "subject: Ada; attribute: pet_name; value: Pixel"),
    ({"message": {"role": "user", "content": [{"type": "text", "text": "Hello"}, {"type": "image"}]}}, "Hello"),
    ({"pet": "cat", "age": 7, "vector": [0.1]}, "pet: cat; age: 7"),
]


@pytest.mark.parametrize(("item", "text"), OBJECTS, ids=lambda value: str(value)[:30])
def test_the_text_of_an_object_is_found(tmp_path: Path, item: dict[str, Any], text: str):
    file = tmp_path / "store.jsonl"
    file.write_text(json.dumps(item) + "\n" + json.dumps({"text": "Another."}) + "\n")
    snapshot = open_snapshot(file)
    assert snapshot.format == "jsonl"
    assert [entry.text for entry in snapshot.entries] == [text, "Another."]


@pytest.mark.parametrize(
    "written",
    [
        '[{"text": "one"}, {"text": "two"}]',
        '{"results": [{"text": "one"}, {"text": "two"}], "total": 2}',
        '[\n  {\n    "text": "one"\n  },\n  {"text": "two"}\n]\n',
        '{\n "memories": [{"text": "one"},\n {"text": "two"}]}',
        '{"text": "one"}\r\n\r\n{"text": "two"}',
    ],
)
def test_lists_and_lines_are_read_alike(tmp_path: Path, written: str):
    file = tmp_path / "store.json"
    file.write_text(written)
    assert [entry.text for entry in open_snapshot(file).entries] == ["one", "two"]


def test_days_and_own_names_are_kept(tmp_path: Path):
    file = tmp_path / "store.jsonl"
    items = [
        {"id": "a7", "text": "one", "updated_at": "2025-03-14T10:00:00Z"},
        {"text": "two", "created_at": 1741946400},
    ]
    file.write_text("\n".join(map(json.dumps, items)))
    entries = open_snapshot(file).entries
    assert [(entry.id, entry.updated_at) for entry in entries] == [
        ("a7", date(2025, 3, 14)),
        ("store.jsonl:2", date(2025, 3, 14)),
    ]


def test_a_broken_line_is_named_and_the_rest_is_read(tmp_path: Path):
    file = tmp_path / "store.jsonl"
    file.write_bytes(b'{"text": "cut of\n{"text": "whole"}\n{"n": []}\n"word"\n{"text": "\\ud800 half"}\n')
    snapshot = open_snapshot(file)
    assert [entry.text for entry in snapshot.entries] == ["whole", "\\ud800 half"]
    assert [line.removeprefix(f"{file}:") for line in snapshot.unread] == [
        "1: no JSON: unterminated string starting at at character 10",
        "3: an object with no text in it",
        "4: a JSON value, but no object",
    ]


def test_every_part_that_was_not_read_is_counted(tmp_path: Path):
    path = tmp_path / "m.jsonl"
    path.write_text('{"text": "Ada likes tea."}\n' + "no object\n" * 120)
    snapshot = open_snapshot(path)
    assert snapshot.num_unread == 120
    assert len(snapshot.unread) == 50
