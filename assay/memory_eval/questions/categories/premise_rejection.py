"""Questions with a false premise; the right answer corrects it."""

from __future__ import annotations

from typing import Any

from assay.memory_eval.questions.composing.asking import Ask, Asking, Asks
from assay.memory_eval.questions.composing.direct import value_of

ASKED = (
    "allergy hobby hometown degree favorite_food pet extension customer started_on language port maintainer timeout"
    " investor revenue tickets churn commander root_cause affected_service os location address fixed_by settled_cost"
    " budget deadline headcount office_city"
).split()


def candidates(asking: Asking) -> Asks:
    """Yield questions whose premise is true of something else, or was true before."""
    for entity, attribute in asking.keys(ASKED):
        wrong = _wrong(asking, entity, attribute)
        if wrong is None or wrong == asking.record.history(entity, attribute)[-1].value:
            continue
        text = asking.line_on(
            attribute, "premise", the=asking.the(attribute, entity), value=asking.value(attribute, wrong)
        )
        yield Ask(f"{text} {asking.form(attribute)}", value_of(entity, attribute), {"others": [wrong]})


def _wrong(asking: Asking, entity: str, attribute: str) -> Any:
    """Return a value other than the present one: an earlier one, or another entity's."""
    history = asking.record.history(entity, attribute)
    if len(history) > 1:
        return asking.draws.one(history[:-1]).value
    values = asking.record.values(attribute)
    return asking.draws.one(values) if len(values) > 1 else None
