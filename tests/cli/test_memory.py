"""`assay memory world`, `grade`, `report`, `merge`: what they write, and what they say of what makes no sense."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from assay.cli.main import run
from assay.cli.schema import schema_text
from tests.fakes.judges import good
from tests.fakes.model import FakeModel
from tests.memory_eval.reports import scored


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("memory") / "world"
    assert run(["memory", "world", "--turns", "100", "--questions", "30", "--seed", "5", "--output", str(folder)]) == 0
    return folder


def questions(world: Path) -> list[dict]:
    return [json.loads(line) for line in (world / "questions.jsonl").read_text("utf-8").split("\n") if line]


def answered(path: Path, world: Path, **others: str | None) -> Path:
    """The right answers, but for those given here."""
    lines = [{"id": one["id"], "answer": others.get(one["id"], one["expected_answer"])} for one in questions(world)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def written(path: Path, **others: object) -> Path:
    from assay.memory_eval import rendered

    path.write_text(rendered(scored({"a": 1.0, "b": 0.5}, **others), "json"), "utf-8")
    return path


def test_a_world_is_written_and_said_so(world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["memory", "world", "--turns", "100", "--questions", "30", "--seed", "5", "-o", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "100 turns with" in said
    assert "30 questions in 24 categories" in said
    for name in ("turns.jsonl", "questions.jsonl", "manifest.json"):
        assert (tmp_path / name).read_bytes() == (world / name).read_bytes()


def test_right_answers_are_graded_as_json(world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    first, second, *_ = (one["id"] for one in questions(world))
    answers = answered(tmp_path / "answers.jsonl", world, **{first: None, second: "It is certainly 99 bottles."})
    out = tmp_path / "graded.json"
    assert run(["memory", "grade", "--world", str(world), "--answers", str(answers), "-o", str(out)]) == 0
    assert capsys.readouterr().out == ""
    data = json.loads(out.read_text("utf-8"))
    jsonschema.Draft202012Validator(json.loads(schema_text("memory-report"))).validate(data)
    results = data["results"]
    assert [one["question_id"] for one in results] == [one["id"] for one in questions(world)]
    assert [one["score"] for one in results[:2]] == [0.0, 0.0]
    assert min(one["score"] for one in results[2:]) >= 0.99
    assert data["overall_score"] == pytest.approx(sum(one["score"] for one in results) / 30)
    for key in ("question_id", "category", "score", "dimensions", "expected", "answer", "reasoning"):
        assert key in results[0]
    for row in data["category_breakdown"]:
        assert set(row) == {"category", "avg_score", "min_score", "max_score", "num_questions"}
    assert data["not_graded"] == []


@pytest.mark.soak
def test_grading_writes_every_format_by_its_suffix(world: Path, tmp_path: Path):
    answers = answered(tmp_path / "answers.jsonl", world)
    files = [tmp_path / name for name in ("r.json", "r.md", "r.html", "r.txt")]
    outputs = [word for file in files for word in ("-o", str(file))]
    assert run(["memory", "grade", "--world", str(world), "--answers", str(answers), *outputs]) == 0
    assert json.loads(files[0].read_text("utf-8"))["overall_score"] > 0.99
    assert files[1].read_text("utf-8").startswith("# Memory examination: ")
    assert "<!doctype html>" in files[2].read_text("utf-8")
    assert "CATEGORY BREAKDOWN" in files[3].read_text("utf-8")


def test_a_score_below_what_was_asked_for_exits_with_one(world: Path, tmp_path: Path):
    nothing = tmp_path / "none.jsonl"
    nothing.write_text("")
    asked = ["memory", "grade", "--world", str(world), "--answers", str(nothing)]
    assert run([*asked, "--fail-under", "0.1"]) == 1
    assert run(asked) == 0


@pytest.mark.soak
def test_hybrid_grading_without_a_key_grades_what_it_can(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "graded.json"
    asked = ["memory", "grade", "--world", str(world), "--answers", str(answered(tmp_path / "a.jsonl", world))]
    assert run([*asked, "--grading", "hybrid", "-o", str(out)]) == 0
    assert "model.no-key" in capsys.readouterr().err
    data = json.loads(out.read_text("utf-8"))
    assert data["overall_score"] is not None
    assert run([*asked, "--grading", "judge"]) == 3


def test_the_judges_calls_and_cost_are_printed_before_its_first_call(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    out, graded = tmp_path / "graded.json", str(answered(tmp_path / "a.jsonl", world))
    judge = ["--grading", "hybrid", "--grader-model", "claude-haiku-5-5", "--grader-votes", "1"]
    with FakeModel(answers=good) as model:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", model.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
        assert run(["memory", "grade", "--world", str(world), "--answers", graded, *judge, "-o", str(out)]) == 0
        (line,) = [line for line in capsys.readouterr().err.splitlines() if "without retries" in line]
        assert int(line.split()[4]) == len(model.asked) == json.loads(out.read_text("utf-8"))["judge"]["num_calls"]
        examined = ["memory", "run", "--world", str(world), "--adapter", "baseline:nothing", *judge]
        assert run(examined) == 0
        assert "without retries" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('{"id": "nobody", "answer": "x"}\n', "answers.jsonl:1: no question has the id 'nobody'"),
        (
            '{"id": "ID", "answer": "x"}\n{"id": "ID", "answer": "x"}\n',
            "answers.jsonl:2: the id 'ID' was answered on line 1",
        ),
        ("{}\n", "answers.jsonl:1: 'id' is missing"),
    ],
)
def test_answers_that_make_no_sense_exit_with_two(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: str, said: str
):
    name = questions(world)[0]["id"]
    (tmp_path / "answers.jsonl").write_text(lines.replace("ID", name))
    asked = ["memory", "grade", "--world", str(world), "--answers", str(tmp_path / "answers.jsonl")]
    assert run(asked) == 2
    error = capsys.readouterr().err
    assert said.replace("ID", name) in error
    assert error.count("\n") == 1


def test_a_world_by_hand_is_graded(tmp_path: Path):
    (tmp_path / "turns.yaml").write_text("- Sarah Chen is allergic to shellfish.\n")
    (tmp_path / "questions.yaml").write_text(
        "- id: allergy\n  text: What is Sarah's allergy?\n  required_keywords: [shellfish]\n"
        "  incorrect_patterns: [peanut]\n"
    )
    scores = []
    for answer in ("Her allergy is shellfish.", "Peanuts and shellfish: peanut", "I forgot."):
        (tmp_path / "answers.jsonl").write_text(json.dumps({"id": "allergy", "answer": answer}))
        asked = ["memory", "grade", "--world", str(tmp_path), "--answers", str(tmp_path / "answers.jsonl")]
        assert run([*asked, "-o", str(tmp_path / "r.json")]) == 0
        scores.append(json.loads((tmp_path / "r.json").read_text())["overall_score"])
    assert scores[0] > 0.7
    assert scores[1:] == [0.0, 0.0]


# ------------------------------------------------------------------ reports


def test_a_report_is_shown_again_in_another_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = written(tmp_path / "report.json")
    assert run(["memory", "report", str(file), "-o", str(tmp_path / "again.json")]) == 0
    assert json.loads((tmp_path / "again.json").read_text()) == json.loads(file.read_text())
    assert run(["memory", "report", str(file)]) == 0
    assert "Answers: 75.00%" in capsys.readouterr().out
    assert run(["memory", "report", str(file), "--format", "markdown"]) == 0
    assert "# Memory examination: 75.00%" in capsys.readouterr().out


def test_an_invalid_run_exits_with_three_however_it_is_shown(tmp_path: Path):
    file = written(tmp_path / "report.json", valid=False, why_invalid="it died")
    assert run(["memory", "report", str(file), "-o", str(tmp_path / "r.md")]) == 3
    assert run(["memory", "merge", str(file), "-o", str(tmp_path / "m.md")]) == 3
    assert "it died" in (tmp_path / "m.md").read_text()


def test_seeds_are_merged_into_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    files = [str(written(tmp_path / f"{seed}.json", seed=seed)) for seed in (1, 2, 3)]
    assert run(["memory", "merge", *files, "--output-dir", str(tmp_path / "all")]) == 0
    assert "seed 2: 75.00%" in capsys.readouterr().out
    wanted = {"report.json", "report.md", "report.html"}
    assert {path.name for path in (tmp_path / "all").iterdir()} == wanted
    assert json.loads((tmp_path / "all" / "report.json").read_text())["num_questions"] == 6


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["world", "-o", "w", "--turns", "0"], "turns, not 0"),
        (["world", "-o", "w", "--turns", "-3"], "turns, not -3"),
        (["world", "-o", "w", "--questions", "0"], "--questions: 0 is too low"),
        (
            ["world", "-o", "w", "--turns", "20", "--questions", "1000"],
            "1000 questions were asked for and a dialogue of 20 turns",
        ),
        (["world", "--turns", "20"], "Missing option '-o' / '--output'"),
        (["world", "-o", "w", "--seed", "x"], "'x' is not a valid integer"),
        (["grade", "--world", "none", "--answers", "x"], "none: no such folder"),
        (["report", "none.json"], "none.json: cannot be read"),
        (["merge"], "Missing argument 'REPORTS...'"),
        (["compare"], "expected two reports, BEFORE.json and AFTER.json, or --seeds"),
        (["compare", "a", "b", "c"], "expected two reports"),
        (["compare", "--seeds", "1,x"], "whole numbers separated by commas"),
        (["compare", "--seeds", "1,1"], "1 to 100 different seeds"),
        (["compare", "--seeds", ","], "1 to 100 different seeds"),
        (["compare", "--seeds", "1", "a.json"], "--seeds cannot be combined"),
        (["compare", "--seeds", "1,2", "--world", "w"], "--world has fixed questions"),
        (
            ["download-dataset", "none"],
            "no dataset is called 'none'; none is published yet, and `assay memory build-dataset`",
        ),
        (["build-dataset", "x", "--memory", "m", "--report", "none.json"], "none.json: cannot be read"),
        (["list-datasets", "--datasets-dir", "n" * 300], "cannot be read (File name too long)"),
        (["download-dataset", "x", "--datasets-dir", "n" * 300], "cannot be read (File name too long)"),
    ],
)
def test_what_makes_no_sense_is_one_line_and_exits_with_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], asked: list[str], said: str
):
    monkeypatch.chdir(tmp_path)
    assert run(["memory", *asked]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.soak
def test_a_dataset_that_cannot_be_written_where_it_should_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    folder = tmp_path / "out"
    assert run(["memory", "run", "--turns", "30", "--questions", "4", "--output-dir", str(folder)]) == 0
    capsys.readouterr()
    asked = [
        "--memory",
        str(folder),
        "--report",
        str(folder / "report.json"),
        "--output-dir",
        str(folder / "report.md"),
    ]
    assert run(["memory", "build-dataset", "x", *asked]) == 2
    assert capsys.readouterr().err.startswith("assay: file.not-written: ")


def test_the_commands_are_listed_in_order_each_with_a_short_line(capsys: pytest.CaptureFixture[str]):
    assert run(["memory", "--help"]) == 0
    listed = capsys.readouterr().out.partition("Commands:")[2].split("\n  ")[1:]
    assert len(listed) == 12
    assert listed[0].startswith("run ")
    lines = [line.split(maxsplit=1)[1].strip() for line in listed]
    assert [line for line in lines if line.endswith(".") or len(line) > 60] == []
