"""An agent on a whole benchmark: a run per world, one report, the benchmark's own score beside Assay's."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from assay.cli.main import run
from assay.cli.schema import schema_text
from assay.llm import AnthropicModel
from assay.memory_eval import (
    REPORT_FORMATS,
    AgentAdapter,
    AgentResponse,
    EvalReport,
    EvalRunner,
    ExamUsageError,
    evaluate_benchmark,
    parsed_report,
    rendered,
)
from assay.memory_eval.graders.judging.probes import built_in_probes
from tests.fakes.judges import good
from tests.fakes.model import FakeModel
from tests.memory_eval.benchmarks.copies import PATHS, changed, worlds


class Knowing:
    """An agent that knows the expected answers, and counts its worlds."""

    def __init__(self, name: str, path: Path | None = None) -> None:
        found = [question for world in worlds(name, path) for question in world.questions]
        self.known = {question.text: question.expected_answer for question in found}
        self.learned: list[list[str]] = []

    def learn(self, content: str) -> None:
        self.learned[-1].append(content)

    def answer(self, question: str) -> str:
        return self.known.get(question, "I was never told.")

    def reset(self) -> None:
        self.learned.append([])


def evaluated(name: str, agent: object, limit: int | None = None, **settings: object) -> EvalReport:
    runner = EvalRunner(**settings)  # type: ignore[arg-type]
    return evaluate_benchmark(name, PATHS[name], agent, runner, limit=limit)


@pytest.mark.parametrize(
    ("name", "num_worlds", "num_questions", "own", "num_open"),
    [("locomo", 1, 6, 1.0, 1), ("longmemeval", 3, 3, 1.0, 1)],
)
def test_right_answers_score_fully_by_both_rules(
    name: str, num_worlds: int, num_questions: int, own: float, num_open: int
):
    report = evaluated(name, Knowing(name))
    assert (report.valid, report.overall_score, len(report.results)) == (True, 1.0, num_questions)
    measured = report.measured["benchmark"]
    assert (measured["name"], measured["num_worlds"]) == (name, num_worlds)
    (metric,) = measured.keys() - {"name", "num_worlds"}
    assert measured[metric]["overall"] == pytest.approx(own, abs=0.15)
    assert f"{num_open} of {num_questions} questions are not graded: their answers need a judge" in report.notes


def test_the_own_score_of_a_question_is_in_its_reason():
    report = evaluated("locomo", Knowing("locomo"))
    assert report.results[1].reasoning.endswith("LoCoMo's F1: 1.00.")
    assert report.results[2].score is None
    assert report.results[2].why_not_graded is not None


def test_each_world_is_learned_by_an_emptied_agent():
    agent = Knowing("longmemeval")
    evaluated("longmemeval", agent)
    learned = [[text for text in texts if text.startswith("[Session")] for texts in agent.learned]
    assert [texts for texts in learned if texts] == [
        [turn.content for turn in world.turns] for world in worlds("longmemeval")
    ]


class Renamed(AgentAdapter):
    """An agent that another reader answers for in each world."""

    def __init__(self) -> None:
        self.name, self.num_resets = "renamed", 0

    @property
    def reader(self) -> str:  # type: ignore[override]
        return f"reader {self.num_resets}"

    def learn(self, content: str) -> None:
        pass

    def answer(self, question: str) -> AgentResponse:
        return AgentResponse("I do not know.")

    def reset(self) -> None:
        self.num_resets += 1


def test_what_separated_and_answered_is_in_the_joined_report_and_differences_too():
    report = evaluated("longmemeval", Knowing("longmemeval"))
    assert not report.comparable
    assert report.reader == ""
    readers = evaluated("longmemeval", Renamed()).reader.split(", ")
    assert len(readers) == len(set(readers)) == 3


def test_a_limit_ends_after_so_many_worlds():
    assert [one.question_id for one in evaluated("longmemeval", Knowing("longmemeval"), 2).results] == ["a1", "a2_abs"]


def test_a_judge_calibrated_once_grades_what_rules_cannot():
    with FakeModel(answers=good) as fake, AnthropicModel("claude-haiku-5-5", api_key="k", base_url=fake.url) as judge:
        runner = EvalRunner(grader_votes=1)
        agent = Knowing("longmemeval")
        report = evaluate_benchmark("longmemeval", PATHS["longmemeval"], agent, runner, grader_model=judge)
    assert len(fake.asked) == len(built_in_probes()) + 1
    assert [one.score for one in report.results] == [1.0, 1.0, 1.0]
    assert not any("need a judge" in note for note in report.notes)


def test_an_invalid_run_ends_the_evaluation_and_counts_no_unasked_question():
    class Failing(Knowing):
        def answer(self, question: str) -> str:
            raise RuntimeError("no")

    report = evaluated("longmemeval", Failing("longmemeval"))
    assert not report.valid
    assert len(report.results) == 1
    assert any("no further world was evaluated" in note for note in report.notes)
    assert "applies to none of the 1 questions" in report.notes[0]


def test_a_copy_without_questions_is_refused(tmp_path: Path):
    path = changed(tmp_path, "locomo", lambda data: data[0].update(qa=[]))
    with pytest.raises(ExamUsageError, match="holds no questions"):
        evaluate_benchmark("locomo", path, Knowing("locomo"), EvalRunner())


@pytest.mark.parametrize("name", REPORT_FORMATS)
def test_the_report_renders_in_every_format_and_fits_its_schema(name: str):
    report = evaluated("locomo", Knowing("locomo"))
    text = rendered(report, name)
    assert text
    if name == "json":
        jsonschema.Draft202012Validator(json.loads(schema_text("memory-report"))).validate(json.loads(text))
        assert parsed_report(text.encode(), "report.json").overall_score == report.overall_score


def test_names_from_the_file_make_no_path(tmp_path: Path):
    path = changed(tmp_path, "longmemeval", lambda data: data[0].update(question_id="../../etc/x"))
    evaluate_benchmark("longmemeval", path, Knowing("longmemeval", path), EvalRunner(output_dir=tmp_path / "out"))
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == ["0001-_etc_x", "0002-a2_abs", "0003-a3"]


@pytest.mark.parametrize("name", PATHS)
def test_the_command_evaluates_a_baseline(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "report.json"
    command = ["memory", "benchmark", name, str(PATHS[name]), "--adapter", "baseline:nothing"]
    assert run([*command, "--output-dir", str(tmp_path / "out"), "-o", str(out)]) == 0
    report = json.loads(out.read_text("utf-8"))
    assert report["measured"]["benchmark"]["name"] == name
    assert (tmp_path / "out" / "report.json").is_file()
    assert run([*command, "--output-dir", str(tmp_path / "out"), "--resume", "--fail-under", "0.99"]) == 1
    assert "questions on" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["locomo", "none.json"], "none.json: cannot be read"),
        (["other", "none.json"], "'other' is not one of"),
        (["locomo", "none.json", "--adapter", "snapshot"], "--adapter snapshot learns no turns"),
        (["locomo", "none.json", "--resume"], "--resume needs --output-dir"),
    ],
)
def test_a_wrong_command_says_so_in_a_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]):
    assert run(["memory", "benchmark", "--adapter", "baseline:nothing", *arguments]) == 2
    assert said in capsys.readouterr().err
