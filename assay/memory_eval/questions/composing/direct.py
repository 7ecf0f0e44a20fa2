"""Direct questions: an attribute of one entity, and the entity that has a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.memory_eval.questions.composing.material import Key, Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech, can_be_described


def asked_directly(speech: Speech, keys: Iterable[Key]) -> Iterator[Ask]:
    """Yield one question for the current value of each key."""
    for entity, attribute in keys:
        yield Ask(speech.asked(attribute, entity), value_of(entity, attribute))


def asked_the_other_way_round(speech: Speech, material: Material, keys: Iterable[Key]) -> Iterator[Ask]:
    """Yield one question for the owner of each unique value."""
    for entity, attribute in keys:
        latest = material.record.latest(entity, attribute)
        if (
            latest is None
            or not can_be_described(attribute)
            or len(material.record.holding(attribute, latest.value)) > 1
        ):
            continue
        if (attribute, latest.value) not in material.forgotten_values:
            query = {"op": "inverse", "attribute": attribute, "value": latest.value}
            yield Ask(speech.asked_who(attribute, latest.value), query)


def value_of(entity: object, attribute: str) -> dict[str, object]:
    """Return the query for an attribute's current value; the entity by its name or by a query."""
    return {"op": "value", "entity": entity, "attribute": attribute}
