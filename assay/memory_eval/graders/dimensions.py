"""The dimensions of a score: how right, then how specific, aware of time, attributed and calibrated.

Each but the first is multiplied by the first: a wrong answer earns nothing by its manner.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.memory_eval.graders.grader import Reading
from assay.memory_eval.truth import Dimension, Question


def dimensions_asked(question: Question) -> tuple[Dimension, ...]:
    """What it is scored on; people's own questions may leave that open, which is how right the answer is."""
    return question.dimensions or (Dimension.factual_accuracy,)


def dimensions_of(question: Question, reading: Reading, accuracy: float) -> dict[str, float | None]:
    """Its score on each of them."""
    return {str(dimension): _scored(dimension, reading, accuracy) for dimension in dimensions_asked(question)}


def mean_of(dimensions: Mapping[str, float | None]) -> float | None:
    """The question's score: the mean of its graded dimensions, None where none is."""
    graded = [score for score in dimensions.values() if score is not None]
    return sum(graded) / len(graded) if graded else None


def _scored(dimension: Dimension, reading: Reading, accuracy: float) -> float:
    """A right typed value is specific, of the right time and from the right source: else it would not be right."""
    if dimension is Dimension.confidence_calibration:
        return accuracy * reading.certainty
    return accuracy
