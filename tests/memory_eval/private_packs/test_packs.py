"""Private packs: a draft is fine, mistakes are named, a run commits to its pack and is verified with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.cli.main import run
from assay.memory_eval import ExamUsageError, check_pack, draft_pack, generate_dialogue, read_pack
from assay.memory_eval.world.packs import public_pack
from tests.codes import code_of
from tests.examples import num_examples
from tests.memory_eval.integrity.test_template_parsers import HELD_OUT

Change = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module")
def draft() -> dict[str, Any]:
    return draft_pack("mine", b"a key")


def written(folder: Path, pack: Any) -> Path:
    file = folder / "pack.json"
    file.write_text(json.dumps(pack), "utf-8")
    return file


def set_to(*path: str, value: Any) -> Change:
    def change(pack: dict[str, Any]) -> None:
        place = pack
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return change


def like_a_birthday(pack: dict[str, Any]) -> None:
    pack["attributes"]["hobby"]["noun"] = pack["attributes"]["birthday"]["noun"]


@pytest.mark.soak
def test_the_public_pack_has_no_mistakes():
    checked = check_pack(public_pack())
    assert checked.mistakes == ()
    assert (checked.oracle or 0) >= 0.99
    assert (checked.recall or 0) >= 0.97


@pytest.mark.soak
def test_a_draft_is_written_checked_and_mostly_new(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "mine.json"
    assert run(["memory", "pack", "new", "--out", str(file), "--name", "mine"]) == 0
    assert run(["memory", "pack", "check", str(file)]) == 0
    assert read_pack(file).hash in capsys.readouterr().out
    assert run(["memory", "pack", "new", "--out", str(file)]) == 2
    checked = check_pack(read_pack(file))
    assert checked.num_public < 0.4 * checked.num_productions


def test_two_drafts_are_different():
    assert draft_pack("x", b"one") != draft_pack("x", b"two")
    assert draft_pack("x", b"one") == draft_pack("x", b"one")


@pytest.mark.soak
def test_the_held_out_pack_is_fine(capsys: pytest.CaptureFixture[str]):
    assert run(["memory", "pack", "check", str(HELD_OUT)]) == 0
    assert "fine: held out 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (set_to("attributes", "hobby", "says", value=["has a hobby"]), "attributes.hobby.says"),
        (set_to("attributes", "hobby", "says", value=["{v} {x}"]), "attributes.hobby.says"),
        (set_to("attributes", "hobby", "asks", value=["What is it?"]), "attributes.hobby.asks"),
        (like_a_birthday, "attributes.hobby.noun"),
        (set_to("told", "forget", value=["Forget it, {s}."]), "told.forget"),
        (set_to("told", "change", value=["{s} has a new {n}: {v}."]), "told.change"),
        (set_to("told", "openers", value=["Hello {who}."]), "told.openers"),
        (set_to("told", "sentences", "1", value=["{c1}."]), "told.sentences.1"),
        (set_to("words", "hobbies", value=["judo", "Judo", "law", "golf"]), "words.hobbies"),
        (set_to("words", "no_such_list", value=["a", "b", "c", "d"]), "words.no_such_list"),
        (set_to("coined", "towns", value={"num": 1}), "coined.towns"),
        (set_to("coined", "towns", value=["a"]), "coined.towns"),
        (set_to("attributes", "pet", "as", value="{x}"), "attributes.pet.as"),
        (set_to("coined", "towns", "num", value=10**9), "coined.towns"),
        (set_to("coined", "towns", "onsets", value=3), "coined.towns"),
        (set_to("told", "talks", value=[{"ask": "{s}?", "answer": "{v}."}]), "told.talks"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, draft: dict[str, Any], change: Change, where: str, capsys):
    pack = json.loads(json.dumps(draft))
    change(pack)
    file = written(tmp_path, pack)
    assert run(["memory", "pack", "check", str(file)]) == 1
    assert any(line.startswith(where) for line in capsys.readouterr().out.splitlines())
    asked = ["memory", "run", "--turns", "20", "--questions", "2", "--adapter", "baseline:nothing"]
    assert run([*asked, "--pack", str(file)]) == 2
    assert "pack.invalid" in capsys.readouterr().err


@pytest.mark.soak
def test_words_that_lose_a_value_are_found_on_drawn_worlds(tmp_path: Path, draft: dict[str, Any], capsys):
    pack = json.loads(json.dumps(draft))
    pack["told"]["sheets"] = [{"head": "{s}", "line": "{n}", "tail": ""}]
    assert run(["memory", "pack", "check", str(written(tmp_path, pack))]) == 1
    assert "does not say" in capsys.readouterr().out


@pytest.mark.parametrize(
    "content",
    [
        "", "[]", "{}", "not JSON", '{"name": 3}', '{"name": "x", "colour": {}}', '{"name": "x", "told": []}',
        '{"name": "x", "told": {"openers": []}}', '{"name": "x", "told": {"no_such_slot": ["a"]}}',
        '{"name": "x", "told": {"openers": [1]}}', '{"name": "x", "told": {"sheets": ["a"]}}',
        '{"name": "x", "attributes": {"hobby": "judo"}}', "[" * 100_000,
    ],
)  # fmt: skip
def test_a_file_that_is_no_pack_is_refused_in_one_line(tmp_path: Path, content: str, capsys):
    file = tmp_path / "pack.json"
    file.write_text(content, "utf-8")
    assert run(["memory", "pack", "check", str(file)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert code_of(line.removeprefix("assay: ")) == "pack.invalid"


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda of: st.lists(of) | st.dictionaries(st.text(max_size=8), of),
    )
)
@settings(max_examples=num_examples(100), deadline=None)
def test_any_json_is_a_pack_or_refused(tmp_path_factory: pytest.TempPathFactory, data: Any):
    file = written(tmp_path_factory.mktemp("any"), {"name": "x", "told": data, "attributes": data, "words": data})
    try:
        read_pack(file)
    except ExamUsageError as error:
        refused = error.code
    else:
        refused = "pack.invalid"
    assert refused == "pack.invalid"


def test_a_file_that_is_not_there_is_refused(tmp_path: Path):
    assert run(["memory", "pack", "check", str(tmp_path / "none.json")]) == 2


def test_a_run_commits_to_its_pack_and_is_verified_with_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    asked = ["memory", "run", "--turns", "60", "--questions", "24", "--adapter", "baseline:bm25"]
    assert run([*asked, "--pack", str(HELD_OUT), "--output-dir", str(tmp_path)]) == 0
    report = tmp_path / "report.json"
    assert json.loads(report.read_text("utf-8"))["pack"] == read_pack(HELD_OUT).hash != public_pack().hash
    assert run(["memory", "verify", str(report), "--pack", str(HELD_OUT)]) == 0
    capsys.readouterr()
    assert run(["memory", "verify", str(report)]) == 1
    assert "--pack" in capsys.readouterr().out


def test_a_world_in_files_has_no_pack(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["memory", "world", "--turns", "20", "--questions", "5", "-o", str(tmp_path / "world")]) == 0
    asked = ["memory", "run", "--world", str(tmp_path / "world"), "--adapter", "baseline:nothing"]
    capsys.readouterr()
    assert run([*asked, "--pack", str(HELD_OUT)]) == 2
    assert "pack.with-world" in capsys.readouterr().err


def test_the_words_of_a_pack_are_used(tmp_path: Path, draft: dict[str, Any]):
    pack = {**draft, "words": {"hobbies": ["alpha", "beta", "gamma", "delta"]}}
    truth = generate_dialogue(200, 3, pack=read_pack(written(tmp_path, pack)))
    hobbies = {one["value"] for turn in truth.turns for one in turn.facts if one["attribute"] == "hobby"}
    assert hobbies
    assert hobbies <= {"alpha", "beta", "gamma", "delta"}
