"""Plain questions with irrelevant trivia in the wording."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import AnswerType, Dimension
from assay.memory_eval.world.attributes import ATTRIBUTES, attributes_of

TRIVIA = [row.name for row in attributes_of("landmark")]

NUMBERS = [
    row.name for row in ATTRIBUTES.values()
    if row.type is AnswerType.number and row.kind in ("quarter", "component", "startup", "project", "server")
]  # fmt: skip
"""Mostly numbers, since the trivia are numbers too."""

ASKED = [*NUMBERS, "hometown", "customer", "investor", "degree", "location"]


class DistractorResistance:
    """Questions with trivia added as bait."""

    name = "distractor_resistance"
    dimensions = (Dimension.factual_accuracy, Dimension.confidence_calibration)
    weight = 4

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        baits = list(material.keys(TRIVIA, draws))
        for entity, attribute in material.keys(ASKED, draws) if baits else ():
            thing, measure = draws.one(baits)
            bait = material.record.history(thing, measure)[-1].value
            trivia = speech.plain("fact", the=speech.the(measure, thing), value=speech.value(measure, bait))
            ask = f"{speech.asked_plainly(attribute, entity)} {speech.form(attribute)}"
            text = f"{speech.plain('beside', trivia=trivia)} {ask}"
            yield Ask(text, value_of(entity, attribute), {"context": [bait]})
