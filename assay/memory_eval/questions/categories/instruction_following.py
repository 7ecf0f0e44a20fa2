"""Questions under a standing request: a code word for all answers about an entity, or a second fact to add."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.queries.found import Query
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.drawn_order import in_drawn_order, in_turn
from assay.memory_eval.questions.composing.material import ORDERS, Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import Dimension
from assay.memory_eval.world.attributes import ATTRIBUTES

CODEWORD, ALSO = "standing_codeword", "standing_also"


class InstructionFollowing:
    """Plain questions that do not mention the standing request."""

    name = "instruction_following"
    dimensions = (Dimension.factual_accuracy, Dimension.specificity)
    weight = 3

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        return in_turn([self._also(material, speech, draws), self._codewords(material, speech, draws)])

    def _codewords(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        lines = [self._of_marked(one.entity, material, speech, draws) for one in material.orders(CODEWORD)]
        return in_turn(lines)

    def _of_marked(self, entity: str, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        words = [one.value for one in material.orders(CODEWORD)]
        own = material.record.history(entity, CODEWORD)[-1].value
        also = {str(one.value).partition(">")[0] for one in material.record.told(entity, ALSO)}
        for attribute in in_drawn_order(material.record.attributes(entity), draws):
            known = attribute in ATTRIBUTES and attribute not in ORDERS | also
            if known and not material.record.forgotten(entity, attribute):
                others = [word for word in words if word != own]
                text = speech.asked(attribute, entity)
                yield Ask(text, value_of(entity, attribute), {"others": others}, must=(value_of(entity, CODEWORD),))

    def _also(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        marked = {one.entity for one in material.orders(CODEWORD)}
        for order in in_drawn_order(material.orders(ALSO), draws):
            first, _, second = str(order.value).partition(">")
            if order.entity not in marked and material.record.told(order.entity, second):
                must: tuple[Query, ...] = (value_of(order.entity, second),)
                text = speech.asked(first, order.entity)
                yield Ask(text, value_of(order.entity, first), must=must, also_turns=(order.turn,))
