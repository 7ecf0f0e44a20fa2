"""Questions around forget requests: the forgotten value stays out, and the other values remain."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.queries.record import FORGET, StatedFact
from assay.memory_eval.questions.composing.cards import card, poison_of
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.composing.material import ORDERS, Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech, can_be_described
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import Dimension

ROUNDS = 4
"""How often each request is used, with other points next to the forgotten one."""


class SelectiveForgetting:
    """Requests for a card with one forbidden point, and for lists with one member less."""

    name = "selective_forgetting"
    dimensions = (Dimension.factual_accuracy, Dimension.specificity)
    weight = 3

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        return in_turn([self._cards(material, speech, draws), self._lists(material, speech)])

    def _cards(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for _ in range(ROUNDS):
            for request in material.orders(FORGET):
                forgotten = str(request.value)
                others = [
                    name for name in material.record.attributes(request.entity) if name not in ORDERS | {forgotten}
                ]
                others = [name for name in others if material.is_free(request.entity, name)]
                others = _told_apart(request.entity, others, material)
                if material.record.told(request.entity, forgotten) and others:
                    kept = draws.some(others, draws.between(min(2, len(others)), min(3, len(others))))
                    yield self._card(request, kept, material, speech, draws)

    def _card(self, request: StatedFact, kept: list[str], material: Material, speech: Speech, draws: Draws) -> Ask:
        among = [*kept, str(request.value)]
        draws.shuffle(among)
        return card(speech, "on_file", request.entity, among, _poison(material, request))

    def _lists(self, material: Material, speech: Speech) -> Iterator[Ask]:
        for request in material.orders(FORGET):
            latest = material.record.latest(request.entity, str(request.value))
            if latest is None or not can_be_described(latest.attribute, "those"):
                continue
            num = len(material.record.holding(latest.attribute, latest.value))
            if 3 <= num <= 7 and len(material.things(material.kinds[request.entity])) >= 2 * num:
                where = [{"attribute": latest.attribute, "is": latest.value}]
                text = speech.line("list", those=speech.those(latest.attribute, latest.value))
                query = {"op": "list_where", "where": where, "unless_forgotten": True}
                yield Ask(f"{text} {speech.form_named('set')}", query, {"poison": [request.entity]})


def _told_apart(entity: str, attributes: list[str], material: Material) -> list[str]:
    """Drop attributes with the same value as an earlier one: a cat called Peaches, and an allergy to peaches."""
    by_value: dict[str, str] = {}
    for attribute in attributes:
        by_value.setdefault(str(material.record.history(entity, attribute)[-1].value).casefold(), attribute)
    return list(by_value.values())


def _poison(material: Material, request: StatedFact) -> dict[str, object]:
    """Return every value of the attribute to forget that was ever stated."""
    attribute = str(request.value)
    return poison_of(attribute, dict.fromkeys(one.value for one in material.record.told(request.entity, attribute)))
