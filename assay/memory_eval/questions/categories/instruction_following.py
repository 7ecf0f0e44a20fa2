"""Questions under a standing request: a code word for all answers about an entity, or a second fact to add."""

from __future__ import annotations

from assay.memory_eval.questions.composing.asking import Ask, Asking, Asks
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.composing.material import ORDERS
from assay.memory_eval.world.attributes import ATTRIBUTES

CODEWORD, ALSO = "standing_codeword", "standing_also"


def candidates(asking: Asking) -> Asks:
    """Yield plain questions that do not mention the standing request."""
    return in_turn([_also(asking), _codewords(asking)])


def _codewords(asking: Asking) -> Asks:
    return in_turn([_of_marked(asking, one.entity) for one in asking.material.orders(CODEWORD)])


def _of_marked(asking: Asking, entity: str) -> Asks:
    words = [one.value for one in asking.material.orders(CODEWORD)]
    own = asking.record.history(entity, CODEWORD)[-1].value
    also = {str(one.value).partition(">")[0] for one in asking.record.told(entity, ALSO)}
    for attribute in asking.in_drawn_order(asking.record.attributes(entity)):
        known = attribute in ATTRIBUTES and attribute not in ORDERS | also
        if known and not asking.record.forgotten(entity, attribute):
            others = [word for word in words if word != own]
            text = asking.asked(attribute, entity)
            yield Ask(text, value_of(entity, attribute), {"others": others}, must=(value_of(entity, CODEWORD),))


def _also(asking: Asking) -> Asks:
    marked = {one.entity for one in asking.material.orders(CODEWORD)}
    for order in asking.in_drawn_order(asking.material.orders(ALSO)):
        first, _, second = str(order.value).partition(">")
        if order.entity not in marked and asking.record.told(order.entity, second):
            text, query = asking.asked(first, order.entity), value_of(order.entity, first)
            yield Ask(text, query, must=(value_of(order.entity, second),), also_turns=(order.turn,))
