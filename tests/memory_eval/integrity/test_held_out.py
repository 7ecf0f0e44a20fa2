"""Held-out packs are entered before a release and published afterwards, unchanged."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from assay.memory_eval import ExamUsageError, draft_pack
from tests.memory_eval.integrity.held_out import REGISTER, commit, retire


def test_published_packs_are_those_that_were_entered():
    entries = json.loads(REGISTER.read_text("utf-8"))
    published = [one for one in entries if one["published"]]
    assert published
    for one in published:
        data = REGISTER.with_name(one["published"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == one["sha256"]
    assert len({one["release"] for one in entries}) == len(entries)


@pytest.mark.soak
def test_a_pack_is_entered_once_and_published_unchanged(tmp_path: Path):
    register, file = tmp_path / "register" / "packs.json", tmp_path / "mine.json"
    register.parent.mkdir()
    file.write_text(json.dumps(draft_pack("mine", b"a key")), "utf-8")
    digest = commit(file, "9", register)
    assert json.loads(register.read_text("utf-8")) == [{"release": "9", "sha256": digest, "published": None}]
    with pytest.raises(ExamUsageError, match="already"):
        commit(file, "9", register)
    assert retire(file, register).read_bytes() == file.read_bytes()
    file.write_text(file.read_text("utf-8") + " ", "utf-8")
    with pytest.raises(ExamUsageError, match="not in the register"):
        retire(file, register)


def test_a_pack_with_mistakes_is_not_entered(tmp_path: Path):
    file = tmp_path / "bad.json"
    file.write_text('{"name": "x", "told": {"forget": ["Forget it."]}}', "utf-8")
    with pytest.raises(ExamUsageError, match=r"told\.forget"):
        commit(file, "9", tmp_path / "packs.json")
