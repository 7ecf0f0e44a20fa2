"""A report of a secret exam is verified from itself alone, and any change of it is found."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.cli.main import run
from assay.memory_eval import EvalRunner, new_salt, verify_report
from tests.codes import code_of
from tests.memory_eval.agent_servers import best_of


class RightInWordsOnly:
    """Answers with whole turns, and with a typed value that is wrong."""

    def __init__(self) -> None:
        self.turns: list[str] = []

    def learn(self, content: str) -> None:
        self.turns.append(content)

    def answer(self, question: str) -> dict[str, object]:
        return {"answer": best_of(self.turns, question), "value": "no such value"}

    def reset(self) -> None:
        self.turns = []


Change = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The report of one secret run."""
    folder = tmp_path_factory.mktemp("secret")
    asked = ["memory", "run", "--turns", "60", "--questions", "24", "--adapter", "baseline:bm25"]
    assert run([*asked, "--output-dir", str(folder)]) == 0
    found: dict[str, Any] = json.loads((folder / "report.json").read_text("utf-8"))
    return found


def set_to(*path: Any, value: Any) -> Change:
    """Return a change of the value at this path."""

    def change(report: dict[str, Any]) -> None:
        place: Any = report
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return change


def better(report: dict[str, Any]) -> None:
    """Give every question full marks, with sums that fit."""
    for result in report["results"]:
        result["score"] = 1.0
        result["dimensions"] = dict.fromkeys(result["dimensions"], 1.0)
    for row in report["category_breakdown"]:
        row |= {"avg_score": 1.0, "min_score": 1.0, "max_score": 1.0}
    report["overall_score"] = 1.0


def gold(report: dict[str, Any]) -> None:
    """Put the right answers in, without their scores."""
    for result in report["results"]:
        result["answer"] = result["expected"]


def fewer(report: dict[str, Any]) -> None:
    """Leave out the worst question."""
    worst = min(report["results"], key=lambda one: one["score"])
    report["results"].remove(worst)
    scores = [one["score"] for one in report["results"]]
    report["overall_score"] = sum(scores) / len(scores)


def failed(report: dict[str, Any]) -> None:
    """Take a wrong answer out of the mean as if it had not been graded."""
    worst = min(report["results"], key=lambda one: one["score"])
    worst |= {"score": None, "dimensions": dict.fromkeys(worst["dimensions"]), "why_not_graded": "not asked"}
    scores = [one["score"] for one in report["results"] if one["score"] is not None]
    report["overall_score"] = sum(scores) / len(scores)


CHANGES = {
    "scores": better,
    "answers": gold,
    "a question left out": fewer,
    "a question not graded": failed,
    "salt": set_to("salt", value="00" * 16),
    "short salt": set_to("salt", value="00"),
    "salt that is none": set_to("salt", value="zz" * 16),
    "commitment": set_to("commitment", value="0" * 64),
    "turns": set_to("num_turns", value=61),
    "agent": set_to("agent", value="mine"),
    "isolation": set_to("isolation", value="remote"),
    "votes": set_to("grader_votes", value=1),
    "not comparable": set_to("comparable", value=False),
    "facts": set_to("total_facts_delivered", value=10),
    "interval": set_to("measured", "intervals", "overall", value=[0.9, 1.0]),
    "category": set_to("category_breakdown", 0, "max_score", value=0.123),
    "expected": set_to("results", 0, "expected", value="?"),
    "question": set_to("results", 0, "question", value="?"),
    "dimension": set_to("results", 0, "dimensions", value={"factual_accuracy": 0.123}),
}


def verified(folder: Path, report: dict[str, Any]) -> int:
    """Return the exit code of the command for this report."""
    (folder / "report.json").write_text(json.dumps(report), "utf-8")
    return run(["memory", "verify", str(folder / "report.json")])


def test_a_report_as_written_is_verified(tmp_path: Path, written: dict[str, Any], capsys):
    assert verified(tmp_path, written) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    assert first == f"verified: commitment {written['commitment']}, 24 answers graded again"
    assert len(rest) == (written["memory"] is not None)


def test_typed_values_are_graded_again_with_the_words(tmp_path: Path):
    report = EvalRunner(60, 24, salt=new_salt()).run(RightInWordsOnly())
    assert {one.given_value for one in report.results} == {"no such value"}
    assert verify_report(report) == []


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_report_is_found_out(tmp_path: Path, written: dict[str, Any], name: str, capsys):
    changed = json.loads(json.dumps(written))
    CHANGES[name](changed)
    assert changed != written
    assert verified(tmp_path, changed) == 1
    assert capsys.readouterr().out


@pytest.mark.parametrize(
    "change",
    [
        set_to("salt", value=None),
        set_to("commitment", value=None),
        set_to("grading", value="judge"),
        set_to("world_version", value="0"),
    ],
)
def test_a_report_that_cannot_be_verified_is_a_usage_error(tmp_path: Path, written: dict[str, Any], change, capsys):
    changed = json.loads(json.dumps(written))
    change(changed)
    assert verified(tmp_path, changed) == 2
    assert "memory.not-verifiable" in capsys.readouterr().err


def test_a_secret_exam_is_not_compared_or_merged_with_a_public_one(tmp_path: Path, written: dict[str, Any], capsys):
    (tmp_path / "secret.json").write_text(json.dumps(written), "utf-8")
    asked = ["memory", "run", "--turns", "60", "--questions", "24", "--seed", "42", "--adapter", "baseline:bm25"]
    assert run([*asked, "--output-dir", str(tmp_path / "public")]) == 0
    both = [str(tmp_path / "secret.json"), str(tmp_path / "public" / "report.json")]
    capsys.readouterr()
    for order in (both, both[::-1]):
        for command in ("compare", "merge"):
            assert run(["memory", command, *order]) == 2
            (line,) = capsys.readouterr().err.splitlines()
            assert code_of(line.removeprefix("assay: ")) == "memory.not-comparable"
            assert "public seed" in line


def test_secret_exams_are_merged_by_their_commitments(tmp_path: Path, written: dict[str, Any]):
    asked = ["memory", "run", "--turns", "60", "--questions", "24", "--adapter", "baseline:bm25"]
    assert run([*asked, "--output-dir", str(tmp_path / "other")]) == 0
    (tmp_path / "one.json").write_text(json.dumps(written), "utf-8")
    both = [str(tmp_path / "one.json"), str(tmp_path / "other" / "report.json")]
    assert run(["memory", "compare", *both]) == 2
    assert run(["memory", "merge", *both, "--output-dir", str(tmp_path / "merged")]) == 0
    merged = json.loads((tmp_path / "merged" / "report.json").read_text("utf-8"))
    assert (merged["comparable"], merged["seed"], merged["salt"]) == (True, None, None)
    assert len(merged["results"]) == 48
    assert run(["memory", "merge", both[0], both[0]]) == 2
