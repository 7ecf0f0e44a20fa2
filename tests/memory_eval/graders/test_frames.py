"""Sentences of every make around the right answer: fair ones claim it, and are rarely refused.

An agent needs the right answer for an unfair one; four in ten of them are still accepted.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from assay.memory_eval import (
    AnswerType,
    Question,
    generate_dialogue,
    generate_questions,
    grade,
)
from tests.tables import read_yaml

CASES = Path(__file__).parents[2] / "cases" / "memory"
FRAMES = read_yaml(CASES / "frames.yaml")
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


@pytest.mark.parametrize(("kind", "most"), [("fair", 0.03), ("unfair", 0.42)])
def test_a_sentence_around_the_gold_is_read_or_left(kind: str, most: float):
    num = missed = 0
    for place, question in enumerate(_questions()):
        if question.answer.type in (AnswerType.abstain, AnswerType.yes_no):
            continue
        for frame in FRAMES[kind][place % STEP :: STEP]:
            score = grade(question, _filled(frame, question)).score
            num += 1
            missed += score is not None and (score < 0.95 if kind == "fair" else score > 0.13)
    assert missed / num <= most
