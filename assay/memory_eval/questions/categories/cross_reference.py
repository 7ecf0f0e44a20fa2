"""Questions that join facts of different blocks: from a person's trait to what the person leads, maintains or fixed."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.queries.record import StatedFact
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.drawn_order import in_drawn_order, in_turn
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.composing.people_ties import TIES, TRAITS, tie_label
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import Dimension
from assay.memory_eval.world.attributes import ATTRIBUTES, attributes_of

FIX = "fixed_by"
"""Wording for the fixer of a problem, which needs a verb."""


class CrossReference:
    """Questions that describe a person by a unique trait instead of the name."""

    name = "cross_reference"
    dimensions = (Dimension.factual_accuracy, Dimension.specificity)
    weight = 4

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        return in_turn(
            [
                self._belongs(material, speech, draws),
                self._about(material, speech, draws),
                self._lists(material, speech, draws),
            ]
        )

    def _belongs(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for tie, trait in _tied(material, draws):
            if len(material.record.holding(tie.attribute, tie.value)) == 1:
                row = ATTRIBUTES[tie.attribute]
                person = speech.one(trait.attribute, trait.value)
                line = "fixed" if tie.attribute == FIX else "belongs"
                text = speech.line(line, kind=speech.kind(row.kind), person=person, label=tie_label(tie.attribute))
                query = {"op": "inverse", "attribute": tie.attribute, "value": _by(trait)}
                yield Ask(f"{text} {speech.form_named('name')}", query)

    def _about(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for tie, trait in _tied(material, draws):
            if len(material.record.holding(tie.attribute, tie.value)) == 1:
                kind = ATTRIBUTES[tie.attribute].kind
                told = material.record.attributes(tie.entity)
                others = [row.name for row in attributes_of(kind) if row.name in told and row.name != tie.attribute]
                if others and material.is_free(tie.entity, asked := draws.one(others)):
                    yield self._asked_about(tie, trait, asked, speech)

    def _asked_about(self, tie: StatedFact, trait: StatedFact, asked: str, speech: Speech) -> Ask:
        row = ATTRIBUTES[tie.attribute]
        text = speech.line(
            "about_fixed" if tie.attribute == FIX else "about",
            kind=speech.kind(row.kind),
            person=speech.one(trait.attribute, trait.value),
            label=tie_label(tie.attribute),
            ask=speech.asked_plainly(asked, f"that {speech.kind(row.kind)}"),
        )
        holder = {"op": "inverse", "attribute": tie.attribute, "value": _by(trait)}
        return Ask(f"{text} {speech.form(asked)}", value_of(holder, asked))

    def _lists(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for tie, trait in _tied(material, draws):
            kind = ATTRIBUTES[tie.attribute].kind
            num = len(material.record.holding(tie.attribute, tie.value))
            if 2 <= num <= 6 and len(material.things(kind)) >= max(6, 2 * num):
                person = speech.one(trait.attribute, trait.value)
                label = tie_label(tie.attribute)
                line = "fixed_several" if tie.attribute == FIX else "lists"
                text = speech.line(line, kinds=speech.kinds(kind), person=person, label=label)
                query = {"op": "list_where", "where": [{"attribute": tie.attribute, "is": _by(trait)}]}
                yield Ask(f"{text} {speech.form_named('set')}", query)


def _tied(material: Material, draws: Draws) -> Iterator[tuple[StatedFact, StatedFact]]:
    """Yield a current tie to a person, and a unique trait of that person from another turn."""
    for entity, attribute in material.keys(TIES, draws):
        tie = material.record.latest(entity, attribute)
        if tie is None or material.kinds.get(entity) == "person" or (attribute, tie.value) in material.forgotten_values:
            continue
        for name in in_drawn_order(TRAITS, draws):
            trait = material.record.latest(str(tie.value), name)
            if trait is not None and _is_fit(material, trait) and trait.turn != tie.turn:
                yield tie, trait
                break


def _is_fit(material: Material, trait: StatedFact) -> bool:
    alone = len(material.record.holding(trait.attribute, trait.value)) == 1
    secret = (trait.attribute, trait.value) in material.forgotten_values
    return alone and not secret and material.is_free(trait.entity, trait.attribute)


def _by(trait: StatedFact) -> dict[str, object]:
    return {"op": "inverse", "attribute": trait.attribute, "value": trait.value}
