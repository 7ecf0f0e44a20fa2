"""Answers of every kind, right, wrong and half right, and what they are worth without a model."""

from __future__ import annotations

import time
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from assay.memory_eval import Answer, AnswerType, Dimension, Question, grade
from tests.examples import sampled
from tests.memory_eval.wordings import variants
from tests.tables import read_yaml

CASES = Path(__file__).parents[2] / "cases" / "memory"


def _read(name: str) -> Any:
    return read_yaml(CASES / name)


def _question(name: str, row: dict[str, Any]) -> Question:
    answer = Answer(AnswerType(row["type"]), row["value"], row.get("unit"))
    dimensions = (Dimension.factual_accuracy, Dimension.confidence_calibration)
    return Question(
        name, "needle_in_haystack", row["text"], row["expected"], answer, (1,), dimensions, row.get("rubric", {})
    )


ROWS = _read("questions.yaml")
QUESTIONS = {name: _question(name, row) for name, row in ROWS.items()}
ANSWERS = _read("answers.yaml")
CLAIMS_NOTHING = _read("claims_nothing.yaml")
BY_KEYWORDS = {"keywords"}


def accuracy_of(name: str, answer: str) -> float | None:
    return grade(QUESTIONS[name], answer).dimensions["factual_accuracy"]


def listed(kind: str) -> list[tuple[str, Any]]:
    """All rows of the table of answers of one kind, each with its question's name."""
    rows = [(name, row) for name in ANSWERS for row in ANSWERS[name].get(kind, [])]
    assert rows
    return rows


def test_a_right_answer_is_rarely_refused_and_a_wrong_one_rarely_accepted():
    right = [grade(QUESTIONS[name], answer).score for name, answer in listed("right")]
    wrong = [grade(QUESTIONS[name], answer).score for name, answer in listed("wrong")]
    assert sum(score is not None and score < 0.95 for score in right) / len(right) <= 0.03
    assert sum(score is not None and score > 0.05 for score in wrong) / len(wrong) <= 0.08
    assert sum(score is None for score in (*right, *wrong)) / len([*right, *wrong]) <= 0.2


def test_the_expected_answer_is_the_best_answer():
    scores = {name: grade(question, question.expected_answer).score for name, question in QUESTIONS.items()}
    assert scores == pytest.approx(dict.fromkeys(QUESTIONS, 1.0))


def test_formatting_does_not_matter():
    scores = {
        (name, text): grade(question, text).score
        for name, question in QUESTIONS.items()
        if name != "code_word"
        for text in variants(question)
    }
    assert {row: score for row, score in scores.items() if not score or score < 0.95} == {}


def test_the_gold_said_without_standing_by_it_is_mostly_worth_nothing():
    num = accepted = 0
    for name, kind in product(sorted(set(QUESTIONS) - BY_KEYWORDS), CLAIMS_NOTHING):
        question = QUESTIONS[name]
        if question.answer.type is AnswerType.abstain and kind == "unknowing":
            continue
        for template in CLAIMS_NOTHING[kind]:
            answer = template.replace("{gold}", question.expected_answer).replace("{other}", ROWS[name]["other"])
            score = grade(question, answer).score
            num += 1
            accepted += score is not None and score > 0.05
    assert accepted / num <= 0.14


def test_an_answer_of_ten_megabytes_is_read_in_no_time_and_worth_nothing():
    for answer in ("peanuts " * 1_300_000, "x" * 10_000_000, "\x00" * 10_000_000, "9" * 10_000_000, "(" * 10_000_000):
        assert grade(QUESTIONS["allergy"], answer).score == 0.0


@pytest.mark.parametrize(
    "unit", sampled(["*", "_", "~~a", "[a](", "</a>", "<!--", "[", "1,", "12:", "no doubt ", "peanuts or ", "→"], 4)
)
def test_no_repeated_sign_keeps_the_grader_busy(unit):
    for num_chars in (2_700, 20_000):
        began_s = time.process_time()
        grade(QUESTIONS["allergies"], ("peanuts " + unit * num_chars)[:num_chars])
        assert time.process_time() - began_s < 2.0


def test_saying_more_and_more_costs_more_and_more():
    scores: list[float] = []
    for num_words in (60, 120, 180, 300):
        filler = "so it was told to me at length " * (num_words // 8)
        scores.append(accuracy_of("allergy", f"peanuts. {filler}") or 0.0)
    assert scores[0] == pytest.approx(1.0)
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] == 0.0


def test_words_joined_without_blanks_are_counted_all_the_same():
    filler = "_".join(["thereitwastoldtome"] * 200)
    assert grade(QUESTIONS["allergy"], f"peanuts {filler}").score == 0.0


def test_a_question_that_holds_no_gold_is_not_graded_and_says_why():
    question = Question("q", "c", "Why?", "Because.", Answer(AnswerType.text, None), (), (Dimension.factual_accuracy,))
    given = grade(question, "Because of the weather.")
    assert given.score is None
    assert given.dimensions == {"factual_accuracy": None}
    assert given.why_not_graded


def test_a_wrong_answer_earns_nothing_by_its_manner():
    dimensions = tuple(Dimension)
    one = QUESTIONS["allergy"]
    question = Question(one.id, one.category, one.text, one.expected_answer, one.answer, (1,), dimensions, one.rubric)
    assert set(grade(question, "It is latex, definitely.").dimensions.values()) == {0.0}
    assert set(grade(question, "It is peanuts.").dimensions.values()) == {1.0}


def test_a_softened_answer_costs_calibration_only():
    given = grade(QUESTIONS["allergy"], "Probably peanuts.")
    assert given.dimensions == {"factual_accuracy": 1.0, "confidence_calibration": 0.95}
