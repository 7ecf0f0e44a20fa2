"""The exam used by a run: turns, questions, and a fingerprint that identifies it.

Only the words of the turns are kept, so that a long dialogue takes little memory while an agent learns it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import NamedTuple

from assay.memory_eval.errors import ExamUsageError
from assay.memory_eval.exam.folder import Exam
from assay.memory_eval.truth import Question, Turn


class Lesson(NamedTuple):
    """One turn to ingest: its number (from 1), its block, its words."""

    turn_number: int
    block: int
    content: str


Turns = Callable[[], Sequence[Turn]]
"""Turns with their facts, generated or read when they are needed."""


@dataclass(frozen=True, slots=True)
class HeldExam:
    """Turns and questions of a run.

    `num_facts` counts the facts of all turns; `seed` is None for a hand-written world.
    """

    lessons: Sequence[Lesson]
    questions: Sequence[Question]
    num_facts: int
    seed: int | None
    world_version: str
    ends_at: datetime
    """The end of the last turn's day. Without any day in the dialogue it is the end of time."""
    notes: Sequence[str] = ()
    turns: Turns = tuple

    def fingerprint(self) -> str:
        """Return a SHA-256 over all turns, questions and expected answers."""
        digest = hashlib.sha256()
        for lesson in self.lessons:
            digest.update(json.dumps(lesson).encode())
        for question in self.questions:
            digest.update(json.dumps([question.id, question.text, question.expected_answer]).encode())
        return digest.hexdigest()


def drawn_exam(num_turns: int, num_questions: int, seed: int) -> HeldExam:
    """Generate the exam of a seed.

    Raises `TooFewQuestions`, and `ExamUsageError` for invalid numbers.
    """
    from assay.memory_eval.exam.dialogue import generate_dialogue
    from assay.memory_eval.questions.choosing import generate_questions
    from assay.memory_eval.world.world import WORLD_VERSION

    for what, number in (("turns", num_turns), ("questions", num_questions)):
        if number < 1:
            raise ExamUsageError(f"{number} {what}: an exam needs at least 1")
    ground_truth = generate_dialogue(num_turns=num_turns, seed=seed)
    questions = generate_questions(ground_truth, num_questions=num_questions)
    lessons, num_facts = _lessons(ground_truth.turns)
    return HeldExam(
        lessons,
        questions,
        num_facts,
        seed,
        WORLD_VERSION,
        _end_of(ground_truth.turns),
        turns=lambda: generate_dialogue(num_turns=num_turns, seed=seed).turns,
    )


def exam_of(world: Exam) -> HeldExam:
    """Return the exam of a folder; raises `ExamUsageError` if it has no questions."""
    if not world.questions:
        raise ExamUsageError("this world has no questions")
    lessons, num_facts = _lessons(world.turns)
    seed = world.manifest.get("seed")
    return HeldExam(
        lessons=lessons,
        questions=world.questions,
        num_facts=num_facts,
        seed=seed if isinstance(seed, int) else None,
        world_version=str(world.manifest.get("version", "")),
        ends_at=_end_of(world.turns),
        notes=world.notes,
        turns=lambda: world.turns,
    )


def _end_of(turns: Sequence[Turn]) -> datetime:
    """Return the end of the last day of the turns, or if they have none, of their facts."""
    days = _days(turn.time for turn in turns) or _days(one["valid_from"] for turn in turns for one in turn.facts)
    return datetime.combine(max(days, default=date.max), time.max, UTC)


def _days(texts: Iterable[str | None]) -> list[date]:
    found = []
    for text in filter(None, texts):
        with contextlib.suppress(ValueError):
            found.append(date.fromisoformat(text[:10]))
    return found


def _lessons(turns: Iterable[Turn]) -> tuple[list[Lesson], int]:
    lessons, num_facts = [], 0
    for turn in turns:
        lessons.append(Lesson(turn.turn_number, turn.block, turn.content))
        num_facts += len(turn.facts)
    return lessons, num_facts
