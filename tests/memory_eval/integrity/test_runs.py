"""A run says what it measured and nothing else: no grade that was not given, no score of what did not answer."""

from __future__ import annotations

import json

import pytest

from assay.memory_eval import AgentResponse, EvalRunner
from tests.memory_eval.integrity.adversaries import attacks
from tests.memory_eval.integrity.adversary import Adversary
from tests.memory_eval.integrity.exams import SEEDS, held, sheet_of


class Confident(Adversary):
    """Sure of all it says."""

    def answer(self, question: str) -> AgentResponse:  # type: ignore[override]
        return AgentResponse(super().answer(question), confidence=1.0, tokens_in=120, tokens_out=12)


@pytest.fixture
def without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("without_a_key")
def test_without_a_key_nearly_every_question_is_graded_and_the_others_say_why():
    report = EvalRunner(num_turns=100, num_questions=100, seed=SEEDS[0]).run(adversary("best turn"))
    assert report.grading == "deterministic"
    left = [result for result in report.results if result.score is None]
    assert len(left) <= 45  # whole turns, of many values
    assert all(result.why_not_graded for result in left)


@pytest.mark.soak
@pytest.mark.usefixtures("without_a_key")
def test_what_a_judge_should_have_graded_is_told_as_not_graded_and_never_as_zero():
    sheet = sheet_of(100, SEEDS[0])
    report = EvalRunner(num_turns=100, num_questions=100, seed=SEEDS[0], grading="hybrid").run(adversary("could be"))
    for result in report.results:
        graded = [score for score in result.dimensions.values() if score is not None]
        assert (result.score is None) == (not graded)
        if None in result.dimensions.values():
            assert "Not graded" in result.reasoning or result.why_not_graded
            assert result.score == pytest.approx(sum(graded) / len(graded))
    assert len(report.results) == len(sheet.questions)
    assert any(None in result.dimensions.values() for result in report.results)


def test_what_was_measured_on_the_way_is_reported():
    sheet = sheet_of(100, SEEDS[0])
    report = held(Confident(attacks()["best turn"], sheet), sheet)
    measured = report.measured
    assert 0 <= measured["answer_p50_s"] <= measured["answer_p95_s"]
    assert measured["answer_words_mean"] > 5
    assert (measured["tokens_in"], measured["tokens_out"]) == (120 * 100, 12 * 100)
    assert measured["store_entries"] == 100
    graded = [one for one in report.results if one.score is not None]
    wrong = sum((one.dimensions["factual_accuracy"] or 0.0) < 0.5 for one in graded) / len(graded)
    assert 0.5 < wrong < 1
    assert measured["brier"] == pytest.approx(wrong)
    assert measured["ece"] == pytest.approx(wrong)
    data = json.loads(json.dumps(report.to_dict()))
    assert data["measured"] == dict(measured)
    assert data["memory_stats"] == {"entries": 100}


def adversary(name: str) -> Adversary:
    return Adversary(attacks()[name], sheet_of(100, SEEDS[0]))
