"""Questions about an earlier time, with the present value as the trap."""

from __future__ import annotations

from assay.memory_eval.questions.composing.asking import Ask, Asking, Asks
from assay.memory_eval.questions.composing.attribute_groups import CHANGING
from assay.memory_eval.questions.composing.days_between import day_within
from assay.memory_eval.questions.composing.drawn_order import in_turn


def candidates(asking: Asking) -> Asks:
    """Yield questions for the value on a day, and whether a value held on a day."""
    on_a_day = _on_a_day(asking)
    return in_turn([on_a_day, on_a_day, _was_it_so(asking)])


def _on_a_day(asking: Asking) -> Asks:
    for entity, attribute in asking.changed(CHANGING):
        within = day_within(asking.record.history(entity, attribute), asking.draws)
        if within is not None:
            text = asking.line_on(attribute, "as_of", the=asking.the(attribute, entity), day=within.said)
            query = {"op": "as_of", "entity": entity, "attribute": attribute, "day": within.day}
            yield Ask(f"{text} {asking.form(attribute)}", query)


def _was_it_so(asking: Asking) -> Asks:
    """Yield true and false statements alternately; false ones held before or after."""
    is_so = asking.draws.chance(50)
    for entity, attribute in asking.changed(CHANGING):
        history = asking.record.history(entity, attribute)
        within = day_within(history, asking.draws)
        if within is None:
            continue
        wrong = [one.value for one in history if one.value != within.held.value]
        value = within.held.value if is_so else asking.draws.one(wrong)
        is_so = not is_so
        the = asking.the(attribute, entity)
        held = {"op": "as_of", "entity": entity, "attribute": attribute, "day": within.day}
        query = {"op": "same", "of": [held, value]}
        yield asking.ask("was", "yes_no", query, the=the, value=asking.value(attribute, value), day=within.said)
