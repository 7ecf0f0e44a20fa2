"""The exam as it is held: what is told, turn by turn, what is asked, and a fingerprint by which it is known again.

Of the turns only their words are kept, so that a long dialogue takes little room while an agent learns it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from assay.memory_eval.errors import ExamUsageError
from assay.memory_eval.exam.folder import Exam
from assay.memory_eval.truth import Question, Turn


class Lesson(NamedTuple):
    """One turn as it is told: its number (from 1), its block, its words."""

    turn_number: int
    block: int
    content: str


@dataclass(frozen=True, slots=True)
class HeldExam:
    """`num_facts` counts the facts all lessons tell; `seed` is None for a world written by hand."""

    lessons: Sequence[Lesson]
    questions: Sequence[Question]
    num_facts: int
    seed: int | None
    world_version: str
    notes: Sequence[str] = ()

    def fingerprint(self) -> str:
        """A sha256 over everything told and asked, expected answers included."""
        digest = hashlib.sha256()
        for lesson in self.lessons:
            digest.update(json.dumps(lesson).encode())
        for question in self.questions:
            digest.update(json.dumps([question.id, question.text, question.expected_answer]).encode())
        return digest.hexdigest()


def drawn_exam(num_turns: int, num_questions: int, seed: int) -> HeldExam:
    """The exam of a seed. Raises `TooFewQuestions`, and `ExamUsageError` for numbers that make no exam."""
    from assay.memory_eval.exam.dialogue import generate_dialogue
    from assay.memory_eval.questions.choosing import generate_questions
    from assay.memory_eval.world.world import WORLD_VERSION

    for what, number in (("turns", num_turns), ("questions", num_questions)):
        if number < 1:
            raise ExamUsageError(f"{number} {what} make no exam: ask for 1 or more")
    ground_truth = generate_dialogue(num_turns=num_turns, seed=seed)
    questions = generate_questions(ground_truth, num_questions=num_questions)
    lessons, num_facts = _lessons(ground_truth.turns)
    return HeldExam(lessons, questions, num_facts, seed, WORLD_VERSION)


def exam_of(world: Exam) -> HeldExam:
    """The exam of a folder that was read; raises `ExamUsageError` where nothing is asked."""
    if not world.questions:
        raise ExamUsageError("this world asks no questions")
    lessons, num_facts = _lessons(world.turns)
    seed = world.manifest.get("seed")
    return HeldExam(
        lessons=lessons,
        questions=world.questions,
        num_facts=num_facts,
        seed=seed if isinstance(seed, int) else None,
        world_version=str(world.manifest.get("version", "")),
        notes=world.notes,
    )


def _lessons(turns: Iterable[Turn]) -> tuple[list[Lesson], int]:
    lessons, num_facts = [], 0
    for turn in turns:
        lessons.append(Lesson(turn.turn_number, turn.block, turn.content))
        num_facts += len(turn.facts)
    return lessons, num_facts
