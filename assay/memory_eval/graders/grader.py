"""The interface of a grader: extract claims of one answer type and compare them with the gold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.truth import Question


@dataclass(frozen=True, slots=True)
class Reading:
    """Accuracy of an answer, 0.0 to 1.0, the reason, and the certainty.

    `certainty` is 1.0 for a plain statement, a little less if it was softened ("probably"). `gradable` is false if the
    question has no gold. `no_claim`: the answer has no claim the rules know, so a judge may find one. `contradicts`:
    it denies the gold or claims only something else, so it cannot stand next to a right value.
    """

    score: float
    why: str
    certainty: float = 1.0
    gradable: bool = True
    no_claim: bool = False
    contradicts: bool = False


Grader = Callable[[Question, AnswerText], Reading]
"""Compares the claims of an answer with the gold of a question; never raises, whatever the answer holds."""
