"""An exam as a folder: the same bytes for the same seed, read back as it was, and never over somebody's files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from assay.cli.schema import schema_text
from assay.memory_eval import ExamUsageError, Question, WorldUnreadable, generate_dialogue, generate_questions
from assay.memory_eval.exam.folder import MOST_ANSWER_CHARACTERS, read_answers, read_exam, write_exam

FILES = ("turns.jsonl", "questions.jsonl", "manifest.json")


@pytest.fixture(scope="module")
def truth():
    return generate_dialogue(num_turns=120, seed=7)


@pytest.fixture(scope="module")
def questions(truth) -> list[Question]:
    return generate_questions(truth, num_questions=40)


@pytest.fixture
def folder(tmp_path: Path, truth, questions: list[Question]) -> Path:
    write_exam(tmp_path / "world", truth, questions, 7)
    return tmp_path / "world"


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def test_what_is_read_back_is_what_was_written(folder: Path, truth, questions: list[Question]):
    exam = read_exam(folder)
    assert exam.turns == truth.turns
    assert exam.questions == questions
    assert exam.manifest["seed"] == 7
    assert exam.notes == ()


def test_the_lines_have_the_keys_programs_rely_on_in_one_order(folder: Path):
    for turn in lines(folder / "turns.jsonl"):
        keys = ["turn_number", "content", "block", "block_name", "facts"]
        assert list(turn) == [*keys, "role", "speaker", "session", "time", "continues"]
        for fact in turn["facts"]:
            assert list(fact) == ["entity", "attribute", "value", "source", "valid_from"]
    for question in lines(folder / "questions.jsonl"):
        wanted = "id category text expected_answer answer_type answer relevant_turns dimensions rubric".split()
        assert list(question) == wanted
        assert isinstance(question["expected_answer"], str)
        assert question["expected_answer"]
        assert question["answer"]["type"] == question["answer_type"]


@pytest.mark.parametrize("name", ["turn", "question"])
def test_the_lines_keep_the_published_schema(folder: Path, name: str):
    validator = jsonschema.Draft202012Validator(json.loads(schema_text(f"memory-{name}")))
    for line in lines(folder / f"{name}s.jsonl"):
        validator.validate(line)


def test_the_same_seed_gives_the_same_bytes_in_another_process_whatever_its_hash_seed(tmp_path: Path):
    for seed in ("1", "2"):
        asked = ["memory", "world", "--turns", "60", "--questions", "20", "-o", str(tmp_path / seed)]
        script = f"from assay.cli.main import run; raise SystemExit(run({asked!r}))"
        environment = {"PYTHONHASHSEED": seed, "LC_ALL": "C"}
        subprocess.run([sys.executable, "-P", "-c", script], env=environment, check=True, capture_output=True)
    for file in FILES:
        assert (tmp_path / "1" / file).read_bytes() == (tmp_path / "2" / file).read_bytes()
        assert b"\r" not in (tmp_path / "1" / file).read_bytes()


def test_an_earlier_world_is_replaced_and_nothing_half_written_stays(folder: Path, truth, questions: list[Question]):
    write_exam(folder, truth, questions[:5], 7)
    assert len(read_exam(folder).questions) == 5
    assert {path.name for path in folder.iterdir()} == set(FILES)


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path, truth, questions: list[Question]):
    (tmp_path / "thesis.txt").write_text("three years of work")
    with pytest.raises(ExamUsageError, match="not a generated world; use --force"):
        write_exam(tmp_path, truth, questions, 7)
    (tmp_path / "manifest.json").write_text('{"name": "somebody else\'s"}')
    with pytest.raises(ExamUsageError, match=r"world\.not-generated"):
        write_exam(tmp_path, truth, questions, 7)
    write_exam(tmp_path, truth, questions, 7, force=True)
    assert (tmp_path / "thesis.txt").read_text() == "three years of work"
    assert read_exam(tmp_path).manifest["seed"] == 7


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path, truth, questions: list[Question]):
    (tmp_path / "file").write_text("x")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(ExamUsageError, match=r"is a file|cannot be written"):
            write_exam(place, truth, questions, 7)


def test_a_world_that_was_changed_is_read_and_said_to_be_changed(folder: Path):
    kept = (folder / "questions.jsonl").read_text("utf-8").split("\n")[:3]
    (folder / "questions.jsonl").write_text("\n".join(kept), "utf-8")
    exam = read_exam(folder)
    assert len(exam.questions) == 3
    assert exam.notes == ("questions.jsonl does not match its manifest: it was changed since it was written",)


def test_questions_alone_can_be_graded(folder: Path):
    (folder / "turns.jsonl").unlink()
    assert len(read_exam(folder, wants_turns=False).questions) == 40
    with pytest.raises(WorldUnreadable, match=r"holds no turns\.jsonl"):
        read_exam(folder)


# ------------------------------------------------------------------ answers


def answers(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_answers_are_found_by_their_questions(tmp_path: Path, questions: list[Question]):
    one, two, three, four = (question.id for question in questions[:4])
    path = answers(
        tmp_path,
        f'{{"id": "{one}", "answer": "yes", "confidence": 0.5, "latency": 3}}\n\n{{"id": "{two}"}}\n'
        f'{{"id": "{three}", "answer": null}}\r\n{{"id": "{four}", "answer": 480}}',
    )
    found = read_answers(path, questions)
    assert [found[name].text for name in (one, two, three, four)] == ["yes", "", "", "480"]
    assert found[one].confidence == 0.5


def test_a_huge_answer_is_cut_and_a_lone_surrogate_is_kept_as_text(tmp_path: Path, questions: list[Question]):
    name = questions[0].id
    path = answers(tmp_path, f'{{"id": "{name}", "answer": "\\ud800{"x" * 10_000_000}"}}')
    assert len(read_answers(path, questions)[name].text) < MOST_ANSWER_CHARACTERS + 10


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"id": "nobody", "answer": "x"}', ":1: no question has the id 'nobody'"),
        ('{"id": "ID", "answer": "x"}\n{"id": "ID", "answer": "y"}', ":2: the id 'ID' was answered on line 1 already"),
        ('{"answer": "x"}', ":1: 'id' is missing"),
        ('{"id": "ID", "answer": ["x"]}', ":1: answer: input should be a valid string"),
        ('{"id": "ID", "confidence": 7}', ":1: confidence: input should be less than or equal to 1"),
        ("\nnot json", ":2: not JSON"),
        ('{"id": "ID", "answer": ', ":1: not JSON: Expecting value: line 1 column 27"),
        ('{"id": "ID", "answer": ' + "9" * 6000 + "}", ":1: not JSON: Exceeds the limit (4300 digits)"),
        ('["ID", "x"]', ":1: expected an object, not list"),
        ('{"id": NaN}', ":1: not JSON: NaN is not a finite number"),
        ("[" * 100_000, ":1: not JSON: nested too deeply"),
        (b'{"id": "\xff"}', ":1: not UTF-8"),
    ],
)
def test_answers_that_make_no_sense_are_one_line_with_file_and_line(
    tmp_path: Path, questions: list[Question], text: str | bytes, said: str
):
    written = text.replace("ID", questions[0].id) if isinstance(text, str) else text
    with pytest.raises(WorldUnreadable) as caught:
        read_answers(answers(tmp_path, written), questions)
    assert said.replace("ID", questions[0].id) in str(caught.value)
    assert "answers.jsonl:" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_answers_that_are_not_there_are_one_line(tmp_path: Path, questions: list[Question]):
    with pytest.raises(WorldUnreadable, match=r"file\.not-read"):
        read_answers(tmp_path / "none.jsonl", questions)
    with pytest.raises(WorldUnreadable, match=r"file\.not-read"):
        read_answers(tmp_path, questions)
    with pytest.raises(WorldUnreadable, match="JSON lines"):
        read_answers(tmp_path / "answers.yaml", questions)
