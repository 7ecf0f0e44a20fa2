"""Answers that people wrote by hand: right ones are accepted, wrong ones refused, by category and on unseen answers.

The questions are stored with their gold and rubric, so another world does not change them. `held_out`, `fourth`
and `fifth` were graded once before their refusals were read; docs/memory/grading.md has the figures of that time.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.memory_eval import Question, grade
from assay.memory_eval.exam.lines import questions_in
from assay.memory_eval.questions.categories.register import CATEGORIES
from assay.memory_eval.truth import NOT_GIVEN, Answer, AnswerType
from tests.tables import read_yaml

FOLDER = Path(__file__).parents[2] / "cases" / "memory" / "answers"
QUESTIONS = {question.id: question for question in questions_in(FOLDER, None)}
RIGHT_FROM, WRONG_FROM = 0.95, 0.5
PARTS = ("tuned", "held_out", "fourth", "fifth")
LIMITS = {("words", "right"): 0.05, ("words", "wrong"): 0.03, ("value", "right"): 0.0, ("value", "wrong"): 0.0}
"""Most right answers refused and wrong ones accepted, by words alone and with a typed value."""
MOST_LEFT = {"words": 0.2, "value": 0.03}
"""Most answers left to a judge."""


def rows_of(part: str) -> list[tuple[Question, dict[str, Any]]]:
    """Return each question with its answers; a question whose text changed since then fails."""
    rows = read_yaml(FOLDER / f"{part}.yaml")
    found = []
    for key, row in rows.items():
        name, checksum = key.split()
        assert hashlib.sha256(QUESTIONS[name].text.encode()).hexdigest()[:8] == checksum, name
        found.append((QUESTIONS[name], row))
    return found


def accuracy_of(question: Question, answer: object, value: Any = NOT_GIVEN) -> float | None:
    return grade(question, str(answer), value).dimensions["factual_accuracy"]


def gradings_of(answer: object) -> Iterator[tuple[str, object, Any]]:
    """Return the words of an answer alone, and with the typed value if it has one."""
    typed = answer if isinstance(answer, dict) else {"answer": answer}
    yield "words", typed["answer"], NOT_GIVEN
    if "value" in typed:
        yield "value", typed["answer"], typed["value"]


def test_there_are_enough_answers_of_every_category():
    parts = {part: rows_of(part) for part in PARTS}
    for rows in parts.values():
        assert {question.category for question, _ in rows} == {category.name for category in CATEGORIES}
    whole = [row for rows in parts.values() for _, row in rows]
    assert sum(len(row["right"]) for row in whole) >= 1_200
    assert sum(len(row.get("wrong", ())) for row in whole) >= 530
    answers = [answer for row in whole for kind in ("right", "wrong") for answer in row.get(kind, ())]
    assert sum(isinstance(answer, dict) for answer in answers) >= 140
    assert sum(len(row["right"]) for _, row in parts["held_out"]) >= 220
    assert sum(len(row["wrong"]) for _, row in parts["held_out"]) >= 90


@pytest.mark.parametrize("part", PARTS)
def test_right_answers_are_accepted_and_wrong_ones_refused(part: str):
    num: Counter[tuple[str, str]] = Counter()
    missed: Counter[tuple[str, str]] = Counter()
    left: Counter[tuple[str, str]] = Counter()
    for question, row in rows_of(part):
        for kind in ("right", "wrong"):
            for by, words, value in (one for answer in row.get(kind, ()) for one in gradings_of(answer)):
                score = accuracy_of(question, words, value)
                num[by, kind] += 1
                left[by, kind] += score is None
                if score is not None:
                    missed[by, kind] += score < RIGHT_FROM if kind == "right" else score >= WRONG_FROM
    for by, kind in num:
        share, ungraded = missed[by, kind] / num[by, kind], left[by, kind] / num[by, kind]
        print(f"{part} {kind} by {by}: {num[by, kind]}, {share:.1%} missed, {ungraded:.1%} left to a judge")
        assert share <= LIMITS[by, kind], (part, by, kind)
        assert ungraded <= MOST_LEFT[by], (part, by, kind)


def test_explanations_are_never_accepted_as_their_opposites():
    rows = read_yaml(FOLDER / "explanations.yaml")
    right: list[float | None] = []
    wrong: list[float | None] = []
    for gold, row in rows.items():
        others = [other for other in rows if other != gold]
        rubric = {"names": ["fx-rates"], "others": others}
        answer = Answer(AnswerType.text, [[gold]])
        question = Question("x", "problem_solving", "What was behind it?", gold, answer, (), (), rubric)
        assert accuracy_of(question, gold) == 1.0, gold
        right += [accuracy_of(question, said) for said in row["right"]]
        wrong += [accuracy_of(question, said) for said in row["wrong"]]
    assert sum(one is not None and one < RIGHT_FROM for one in right) / len(right) <= 0.01
    assert sum(one is not None and one >= WRONG_FROM for one in wrong) / len(wrong) <= 0.2


def test_a_count_may_name_what_is_counted_though_it_is_a_unit():
    answer = Answer(AnswerType.number, 3)
    question = Question("x", "aggregation", "How many branch quarters reach 79,066?", "3", answer, (), (), {})
    scores = [
        accuracy_of(question, said) for said in ("3 quarters", "There are 3 quarters of that kind.", "4 quarters")
    ]
    assert scores == [1.0, 1.0, 0.0]
