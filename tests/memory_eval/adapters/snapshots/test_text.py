"""A plain text is a memory of its paragraphs, items and sentences' lines."""

from __future__ import annotations

from pathlib import Path

from assay.memory_eval.adapters.snapshots.opening import open_snapshot


def test_paragraphs_items_and_lines_that_end_a_sentence_are_entries(tmp_path: Path):
    file = tmp_path / "memory"
    file.write_text("Ada likes tea\nand has a cat.\nBo leads Atlas.\n\n2025-03-14 met Cy\n- buy milk\n- call Di\n")
    snapshot = open_snapshot(file)
    assert snapshot.format == "text"
    assert [(entry.id, entry.text) for entry in snapshot.entries] == [
        ("memory:1", "Ada likes tea and has a cat."),
        ("memory:3", "Bo leads Atlas."),
        ("memory:5", "2025-03-14 met Cy"),
        ("memory:6", "- buy milk"),
        ("memory:7", "- call Di"),
    ]
    assert str(snapshot.entries[2].updated_at) == "2025-03-14"


def test_a_folder_s_texts_are_read(tmp_path: Path):
    (tmp_path / "b.txt").write_text("second")
    (tmp_path / "a.TXT").write_text("first")
    (tmp_path / "c.bin").write_bytes(bytes(range(256)))
    assert [entry.text for entry in open_snapshot(tmp_path).entries] == ["first", "second"]
