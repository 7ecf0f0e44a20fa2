"""Memories as files of every format: what is read, with its place and day, and what is not."""

from __future__ import annotations

import time
from pathlib import Path

from assay.memory_eval.adapters.snapshots.opening import open_snapshot
from tests.conftest import ROOT
from tests.tables import read_yaml

FILES = read_yaml(ROOT / "tests/cases/memory/files.yaml")


def test_every_file_is_read_as_the_table_says(tmp_path: Path):
    for number, (name, row) in enumerate(FILES.items()):
        folder = tmp_path / str(number) / "memory"
        for file, content in row["files"].items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(content.encode("utf-8"))
        snapshot = open_snapshot(folder / row["open"] if "open" in row else folder)
        assert snapshot.format == row["format"], name
        wanted = [one if isinstance(one, list) else [None, one] for one in row["entries"]]
        assert [entry.text for entry in snapshot.entries] == [one[1] for one in wanted], name
        for entry, (place, _, *day) in zip(snapshot.entries, wanted, strict=True):
            assert place in (None, entry.id), name
            assert place is None or [str(entry.updated_at)] == [str(one) for one in day or [None]], name
        assert [line.removeprefix(str(folder)) for line in snapshot.unread] == row.get("unread", []), name


def test_links_are_never_followed(tmp_path: Path):
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "secret.md").write_text("The password is swordfish.\n")
    (project / "linked.md").symlink_to(tmp_path / "secret.md")
    (project / "up").symlink_to(tmp_path)
    (project / "AGENTS.md").write_text("Imported: @linked.md @up/secret.md\n")
    whole, alone = open_snapshot(project), open_snapshot(project / "AGENTS.md")
    assert not any("swordfish" in entry.text for entry in (*whole.entries, *alone.entries))
    assert sorted(line.removeprefix(str(project)) for line in whole.unread) == [
        "/linked.md:1: a link, which is not followed",
        "/up:1: a link, which is not followed",
    ]
    assert (len(alone.entries), len(alone.unread)) == (1, 2)


def test_a_file_of_nothing_but_imports_or_rules_is_read_in_bearable_time(tmp_path: Path):
    file = tmp_path / "CLAUDE.md"
    began_s = time.process_time()
    file.write_text("# Notes\n" + "@a/b " * 300_000)
    snapshot = open_snapshot(file)
    assert len(snapshot.unread) <= 51
    file.write_text("# Notes\n" + "_ " * 1_000_000 + "x\n- a fact\n")
    assert open_snapshot(file).entries[-1].text.endswith("a fact")
    assert time.process_time() - began_s < 5


def test_every_part_that_was_not_read_is_counted(tmp_path: Path):
    path = tmp_path / "m.jsonl"
    path.write_text('{"text": "Ada likes tea."}\n' + "no object\n" * 120)
    snapshot = open_snapshot(path)
    assert (snapshot.num_unread, len(snapshot.unread)) == (120, 50)
