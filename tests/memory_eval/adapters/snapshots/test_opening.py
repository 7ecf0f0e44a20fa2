"""Whatever lies at the path: a memory, or one clear line; never a traceback, a wait or more than the bounds."""

from __future__ import annotations

import json
import os
import socket
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.memory_eval.adapters.snapshots import reading
from assay.memory_eval.adapters.snapshots.opening import TITLES, open_snapshot
from assay.memory_eval.adapters.snapshots.snapshot import MOST_CHARACTERS, Snapshot, pieces
from assay.memory_eval.errors import WorldUnreadable

READABLE = ", ".join(TITLES)


def refusal(path: Path) -> str:
    with pytest.raises(WorldUnreadable) as caught:
        open_snapshot(path)
    line = str(caught.value)
    assert "\n" not in line
    return line


def looked_at(path: Path) -> Snapshot | None:
    """What was read, or None where one clear line said why not."""
    try:
        snapshot = open_snapshot(path)
    except WorldUnreadable as error:
        line = str(error)
        snapshot = None
    if snapshot is None:
        assert line.isprintable()
        return None
    for entry in snapshot.entries:
        entry.text.encode()
        assert len(entry.text) <= MOST_CHARACTERS + 2_000
    assert all(line.isprintable() for line in snapshot.unread)
    return snapshot


def test_what_cannot_be_read_is_refused_with_the_formats_that_can(tmp_path: Path):
    for name, content in (("one.lbug", b"LBUG\x27\0\0\0\xff\xfe"), ("points.pkl", b"\x80\x04\x95\0\xff\xfe")):
        (tmp_path / name).write_bytes(content)
        line = refusal(tmp_path / name)
        assert READABLE in line
        assert "export" in line


def test_links_pipes_sockets_devices_and_nothing_at_all_are_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    assert "snapshot.missing" in refusal(tmp_path / "missing.md")
    assert "snapshot.missing" in refusal(Path("a\0b"))
    assert "snapshot.missing" in refusal(tmp_path / ("x" * 5000))
    (tmp_path / "link.md").symlink_to("/etc/passwd")
    assert "snapshot.link" in refusal(tmp_path / "link.md")
    os.mkfifo(tmp_path / "pipe.md")
    assert "snapshot.unknown-format" in refusal(tmp_path / "pipe.md")
    monkeypatch.chdir(tmp_path)  # a socket's path has to be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("door.md")
        refusal(tmp_path / "door.md")
    refusal(Path("/dev/zero"))
    (tmp_path / "program").write_bytes(bytes(range(256)) * 10)
    assert "snapshot.unknown-format" in refusal(tmp_path / "program")
    (tmp_path / "empty").mkdir()
    refusal(tmp_path / "empty")
    (tmp_path / "nothing.md").write_text("\n\n---\n")
    assert "snapshot.empty" in refusal(tmp_path / "nothing.md")


def test_a_name_that_would_break_the_line_is_shown_escaped(tmp_path: Path):
    name = os.fsdecode(b"bad\n\x1b[31m\xff.md")
    (tmp_path / name).symlink_to("/etc/passwd")
    assert refusal(tmp_path / name).isprintable()


def test_the_bounds_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "many").mkdir()
    for number in range(12):
        (tmp_path / f"many/{number}.md").write_text("x " * 2**16)
    monkeypatch.setattr(reading, "MOST_BYTES", 2**20)
    assert "snapshot.too-large" in refusal(tmp_path / "many")
    monkeypatch.setattr(reading, "MOST_SEEN", 5)
    assert "snapshot.too-many-files" in refusal(tmp_path / "many")


def test_very_many_entries_are_refused_rather_than_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reading, "MOST_ENTRIES", 100)
    (tmp_path / "x.md").write_text("- a\n" * 101)
    assert "more than 100 entries" in refusal(tmp_path / "x.md")


def test_a_long_text_is_split_in_linear_time():
    text = "word " * 8_000_000
    began = time.process_time()
    found = pieces(text)
    assert time.process_time() - began < 2
    assert " ".join(found) == text.strip()
    assert pieces("a" * 50_000) == ["a" * 20_000, "a" * 20_000, "a" * 10_000]


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 100_000,
        b'{"text": ' * 100_000,
        b'{"type":"entity","name":"a","entityType":"b","observations":' + b"[" * 100_000,
        b'{"text": ' + b"9" * 10_000 + b"}",
        b'{"text": 1e999}\n{"updated_at": ' + b"9" * 400 + b', "text": "x"}',
        b'{"type":"entity","name":"\\ud800","entityType":"\\udfff","observations":["\\ud83d"]}',
        b"\xff\xfe" + "# Ada likes tea".encode("utf-16-le"),
        b"\xff\xfe\x00",
        b"word\0word " * 1000,
        b"- " * 500_000,
        b"> " * 500_000,
        b"`" * 500_000,
        b"|" * 500_000,
        b"#" * 500_000,
        b"@a/" * 300_000,
        b"a" * 5_000_000,
        b"---\n" + b"a: &x *x\n" * 1000,
        b"[](" * 200_000,
        "\N{RIGHT-TO-LEFT OVERRIDE}\N{ZERO WIDTH SPACE}x".encode() * 1000,
    ],
    ids=lambda content: repr(content[:20]),
)
@pytest.mark.parametrize("suffix", [".md", ".jsonl", ".json", ".txt", ""])
@pytest.mark.cpu(20)
def test_hostile_content_is_read_in_bounds_or_refused_in_a_line(tmp_path: Path, content: bytes, suffix: str):
    file = tmp_path / f"memory{suffix}"
    file.write_bytes(content)
    looked_at(file)


field_names = st.sampled_from("type name entityType observations from to relationType text content message id".split())
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(field_names, inner, max_size=5),
    max_leaves=12,
)


@given(st.binary(max_size=400), st.sampled_from([".md", ".jsonl", ".json", ".txt", ""]))
def test_any_bytes_are_a_memory_or_a_line(tmp_path_factory: pytest.TempPathFactory, content: bytes, suffix: str):
    file = tmp_path_factory.mktemp("any") / f"m{suffix}"
    file.write_bytes(content)
    looked_at(file)


@given(st.lists(json_values, max_size=4))
def test_any_json_is_a_memory_or_a_line(tmp_path_factory: pytest.TempPathFactory, values: list[object]):
    folder = tmp_path_factory.mktemp("any")
    (folder / "lines.jsonl").write_text("\n".join(map(json.dumps, values)))
    (folder / "list.json").write_text(json.dumps(values))
    for path in (folder, folder / "lines.jsonl", folder / "list.json"):
        looked_at(path)


@given(st.text(st.sampled_from("#-*`|~>:@=\n\n  .[]x!/<"), max_size=200))
def test_any_markdown_is_a_memory_or_a_line(tmp_path_factory: pytest.TempPathFactory, text: str):
    file = tmp_path_factory.mktemp("any") / "m.md"
    file.write_text(text)
    looked_at(file)
