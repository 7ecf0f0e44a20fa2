"""Questions about change over the dialogue: how often, since when, how far, and from what."""

from __future__ import annotations

from assay.memory_eval.questions.composing.asking import Ask, Asking, Asks
from assay.memory_eval.questions.composing.attribute_groups import CHANGING
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.queries.found import Query
from assay.memory_eval.questions.queries.record import StatedFact
from assay.memory_eval.truth import AnswerType
from assay.memory_eval.world.attributes import ATTRIBUTES

ROUNDS = 2
"""How often each changed attribute is used, in another way each time."""

ALWAYS = ["first", "when", "when"]
OF_SEVERAL = ["num_changes", "num_changes"]
OF_TYPE = {AnswerType.number: ["span", "span"], AnswerType.date: ["days", "days"]}
"""Possible questions by type, the commoner ones twice; distances only for numbers and dates.

How often something changed is asked only for several changes; otherwise "once" would mostly be right.
"""


def candidates(asking: Asking) -> Asks:
    """Yield two drawn questions for each changed attribute."""
    for _ in range(ROUNDS):
        for entity, attribute in asking.changed(CHANGING):
            if not asking.record.corrected(entity, attribute):
                history = asking.record.history(entity, attribute)
                ways = [*ALWAYS, *OF_TYPE.get(ATTRIBUTES[attribute].type, []), *OF_SEVERAL * (len(history) > 2)]
                yield _asked(asking, asking.draws.one(ways), entity, attribute, history)


def _asked(asking: Asking, kind: str, entity: str, attribute: str, history: list[StatedFact]) -> Ask:
    the = asking.the(attribute, entity)
    on = {"entity": entity, "attribute": attribute}
    ends: list[Query] = [{"op": "first", **on}, value_of(entity, attribute)]
    if kind == "span":
        text = f"{asking.line('span', the=the)} {asking.form_of_number(ATTRIBUTES[attribute].unit)}"
        return Ask(text, {"op": "difference", "of": ends})
    if kind == "days":
        return asking.ask("days", "count", {"op": "duration", "of": ends, "unit": "days"}, the=the)
    if kind == "num_changes":
        return asking.ask(kind, "count", {"op": "num_changes", **on}, the=the)
    if kind == "first":
        return Ask(f"{asking.line_on(attribute, kind, the=the)} {asking.form(attribute)}", ends[0])
    between = history[1:-1]
    if between and len({one.value for one in history}) == len(history):
        value = between[len(between) // 2].value
        query = {"op": "held_from", **on, "value": value}
        return asking.ask("from", "date", query, the=the, value=asking.value(attribute, value))
    return asking.ask("since", "date", {"op": "held_from", **on}, the=the)
