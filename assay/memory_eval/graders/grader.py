"""What a grader of one answer type does: read the answer into claims of that type, and compare them with the gold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.truth import AnswerType, Question


@dataclass(frozen=True, slots=True)
class Reading:
    """How right an answer is, 0.0 to 1.0, why, and how it was said.

    `certainty` is 1.0 for a plain statement, a little less where it was softened ("probably"). `gradable` is false
    where the question holds nothing to compare with.
    """

    score: float
    why: str
    certainty: float = 1.0
    gradable: bool = True


class Grader(Protocol):
    """One type of answer. Total: whatever the answer holds, `read` returns."""

    type: AnswerType

    def read(self, question: Question, answer: AnswerText) -> Reading:
        """Compare what the answer claims with the question's gold."""
        ...
