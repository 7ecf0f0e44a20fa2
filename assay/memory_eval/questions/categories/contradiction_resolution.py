"""Questions about contradictory sources: what was settled, who was right, whose claim was the highest."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.claimed import CLAIMED, SETTLED, claimed, spoken
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech, with_article
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import AnswerType, Dimension
from assay.memory_eval.world.attributes import ATTRIBUTES

RANKED = [name for name in CLAIMED if ATTRIBUTES[name].type is not AnswerType.entity]
"""Claims that can be ordered: numbers and dates."""

ENDS = (("least", "most"), ("earliest", "latest"))
"""Names of the two ends: for numbers, and for dates."""


class ContradictionResolution:
    """Comparisons of claims with each other and with the settlement."""

    name = "contradiction_resolution"
    dimensions = (Dimension.factual_accuracy, Dimension.source_attribution)
    weight = 4

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        return in_turn(
            [
                self._settled(material, speech, draws),
                self._right(material, speech, draws),
                self._furthest(material, speech, draws),
                self._compared(material, speech, draws),
            ]
        )

    def _settled(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for entity, attribute in material.keys(SETTLED, draws):
            text = f"{speech.line('settled', the=spoken(entity, attribute))} {speech.form(attribute)}"
            yield Ask(text, value_of(entity, attribute))

    def _right(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for entity, attribute in material.keys(SETTLED, draws):
            settled = value_of(entity, attribute)
            query = {"op": "source_of", "entity": entity, "attribute": claimed(attribute), "value": settled}
            yield Ask(f"{speech.line('right', the=spoken(entity, attribute))} {speech.form_named('source')}", query)

    def _furthest(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for entity, attribute in material.keys(RANKED, draws):
            most = draws.chance(50)
            kind = ENDS[ATTRIBUTES[attribute].type is AnswerType.date][most]
            text = speech.line(kind, the=spoken(entity, attribute), of=with_article(attribute, entity))
            query = {"op": "extreme_source", "entity": entity, "attribute": attribute, "most": most}
            yield Ask(f"{text} {speech.form_named('source')}", query)

    def _compared(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        """Yield true and false statements alternately."""
        is_so = draws.chance(50)
        for entity, attribute in material.keys(RANKED, draws):
            claims = material.record.claims(entity, attribute)
            if len(claims) < 2:
                continue
            pair = draws.some(claims, 2)
            pair.sort(key=lambda one: one.value, reverse=is_so)
            is_so = not is_so
            on = {"op": "claim_of", "entity": entity, "attribute": attribute}
            kind = "later" if ATTRIBUTES[attribute].type is AnswerType.date else "more"
            first, second = (str(one.source) for one in pair)
            of = with_article(attribute, entity)
            text = speech.line(kind, the=spoken(entity, attribute), of=of, first=first, second=second)
            query = {"op": "is_more", "of": [{**on, "source": first}, {**on, "source": second}]}
            yield Ask(f"{text} {speech.form_named('yes_no')}", query)
