"""Dimensions of a score: factual accuracy, then specificity, temporal awareness, attribution and confidence.

Each but the first is multiplied by the first: a wrong answer scores zero on all.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.memory_eval.graders.grader import Reading
from assay.memory_eval.truth import Dimension, Question


def dimensions_asked(question: Question) -> tuple[Dimension, ...]:
    """Return the scored dimensions; factual accuracy for custom questions without a choice."""
    return question.dimensions or (Dimension.factual_accuracy,)


def dimensions_of(question: Question, reading: Reading, accuracy: float) -> dict[str, float | None]:
    """Return the score of each dimension."""
    return {str(dimension): _scored(dimension, reading, accuracy) for dimension in dimensions_asked(question)}


def mean_of(dimensions: Mapping[str, float | None]) -> float | None:
    """Return the mean of the graded dimensions, None if there are none."""
    graded = [score for score in dimensions.values() if score is not None]
    return sum(graded) / len(graded) if graded else None


def _scored(dimension: Dimension, reading: Reading, accuracy: float) -> float:
    """Return the score of a dimension; a right typed value implies the right detail, time and source."""
    if dimension is Dimension.confidence_calibration:
        return accuracy * reading.certainty
    return accuracy
