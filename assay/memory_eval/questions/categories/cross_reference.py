"""Questions that join facts of different blocks: from a person's trait to what the person leads, maintains or fixed."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.asking import Ask, Asking, Asks
from assay.memory_eval.questions.composing.attribute_groups import TIES, TRAITS
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.queries.record import StatedFact
from assay.memory_eval.world.attributes import ATTRIBUTES, attributes_of

FIX = "fixed_by"
"""Wording for the fixer of a problem, which needs a verb."""


def candidates(asking: Asking) -> Asks:
    """Yield questions that describe a person by a unique trait instead of the name."""
    return in_turn([_belongs(asking), _about(asking), _lists(asking)])


def _belongs(asking: Asking) -> Asks:
    for tie, trait in _tied(asking):
        if len(asking.record.holding(tie.attribute, tie.value)) == 1:
            row = ATTRIBUTES[tie.attribute]
            person = asking.one(trait.attribute, trait.value)
            line = "fixed" if tie.attribute == FIX else "belongs"
            query = {"op": "inverse", "attribute": tie.attribute, "value": _by(trait)}
            yield asking.ask(
                line, "name", query, kind=asking.kind(row.kind), person=person, label=asking.noun(tie.attribute)
            )


def _about(asking: Asking) -> Asks:
    for tie, trait in _tied(asking):
        if len(asking.record.holding(tie.attribute, tie.value)) == 1:
            kind = ATTRIBUTES[tie.attribute].kind
            told = asking.record.attributes(tie.entity)
            others = [row.name for row in attributes_of(kind) if row.name in told and row.name != tie.attribute]
            if others and asking.is_free(tie.entity, asked := asking.draws.one(others)):
                yield _asked_about(asking, tie, trait, asked)


def _asked_about(asking: Asking, tie: StatedFact, trait: StatedFact, asked: str) -> Ask:
    row = ATTRIBUTES[tie.attribute]
    text = asking.line(
        "about_fixed" if tie.attribute == FIX else "about",
        kind=asking.kind(row.kind),
        person=asking.one(trait.attribute, trait.value),
        label=asking.noun(tie.attribute),
        ask=asking.asked_plainly(asked, f"that {asking.kind(row.kind)}"),
    )
    holder = {"op": "inverse", "attribute": tie.attribute, "value": _by(trait)}
    return Ask(f"{text} {asking.form(asked)}", value_of(holder, asked))


def _lists(asking: Asking) -> Asks:
    for tie, trait in _tied(asking):
        kind = ATTRIBUTES[tie.attribute].kind
        num = len(asking.record.holding(tie.attribute, tie.value))
        if 2 <= num <= 6 and len(asking.material.things(kind)) >= max(6, 2 * num):
            person = asking.one(trait.attribute, trait.value)
            label = asking.noun(tie.attribute)
            line = "fixed_several" if tie.attribute == FIX else "lists"
            query = {"op": "list_where", "where": [{"attribute": tie.attribute, "is": _by(trait)}]}
            yield asking.ask(line, "set", query, kinds=asking.kinds(kind), person=person, label=label)


def _tied(asking: Asking) -> Iterator[tuple[StatedFact, StatedFact]]:
    """Yield a current tie to a person, and a unique trait of that person from another turn."""
    for entity, attribute in asking.keys(TIES):
        tie = asking.record.latest(entity, attribute)
        if (
            tie is None
            or asking.material.kinds.get(entity) == "person"
            or (attribute, tie.value) in asking.material.forgotten_values
        ):
            continue
        for name in asking.in_drawn_order(TRAITS):
            trait = asking.record.latest(str(tie.value), name)
            if trait is not None and _is_fit(asking, trait) and trait.turn != tie.turn:
                yield tie, trait
                break


def _is_fit(asking: Asking, trait: StatedFact) -> bool:
    alone = len(asking.record.holding(trait.attribute, trait.value)) == 1
    secret = (trait.attribute, trait.value) in asking.material.forgotten_values
    return alone and not secret and asking.is_free(trait.entity, trait.attribute)


def _by(trait: StatedFact) -> dict[str, object]:
    return {"op": "inverse", "attribute": trait.attribute, "value": trait.value}
