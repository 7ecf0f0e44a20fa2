"""`assay memory drift`: two states of a memory, or one and the record of the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from assay.cli.main import run
from assay.cli.schema import schema_text
from tests.memory_eval.adapters.snapshots.fixtures import unpacked
from tests.memory_eval.drift.test_drifting import TEXTS

SECRET_KEY = "a key that only the tests know"


def store(path: Path, *texts: str) -> str:
    lines = [json.dumps({"id": f"m{place}", "text": text}) for place, text in enumerate(texts)]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def drift(folder: Path, *arguments: str, code: int = 0) -> dict[str, Any]:
    target = folder / "out.json"
    assert run(["memory", "drift", *arguments, "-o", str(target)]) == code
    found: dict[str, Any] = json.loads(target.read_text())
    return found


def test_two_stores_and_a_record_of_the_older_one_give_the_same(tmp_path: Path):
    old, new = store(tmp_path / "old.jsonl", *TEXTS), store(tmp_path / "new.jsonl", *TEXTS[:30])
    first = drift(tmp_path, old)
    (tmp_path / "out.json").rename(tmp_path / "first.json")
    assert (first["verdict"], first["entries"]) == ("no verdict", None)
    by_store = drift(tmp_path, old, new, "--fail-on-findings", code=1)
    by_record = drift(tmp_path, str(tmp_path / "first.json"), new)
    assert [sign["name"] for sign in by_record["signs"]] == ["entries gone"]
    assert (by_record["entries"], by_record["entries"]["num_gone"]) == (by_store["entries"], 10)
    jsonschema.Draft202012Validator(json.loads(schema_text("memory-drift"))).validate(by_record)


def test_a_memory_of_preferences_that_shrank_fails_and_every_format_has_both_numbers(tmp_path: Path):
    lines = ["Likes short answers", "Allergic to shellfish", "Never commit to main", "Ask before deleting files"]
    old, new, same = (tmp_path / name / "CLAUDE.md" for name in ("old", "new", "same"))
    for path, kept in ((old, lines), (new, lines[:1]), (same, lines[::-1])):
        path.parent.mkdir()
        path.write_text("".join(f"- {line}\n" for line in kept))
    found = drift(tmp_path, str(old), str(new), "--fail-on-findings", code=1)
    assert found["entries"] == {
        "num_before": 4, "num_now": 1, "num_kept": 1, "num_changed": 0, "num_on_record": 0, "num_gone": 3,
        "num_new": 0, "num_comparable": 2, "share": 0.25,
    }  # fmt: skip
    assert drift(tmp_path, str(old), str(same), "--fail-on-findings")["entries"]["num_gone"] == 0
    for name in ("a.html", "a.md", "a.txt"):
        assert run(["memory", "drift", str(old), str(new), "-o", str(tmp_path / name)]) == 0
        text = (tmp_path / name).read_text()
        assert "1 of 4 entries kept" in text


def test_what_nobody_could_read_is_in_the_verdict_of_every_format(tmp_path: Path):
    old, new = store(tmp_path / "old.jsonl", *TEXTS), store(tmp_path / "new.jsonl", *TEXTS)
    assert "not be read" not in drift(tmp_path, old, new)["why"]
    with (tmp_path / "new.jsonl").open("a") as file:
        file.write("not JSON\n")
    found = drift(tmp_path, old, new)
    assert (found["verdict"], found["record"]["num_unread"]) == ("no findings", 1)
    for name in ("a.html", "a.md", "a.txt"):
        assert run(["memory", "drift", old, new, "-o", str(tmp_path / name)]) == 0
        assert found["why"] in " ".join((tmp_path / name).read_text().split())
    assert found["why"].endswith("parts that could not be read: 1")


def test_every_format_is_written_and_names_entries_only_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    old, new = store(tmp_path / "old.jsonl", *TEXTS), store(tmp_path / "new.jsonl", *TEXTS[:30])
    targets = [tmp_path / name for name in ("a.html", "a.md", "a.txt")]
    assert run(["memory", "drift", old, new, *(word for target in targets for word in ("-o", str(target)))]) == 0
    for target in targets:
        text = target.read_text()
        assert "10 entries gone" in text
        assert "Eva Park" not in text
    assert "Content-Security-Policy" in targets[0].read_text()
    assert run(["memory", "drift", old, new, "--examples"]) == 0
    assert "Orr" in capsys.readouterr().out


def test_with_a_secret_key_the_record_has_no_salt_and_needs_the_key_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    old = store(tmp_path / "old.jsonl", *TEXTS)
    monkeypatch.setenv("ASSAY_MEMORY_KEY", SECRET_KEY)
    first = drift(tmp_path, old)
    assert first["record"]["salt"] == ""
    assert SECRET_KEY not in (tmp_path / "out.json").read_text()
    kept = tmp_path / "kept.json"
    (tmp_path / "out.json").rename(kept)
    assert drift(tmp_path, str(kept), old)["verdict"] == "no findings"
    for other in ("", "another"):
        monkeypatch.setenv("ASSAY_MEMORY_KEY", other)
        assert run(["memory", "drift", str(kept), old]) == 2
        assert "drift.other-key" in capsys.readouterr().err


def test_requests_to_forget_are_read_from_a_file(tmp_path: Path):
    (tmp_path / "forget.txt").write_text(f"# by Ada\n\n{TEXTS[0]}\nno such entry\n")
    found = drift(tmp_path, store(tmp_path / "old.jsonl", *TEXTS), "--forget", str(tmp_path / "forget.txt"))
    assert [(sign["name"], sign["count"]) for sign in found["signs"]] == [("not forgotten", 1)]
    assert len(found["record"]["requests"]) == 2


def test_the_record_of_the_newer_store_takes_no_requests(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    drift(tmp_path, store(tmp_path / "new.jsonl", *TEXTS))
    (tmp_path / "out.json").rename(tmp_path / "record.json")
    (tmp_path / "forget.txt").write_text(f"{TEXTS[0]}\n")
    assert run(["memory", "drift", str(tmp_path / "record.json"), "--forget", str(tmp_path / "forget.txt")]) == 2
    assert "drift.store-needed" in capsys.readouterr().err
    assert drift(tmp_path, str(tmp_path / "record.json"))["verdict"] == "no verdict"


def test_a_store_of_mem0_records_its_deletions(tmp_path: Path):
    found = drift(tmp_path, str(unpacked("mem0", tmp_path)))
    assert found["record"]["states"] == {"live": 8, "history": 4}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ('{\n  "schema_version": 1,\n  "verdict": "findings"', "drift.unreadable"),
        ('{\n  "schema_version": 1,\n  "verdict": "findings", "record": {}}', "drift.unreadable"),
        ('{\n  "schema_version": 1,\n  "verdict": "' + "x" * 1000 + '"}', "drift.unreadable"),
    ],
)
def test_a_damaged_record_is_refused_with_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, code: str
):
    (tmp_path / "bad.json").write_text(content)
    assert run(["memory", "drift", str(tmp_path / "bad.json"), store(tmp_path / "old.jsonl", *TEXTS)]) == 2
    said = capsys.readouterr().err
    assert code in said
    assert len(said.strip().splitlines()) == 1


def test_three_paths_are_one_too_many(tmp_path: Path):
    old = store(tmp_path / "old.jsonl", *TEXTS)
    assert run(["memory", "drift", old, old, old]) == 2
