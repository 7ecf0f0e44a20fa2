"""Questions about the agent's own knowledge: which of these were stated, and which were not."""

from __future__ import annotations

from assay.memory_eval.questions.composing.asking import Asking, Asks
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.composing.material import ORDERS
from assay.memory_eval.world.attributes import ATTRIBUTES, attributes_of, label_of

KINDS = ("person", "project", "component", "startup", "server", "incident")
ROUNDS = 6
"""How often each attribute is used, with other names each time."""

FEWEST, MOST = 2, 4
"""Number of named candidates in the answer; at least as many more are not."""


def candidates(asking: Asking) -> Asks:
    """Yield questions such as which of these people's birthdays, and which facts about this one, were stated."""
    return in_turn([_of_whom(asking), _about(asking)])


def _of_whom(asking: Asking) -> Asks:
    attributes = [row.name for kind in KINDS for row in attributes_of(kind) if row.name not in ORDERS]
    for _ in range(ROUNDS):
        for attribute in asking.in_drawn_order(attributes):
            told, untold = _parted(asking, attribute)
            num = asking.draws.between(FEWEST, MOST)
            if len(told) < num or len(untold) < num + 1:
                continue
            among = [
                *asking.draws.some(told, num),
                *asking.draws.some(untold, min(len(untold), asking.draws.between(num + 1, 5))),
            ]
            asking.draws.shuffle(among)
            query = {"op": "told_of", "attribute": attribute, "among": among}
            yield asking.ask("told_of", "set", query, label=asking.noun(attribute), names=asking.listed(among))


def _about(asking: Asking) -> Asks:
    entities = [entity for kind in KINDS for entity in asking.material.things(kind)]
    for entity in asking.in_drawn_order([one for one in entities if one not in asking.material.asked_to_forget]):
        rows = attributes_of(asking.material.kinds[entity])
        free = [row.name for row in rows if asking.is_free(entity, row.name)]
        told = [name for name in free if asking.record.told(entity, name)]
        untold = [name for name in free if not asking.record.told(entity, name)]
        if len(told) < FEWEST or len(untold) <= FEWEST:
            continue
        num = asking.draws.between(FEWEST, min(MOST, len(told), len(untold)))
        among = [*asking.draws.some(told, num), *asking.draws.some(untold, num)]
        asking.draws.shuffle(among)
        labels = asking.listed([label_of(name) for name in among])
        query = {"op": "told_about", "entity": entity, "attributes": among}
        yield asking.ask("told_about", "set", query, entity=entity, labels=labels)


def _parted(asking: Asking, attribute: str) -> tuple[list[str], list[str]]:
    """Return the entities with a stated attribute, and those of the same kind without.

    Entities with a forget request are left out: whether such a fact was stated is open to interpretation.
    """
    told: list[str] = []
    untold: list[str] = []
    for entity in asking.material.things(ATTRIBUTES[attribute].kind):
        if asking.is_free(entity, attribute) and entity not in asking.material.asked_to_forget:
            (told if asking.record.told(entity, attribute) else untold).append(entity)
    return told, untold
