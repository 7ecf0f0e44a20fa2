"""Questions about order: three to five things by date."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.answers import present_label_of
from assay.memory_eval.questions.composing.drawn_order import in_drawn_order, in_turn
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import Dimension
from assay.memory_eval.world.attributes import ATTRIBUTES

DATED = "birthday joined_on deadline started_on launch_day opened_at resolved_at settled_date event_at".split()
ROUNDS = 3
"""How often everything is combined again."""

FEWEST, MOST = 3, 5
"""Three only if there are no more: the order of so few is easily guessed."""


class EventOrdering:
    """Questions that name the things in another order."""

    name = "event_ordering"
    dimensions = (Dimension.factual_accuracy, Dimension.temporal_awareness)
    weight = 4

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        return in_turn([self._orders(attribute, material, speech, draws) for attribute in in_drawn_order(DATED, draws)])

    def _orders(self, attribute: str, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        entities = [one for one in material.record.entities(attribute) if material.is_free(one, attribute)]
        waiting = [one for _ in range(ROUNDS) for one in in_drawn_order(entities, draws)]
        while len(waiting) >= FEWEST:
            num = min(draws.between(MOST - 1, MOST), len(waiting))
            among, waiting = list(dict.fromkeys(waiting[:num])), waiting[num:]
            if len(among) < FEWEST:
                continue
            kinds = speech.kinds(ATTRIBUTES[attribute].kind)
            names = speech.listed(among)
            text = speech.line("order", label=present_label_of(attribute), names=names, kinds=kinds)
            query = {"op": "order", "attribute": attribute, "among": among}
            yield Ask(f"{text} {speech.form_named('order')}", query)
