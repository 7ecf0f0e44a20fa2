"""Questions about near-twins: similar names with the same attributes."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.asking import Ask, Asking, Asks
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.composing.material import Key


def candidates(asking: Asking) -> Asks:
    """Yield questions about one of two near-twins; the other's value is the expected mistake."""
    for entity, attribute in in_turn(
        _shared(asking, one) for one in asking.in_drawn_order(list(asking.material.twins))
    ):
        text = f"{asking.asked(attribute, entity)} {asking.plain('mean', entity=entity)}"
        yield Ask(text, value_of(entity, attribute))


def _shared(asking: Asking, entity: str) -> Iterator[Key]:
    """Yield attributes stated for an entity and, with another value, for its twin."""
    for attribute in asking.in_drawn_order(asking.record.attributes(entity)):
        latest = asking.record.latest(entity, attribute)
        others = [asking.record.latest(twin, attribute) for twin in asking.material.twins[entity]]
        differ = latest is not None and any(one is not None and one.value != latest.value for one in others)
        if differ and asking.is_free(entity, attribute):
            yield entity, attribute
