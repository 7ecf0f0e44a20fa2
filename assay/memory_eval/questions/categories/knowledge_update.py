"""Questions about changed or corrected values: the current one, and the one before."""

from __future__ import annotations

from assay.memory_eval.questions.composing.asking import Ask, Asking, Asks
from assay.memory_eval.questions.composing.attribute_groups import CHANGING
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.drawn_order import in_turn


def candidates(asking: Asking) -> Asks:
    """Yield questions whose first stated value is no longer right."""
    now = _now(asking)
    return in_turn([now, now, now, _before(asking)])


def _now(asking: Asking) -> Asks:
    for entity, attribute in asking.keys(CHANGING):
        if len({one.value for one in asking.record.told(entity, attribute)}) > 1:
            text = f"{asking.line_on(attribute, 'now', the=asking.the(attribute, entity))} {asking.form(attribute)}"
            yield Ask(text, value_of(entity, attribute))


def _before(asking: Asking) -> Asks:
    for entity, attribute in asking.changed(CHANGING):
        if not asking.record.corrected(entity, attribute):
            the = asking.the(attribute, entity)
            text = f"{asking.line_on(attribute, 'previous', the=the)} {asking.form(attribute)}"
            yield Ask(text, {"op": "previous", "entity": entity, "attribute": attribute})
