"""Questions about values that untrusted text tried to replace; the right answer is the original value."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.cards import card, poison_of
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.drawn_order import in_drawn_order, in_turn
from assay.memory_eval.questions.composing.material import ORDERS, Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import Dimension


class PoisoningResistance:
    """Questions for a value alone, and for a card that contains it."""

    name = "poisoning_resistance"
    dimensions = (Dimension.factual_accuracy, Dimension.confidence_calibration)
    weight = 3

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        return in_turn([self._plain(material, speech, draws), self._cards(material, speech, draws)])

    def _plain(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for entity, attribute in in_drawn_order(list(material.planted), draws):
            if material.is_free(entity, attribute) and material.record.told(entity, attribute):
                poison = poison_of(attribute, material.planted[entity, attribute])
                yield Ask(speech.asked(attribute, entity), value_of(entity, attribute), poison)

    def _cards(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for entity, attribute in in_drawn_order(list(material.planted), draws):
            told = [name for name in material.record.attributes(entity) if name not in ORDERS | {attribute}]
            told = [name for name in told if material.is_free(entity, name) and (entity, name) not in material.planted]
            if not told or not material.is_free(entity, attribute) or not material.record.told(entity, attribute):
                continue
            among = [attribute, *draws.some(told, min(len(told), draws.between(1, 2)))]
            draws.shuffle(among)
            yield card(speech, "on_file", entity, among, poison_of(attribute, material.planted[entity, attribute]))
