"""Questions about exact numbers: revenue, budgets, limits, rates."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.direct import asked_directly
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import AnswerType, Dimension
from assay.memory_eval.world.attributes import ATTRIBUTES

KINDS = ("quarter", "component", "project", "startup")

ASKED = [row.name for row in ATTRIBUTES.values() if row.kind in KINDS and row.type is AnswerType.number]


class NumericalPrecision:
    """Questions that require the last digit."""

    name = "numerical_precision"
    dimensions = (Dimension.factual_accuracy, Dimension.specificity)
    weight = 5

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        return asked_directly(speech, material.keys(ASKED, draws))
