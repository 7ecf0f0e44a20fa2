"""Direct questions: one attribute of an entity, several at once, and the entity that has a value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.memory_eval.questions.composing.asking import Ask, Asking, Asks, can_be_described
from assay.memory_eval.questions.composing.material import Key
from assay.memory_eval.world.attributes import label_of


def asked_directly(asking: Asking, keys: Iterable[Key]) -> Asks:
    """Yield one question for the current value of each key."""
    for entity, attribute in keys:
        yield Ask(asking.asked(attribute, entity), value_of(entity, attribute))


def asked_the_other_way_round(asking: Asking, keys: Iterable[Key]) -> Asks:
    """Yield one question for the owner of each unique value."""
    for entity, attribute in keys:
        latest = asking.record.latest(entity, attribute)
        if latest is None or not can_be_described(attribute) or len(asking.record.holding(attribute, latest.value)) > 1:
            continue
        if (attribute, latest.value) not in asking.material.forgotten_values:
            query = {"op": "inverse", "attribute": attribute, "value": latest.value}
            yield Ask(asking.asked_who(attribute, latest.value), query)


def card(asking: Asking, entity: str, attributes: list[str], rubric: Mapping[str, Any]) -> Ask:
    """Return a question for several attributes of one entity at once; the rubric has values to avoid."""
    labels = asking.listed([label_of(name) for name in attributes])
    query = {"op": "on_file", "entity": entity, "attributes": attributes}
    return asking.ask("on_file", "file", query, rubric, entity=entity, labels=labels)


def poison_of(values: Iterable[Any]) -> dict[str, Any]:
    """Return the rubric entry for values that make an answer wrong wherever they appear."""
    return {"poison": list(values)}


def value_of(entity: object, attribute: str) -> dict[str, object]:
    """Return the query for an attribute's current value; the entity by its name or by a query."""
    return {"op": "value", "entity": entity, "attribute": attribute}
