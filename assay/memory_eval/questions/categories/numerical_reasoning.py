"""Questions that compute with numbers: differences, sums, means, percentages."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.changing import CHANGING
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.drawn_order import in_drawn_order, in_turn
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import AnswerType, Dimension
from assay.memory_eval.world.attributes import ATTRIBUTES

WORKS = ("difference", "sum", "mean", "difference", "sum")
ADDABLE = set("USD people tickets sign-ups kWh customers GB TB MB minutes cores".split())
ELSEWHERE = ("topic", "landmark", "incident")
COMPARED = [
    row.name
    for row in ATTRIBUTES.values()
    if row.type is AnswerType.number and row.unit in ADDABLE | {"%"} and row.kind not in ELSEWHERE
]


class NumericalReasoning:
    """Questions over two numbers from different places."""

    name = "numerical_reasoning"
    dimensions = (Dimension.factual_accuracy, Dimension.specificity)
    weight = 4

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        pairs = self._pairs(material, speech, draws)
        return in_turn([pairs, self._forecasts(material, speech, draws), pairs, self._changes(material, speech, draws)])

    def _forecasts(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for entity, _ in material.keys(["revenue_forecast"], draws):
            query = {"op": "difference", "of": [value_of(entity, "revenue"), value_of(entity, "revenue_forecast")]}
            yield Ask(f"{speech.line('forecast', of=entity)} {speech.form_of_number('USD')}", query)

    def _changes(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for entity, attribute in material.changed([name for name in CHANGING if name in COMPARED], draws):
            first = {"op": "first", "entity": entity, "attribute": attribute}
            text = f"{speech.line('change', the=speech.the(attribute, entity))} One decimal is enough."
            if not material.record.corrected(entity, attribute):
                yield Ask(
                    f"{text} {speech.form_of_number('%')}", {"op": "change", "of": [first, value_of(entity, attribute)]}
                )

    def _pairs(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        lines = [self._pairs_of(attribute, material, speech, draws) for attribute in in_drawn_order(COMPARED, draws)]
        return in_turn(lines)

    def _pairs_of(self, attribute: str, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        entities = in_drawn_order(
            [one for one in material.record.entities(attribute) if material.is_free(one, attribute)], draws
        )
        unit = ATTRIBUTES[attribute].unit
        for one, other in zip(entities, entities, strict=False):
            work = draws.one(WORKS) if unit in ADDABLE else "difference"
            text = speech.line(work, the=speech.the_present(attribute, one), other=speech.the_present(attribute, other))
            query = {"op": work, "of": [value_of(one, attribute), value_of(other, attribute)]}
            yield Ask(f"{text} {speech.form_of_number(unit)}", query)
