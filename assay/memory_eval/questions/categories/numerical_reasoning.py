"""Questions that compute with numbers: differences, sums, means, percentages."""

from __future__ import annotations

from assay.memory_eval.questions.composing.asking import Ask, Asking, Asks
from assay.memory_eval.questions.composing.attribute_groups import CHANGING
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.truth import AnswerType
from assay.memory_eval.world.attributes import ATTRIBUTES

WORKS = ("difference", "sum", "mean", "difference", "sum")
ADDABLE = set("USD people tickets sign-ups kWh customers GB TB MB minutes cores".split())
ELSEWHERE = ("topic", "landmark", "incident")
COMPARED = [
    row.name
    for row in ATTRIBUTES.values()
    if row.type is AnswerType.number and row.unit in ADDABLE | {"%"} and row.kind not in ELSEWHERE
]


def candidates(asking: Asking) -> Asks:
    """Yield questions over two numbers from different places."""
    pairs = _pairs(asking)
    return in_turn([pairs, _forecasts(asking), pairs, _changes(asking)])


def _forecasts(asking: Asking) -> Asks:
    for entity, _ in asking.keys(["revenue_forecast"]):
        query = {"op": "difference", "of": [value_of(entity, "revenue"), value_of(entity, "revenue_forecast")]}
        yield Ask(f"{asking.line('forecast', of=entity)} {asking.form_of_number('USD')}", query)


def _changes(asking: Asking) -> Asks:
    for entity, attribute in asking.changed([name for name in CHANGING if name in COMPARED]):
        first = {"op": "first", "entity": entity, "attribute": attribute}
        text = f"{asking.line('change', the=asking.the(attribute, entity))} One decimal is enough."
        if not asking.record.corrected(entity, attribute):
            yield Ask(
                f"{text} {asking.form_of_number('%')}", {"op": "change", "of": [first, value_of(entity, attribute)]}
            )


def _pairs(asking: Asking) -> Asks:
    return in_turn([_pairs_of(asking, attribute) for attribute in asking.in_drawn_order(COMPARED)])


def _pairs_of(asking: Asking, attribute: str) -> Asks:
    entities = asking.in_drawn_order(
        [one for one in asking.record.entities(attribute) if asking.is_free(one, attribute)]
    )
    unit = ATTRIBUTES[attribute].unit
    for one, other in zip(entities, entities, strict=False):
        work = asking.draws.one(WORKS) if unit in ADDABLE else "difference"
        text = asking.line(work, the=asking.the_present(attribute, one), other=asking.the_present(attribute, other))
        query = {"op": work, "of": [value_of(one, attribute), value_of(other, attribute)]}
        yield Ask(f"{text} {asking.form_of_number(unit)}", query)
