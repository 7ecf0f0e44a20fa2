"""Selection of an exam's questions: an exact number, shared among the categories, resistant to guessing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from assay.memory_eval.errors import ExamUsageError, TooFewQuestions
from assay.memory_eval.questions.categories.register import CATEGORIES
from assay.memory_eval.questions.composing.composing import answered, composed
from assay.memory_eval.questions.composing.limits import Limits, hard_to_guess_first
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.composing.question import Category
from assay.memory_eval.truth import GroundTruth, Question
from assay.memory_eval.world.world import shares_of


def generate_questions(ground_truth: GroundTruth, num_questions: int = 100) -> list[Question]:
    """Return exactly `num_questions` questions on a dialogue, reproducible for the same turns.

    Every category has its share by weight (largest remainder), so each is present from 30 questions on; a category
    without enough questions leaves its share to the others. Only the turns are read.

    Raises:
        ExamUsageError: fewer than one question.
        TooFewQuestions: the dialogue has fewer; the error says how many.
    """
    if num_questions < 1:
        raise ExamUsageError(f"an exam has at least 1 question, not {num_questions}", code="memory.no-questions")
    material = Material(ground_truth.turns)
    chosen = _chosen(material, num_questions)
    if len(chosen) < num_questions:
        raise TooFewQuestions(num_questions, len(chosen), len(ground_truth.turns))
    material.draws("order").shuffle(chosen)
    return [replace(question, id=f"q{number:04}") for number, question in enumerate(chosen, start=1)]


def _chosen(material: Material, num_questions: int) -> list[Question]:
    """Choose for scarce categories first, since others cannot replace their questions."""
    limits = Limits(num_questions)
    open_ended = {category.name: category.weight for category in CATEGORIES}
    supplies = {category.name: _supply(material, category, limits) for category in CATEGORIES}
    chosen: list[Question] = []
    while open_ended and len(chosen) < num_questions:
        shares = shares_of(num_questions - len(chosen), open_ended)
        for name in sorted(open_ended, key=lambda name: open_ended[name]):
            got = list(islice(supplies[name], shares[name]))
            chosen += got
            if len(got) < shares[name]:
                del open_ended[name]
    return chosen


def _supply(material: Material, category: Category, limits: Limits) -> Iterator[Question]:
    """Yield the allowed questions of a category; each is counted when it is taken."""
    draws = material.draws(category.name)
    asks = category.candidates(material, draws.apart("candidates"))
    answers = (whole for ask in asks if limits.is_new(ask) and (whole := answered(material, ask)) is not None)
    for whole in hard_to_guess_first(answers, material):
        if limits.is_new(whole.ask) and limits.allows(whole.answer, whole.expected):
            limits.add(whole.ask, whole.expected)
            yield composed(material, category, whole, draws)
