"""Dimensions of a score: factual accuracy, then specificity, temporal awareness, attribution and confidence.

Each but the first is multiplied by the first: a wrong answer scores zero on all.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.memory_eval.truth import Dimension, Question
from assay.statistics import mean


def dimensions_asked(question: Question) -> tuple[Dimension, ...]:
    """Return the scored dimensions; factual accuracy for custom questions without a choice."""
    return question.dimensions or (Dimension.factual_accuracy,)


def dimensions_of(question: Question, accuracy: float, certainty: float) -> dict[str, float | None]:
    """Return the score of each dimension; a right typed value implies the right detail, time and source."""
    scores = dict.fromkeys(map(str, dimensions_asked(question)), accuracy)
    if Dimension.confidence_calibration in scores:
        scores[Dimension.confidence_calibration] *= certainty
    return dict(scores)


def mean_of(dimensions: Mapping[str, float | None]) -> float | None:
    """Return the mean of the graded dimensions, None if there are none."""
    return mean([score for score in dimensions.values() if score is not None])
