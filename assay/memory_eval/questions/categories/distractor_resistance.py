"""Plain questions with irrelevant trivia in the wording."""

from __future__ import annotations

from assay.memory_eval.questions.composing.asking import Ask, Asking, Asks
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.truth import AnswerType
from assay.memory_eval.world.attributes import ATTRIBUTES, attributes_of

TRIVIA = [row.name for row in attributes_of("landmark")]

NUMBERS = [
    row.name for row in ATTRIBUTES.values()
    if row.type is AnswerType.number and row.kind in ("quarter", "component", "startup", "project", "server")
]  # fmt: skip
"""Mostly numbers, since the trivia are numbers too."""

ASKED = [*NUMBERS, "hometown", "customer", "investor", "degree", "location"]


def candidates(asking: Asking) -> Asks:
    """Yield questions with trivia added as bait."""
    baits = list(asking.keys(TRIVIA))
    for entity, attribute in asking.keys(ASKED) if baits else ():
        thing, measure = asking.draws.one(baits)
        bait = asking.record.history(thing, measure)[-1].value
        trivia = asking.plain("fact", the=asking.the(measure, thing), value=asking.value(measure, bait))
        ask = f"{asking.asked_plainly(attribute, entity)} {asking.form(attribute)}"
        text = f"{asking.plain('beside', trivia=trivia)} {ask}"
        yield Ask(text, value_of(entity, attribute), {"context": [bait]})
