"""Questions about everything of a kind with a common value: how many, and which."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.answers import present_label_of
from assay.memory_eval.questions.composing.drawn_order import in_drawn_order, in_turn
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech, can_be_described, phrases
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import Dimension
from assay.memory_eval.world.attributes import ATTRIBUTES

FEWEST, MOST_LISTED, MOST_COUNTED = 2, 6, 40
POSSIBLE = 6
"""Least number of candidates for a list."""

ROUNDS = 3
"""How often each number is used, with another threshold each time."""

KINDS = ("project", "component", "startup", "quarter", "server", "landmark")
NUMBERS = [row.name for row in ATTRIBUTES.values() if row.kind in KINDS and row.unit is not None]
"""Quantities, as opposed to numeric names such as a port."""


class Aggregation:
    """Requests for short lists in full, and counts of longer ones."""

    name = "aggregation"
    dimensions = (Dimension.factual_accuracy, Dimension.specificity)
    weight = 4

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        shared = [name for name in phrases("attributes") if can_be_described(name, "those")]
        shared = [name for name in shared if ATTRIBUTES[name].kind != "event"]
        alike = in_turn([self._shared(name, material, speech, draws) for name in in_drawn_order(shared, draws)])
        return in_turn([alike, alike, self._at_least(material, speech, draws)])

    def _at_least(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        """Yield how many reach a number that one of them has."""
        for attribute in in_drawn_order(NUMBERS * ROUNDS, draws):
            values = sorted((one.value for one in material.record.all_latest(attribute)), reverse=True)
            if len(values) > FEWEST:
                least = values[draws.between(FEWEST, min(MOST_COUNTED, len(values) - 1)) - 1]
                kinds = speech.kinds(ATTRIBUTES[attribute].kind)
                label, said = present_label_of(attribute), speech.value(attribute, least)
                text = speech.line("at_least", kinds=kinds, label=label, value=said)
                where = [{"attribute": attribute, "at_least": least}]
                yield Ask(f"{text} {speech.form_named('count')}", {"op": "count_where", "where": where})

    def _shared(self, attribute: str, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        num_things = len(material.things(ATTRIBUTES[attribute].kind))
        for value in in_drawn_order(material.record.values(attribute), draws):
            num = len(material.record.holding(attribute, value))
            if (attribute, value) in material.forgotten_values or not FEWEST <= num <= MOST_COUNTED:
                continue
            where = [{"attribute": attribute, "is": value}]
            those = speech.those(attribute, value)
            if num <= MOST_LISTED and num_things >= max(POSSIBLE, 2 * num) and draws.chance(70):
                text = f"{speech.line('list', those=those)} {speech.form_named('set')}"
                yield Ask(text, {"op": "list_where", "where": where})
            else:
                text = f"{speech.line('count', those=those)} {speech.form_named('count')}"
                yield Ask(text, {"op": "count_where", "where": where})
