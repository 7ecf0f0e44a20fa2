"""The interface of a grader: extract claims of one answer type and compare them with the gold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.truth import AnswerType, Question


@dataclass(frozen=True, slots=True)
class Reading:
    """Accuracy of an answer, 0.0 to 1.0, the reason, and the certainty.

    `certainty` is 1.0 for a plain statement, a little less if it was softened ("probably"). `gradable` is false if the
    question has no gold.
    """

    score: float
    why: str
    certainty: float = 1.0
    gradable: bool = True


class Grader(Protocol):
    """Grader of one answer type. `read` never raises, whatever the answer holds."""

    type: AnswerType

    def read(self, question: Question, answer: AnswerText) -> Reading:
        """Compare the answer's claims with the question's gold."""
        ...
