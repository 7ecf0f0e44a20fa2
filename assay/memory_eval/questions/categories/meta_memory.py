"""Questions about the agent's own knowledge: which of these were stated, and which were not."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.answers import label_of
from assay.memory_eval.questions.composing.drawn_order import in_drawn_order, in_turn
from assay.memory_eval.questions.composing.material import ORDERS, Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import Dimension
from assay.memory_eval.world.attributes import ATTRIBUTES, attributes_of

KINDS = ("person", "project", "component", "startup", "server", "incident")
ROUNDS = 6
"""How often each attribute is used, with other names each time."""

FEWEST, MOST = 2, 4
"""Number of named candidates in the answer; at least as many more are not."""


class MetaMemory:
    """Questions such as which of these people's birthdays, and which facts about this one, were stated."""

    name = "meta_memory"
    dimensions = (Dimension.factual_accuracy, Dimension.confidence_calibration)
    weight = 4

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        return in_turn([self._of_whom(material, speech, draws), self._about(material, speech, draws)])

    def _of_whom(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        attributes = [row.name for kind in KINDS for row in attributes_of(kind) if row.name not in ORDERS]
        for _ in range(ROUNDS):
            for attribute in in_drawn_order(attributes, draws):
                told, untold = _parted(material, attribute)
                num = draws.between(FEWEST, MOST)
                if len(told) < num or len(untold) < num + 1:
                    continue
                among = [*draws.some(told, num), *draws.some(untold, min(len(untold), draws.between(num + 1, 5)))]
                draws.shuffle(among)
                text = speech.line("told_of", label=label_of(attribute), names=speech.listed(among))
                query = {"op": "told_of", "attribute": attribute, "among": among}
                yield Ask(f"{text} {speech.form_named('set')}", query)

    def _about(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        entities = [entity for kind in KINDS for entity in material.things(kind)]
        for entity in in_drawn_order([one for one in entities if one not in material.asked_to_forget], draws):
            rows = attributes_of(material.kinds[entity])
            free = [row.name for row in rows if material.is_free(entity, row.name)]
            told = [name for name in free if material.record.told(entity, name)]
            untold = [name for name in free if not material.record.told(entity, name)]
            if len(told) < FEWEST or len(untold) <= FEWEST:
                continue
            num = draws.between(FEWEST, min(MOST, len(told), len(untold)))
            among = [*draws.some(told, num), *draws.some(untold, num)]
            draws.shuffle(among)
            labels = speech.listed([label_of(name) for name in among])
            text = f"{speech.line('told_about', entity=entity, labels=labels)} {speech.form_named('set')}"
            yield Ask(text, {"op": "told_about", "entity": entity, "attributes": among})


def _parted(material: Material, attribute: str) -> tuple[list[str], list[str]]:
    """Return the entities with a stated attribute, and those of the same kind without.

    Entities with a forget request are left out: whether such a fact was stated is open to interpretation.
    """
    told: list[str] = []
    untold: list[str] = []
    for entity in material.things(ATTRIBUTES[attribute].kind):
        if material.is_free(entity, attribute) and entity not in material.asked_to_forget:
            (told if material.record.told(entity, attribute) else untold).append(entity)
    return told, untold
