"""Exams that several tests look at, drawn once; and turns written by hand."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

from assay.memory_eval.exam.dialogue import truth_of
from assay.memory_eval.questions.categories.register import CATEGORIES
from assay.memory_eval.questions.choosing import generate_questions
from assay.memory_eval.questions.composing.composing import answered, composed
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.truth import GroundTruth, Question, Turn
from tests.memory_eval.exam.blocks.telling import dialogue

SMALL = [(100, 30, seed) for seed in (1, 2, 3, 4, 5)] + [(50, 30, 6)]
MIDDLE = [(100, 100, 7), (1_000, 200, 11)]
LARGE = [(5_000, 1_000, 42)]
SOAK = [
    pytest.param(turns, num, seed, marks=pytest.mark.soak)
    for turns, num in ((20, 5), (50, 30), (100, 100), (1_000, 300), (5_000, 1_000))
    for seed in (101, 202, 303, 404, 505)
]
"""(turns, questions, seed); the last are looked at by `make soak` alone."""


dialogue_of = dialogue
"""A drawn dialogue: those that the tests of blocks look at, too."""


@lru_cache(maxsize=64)
def questions_of(num_turns: int, num_questions: int, seed: int) -> tuple[Question, ...]:
    """The questions drawn on it."""
    return tuple(generate_questions(dialogue_of(num_turns, seed), num_questions))


def all_of(category: str, ground_truth: GroundTruth) -> list[Question]:
    """Everything one category can ask of a dialogue."""
    material = Material(ground_truth.turns)
    (member,) = [one for one in CATEGORIES if one.name == category]
    asks = member.candidates(material, material.draws("test"))
    answers = [whole for ask in asks if (whole := answered(material, ask)) is not None]
    return [composed(material, member, whole, material.draws("test")) for whole in answers]


def told(*facts: tuple[int, str, str, Any, str] | tuple[int, str, str, Any, str, str]) -> GroundTruth:
    """A dialogue from (turn, entity, attribute, value, day) and perhaps a source; each turn says its facts."""
    turns = []
    for number in range(1, max(fact[0] for fact in facts) + 1):
        own = [fact for fact in facts if fact[0] == number]
        dated = [
            {
                "entity": fact[1],
                "attribute": fact[2],
                "value": fact[3],
                "source": (*fact, None)[5],
                "valid_from": fact[4],
            }
            for fact in own
        ]
        text = f"Turn {number}. " + " ".join(f"{fact[1]}: {fact[2]} {fact[3]} from {fact[4]}." for fact in own)
        turns.append(Turn(number, text, 1, "people", dated))
    return truth_of(turns)
