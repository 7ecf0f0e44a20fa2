"""Sentences of every make around the right answer, and answers to single questions that claim it or do not."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from assay.memory_eval import (
    Answer,
    AnswerType,
    Dimension,
    Question,
    generate_dialogue,
    generate_questions,
    grade,
)
from tests.tables import read_yaml

CASES = Path(__file__).parents[2] / "cases" / "memory"
FRAMES = read_yaml(CASES / "frames.yaml")
SINGLE = read_yaml(CASES / "single_answers.yaml")
STEP = 9
"""Every so manieth frame is tried on each question, another one on the next: all are tried on the exam as a whole."""


@cache
def _questions() -> list[Question]:
    questions = generate_questions(generate_dialogue(num_turns=500, seed=271), num_questions=120)
    return [one for one in questions if not one.rubric.get("must_say")]


def _filled(frame: str, question: Question) -> str:
    gold = question.expected_answer
    return frame.replace(
        "{gold}", json.dumps(gold)[1:-1] if frame.lstrip("[").startswith("{") and '"' in frame else gold
    )


def test_a_fair_frame_claims_the_gold():
    failed = []
    for place, question in enumerate(_questions()):
        if question.answer.type in (AnswerType.abstain, AnswerType.yes_no):
            continue
        for frame in FRAMES["fair"][place % STEP :: STEP]:
            given = grade(question, _filled(frame, question))
            if given.score is None or given.score < 0.95:
                failed.append((question.id, frame, given))
    assert failed == []


def test_an_unfair_frame_claims_nothing():
    earned = []
    for place, question in enumerate(_questions()):
        if question.answer.type in (AnswerType.abstain, AnswerType.yes_no) or question.rubric.get("tense") == "past":
            continue
        for frame in FRAMES["unfair"][place % STEP :: STEP]:
            given = grade(question, _filled(frame, question))
            if given.score is None or given.score > 0.13:
                earned.append((question.id, frame, given))
    assert earned == []


@pytest.mark.parametrize("name", SINGLE)
def test_an_answer_to_one_question_is_worth_what_it_says(name):
    row: dict[str, Any] = SINGLE[name]
    answer = Answer(AnswerType(row["type"]), row.get("value"), row.get("unit"))
    rubric = {"tense": "current", **row.get("rubric", {})}
    question = Question(
        name, "needle_in_haystack", row["text"], row["expected"], answer, (1,), (Dimension.factual_accuracy,), rubric
    )
    scores = {text: (grade(question, text).score or 0.0) for text in (*row.get("right", ()), *row.get("wrong", ()))}
    assert {text: scores[text] for text in row.get("right", ()) if scores[text] < 0.95} == {}
    assert {text: scores[text] for text in row.get("wrong", ()) if scores[text] > 0.05} == {}
    assert {text: grade(question, text).score for text in row.get("half", ())} == dict.fromkeys(
        row.get("half", ()), 0.5
    )
