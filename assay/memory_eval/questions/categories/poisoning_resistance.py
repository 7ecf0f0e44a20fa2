"""Questions about values that untrusted text tried to replace; the right answer is the original value."""

from __future__ import annotations

from assay.memory_eval.questions.composing.asking import Ask, Asking, Asks
from assay.memory_eval.questions.composing.direct import card, poison_of, value_of
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.composing.material import ORDERS


def candidates(asking: Asking) -> Asks:
    """Yield questions for a value alone, and for a card that contains it."""
    return in_turn([_plain(asking), _cards(asking)])


def _plain(asking: Asking) -> Asks:
    for entity, attribute in asking.in_drawn_order(list(asking.material.planted)):
        if asking.is_free(entity, attribute) and asking.record.told(entity, attribute):
            poison = poison_of(attribute, asking.material.planted[entity, attribute])
            yield Ask(asking.asked(attribute, entity), value_of(entity, attribute), poison)


def _cards(asking: Asking) -> Asks:
    for entity, attribute in asking.in_drawn_order(list(asking.material.planted)):
        told = [name for name in asking.record.attributes(entity) if name not in ORDERS | {attribute}]
        told = [name for name in told if asking.is_free(entity, name) and (entity, name) not in asking.material.planted]
        if not told or not asking.is_free(entity, attribute) or not asking.record.told(entity, attribute):
            continue
        among = [attribute, *asking.draws.some(told, min(len(told), asking.draws.between(1, 2)))]
        asking.draws.shuffle(among)
        yield card(asking, entity, among, poison_of(attribute, asking.material.planted[entity, attribute]))
