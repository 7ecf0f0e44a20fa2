"""Questions about contradictory sources: what was settled, who was right, whose claim was the highest."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.asking import Asking, spoken, with_article
from assay.memory_eval.questions.composing.attribute_groups import CLAIMED, SETTLED, claimed
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.truth import AnswerType
from assay.memory_eval.world.attributes import ATTRIBUTES

RANKED = [name for name in CLAIMED if ATTRIBUTES[name].type is not AnswerType.entity]
"""Claims that can be ordered: numbers and dates."""

ENDS = (("least", "most"), ("earliest", "latest"))
"""Names of the two ends: for numbers, and for dates."""


def candidates(asking: Asking) -> Iterator[Ask]:
    """Yield comparisons of claims with each other and with the settlement."""
    return in_turn([_settled(asking), _right(asking), _furthest(asking), _compared(asking)])


def _settled(asking: Asking) -> Iterator[Ask]:
    for entity, attribute in asking.keys(SETTLED):
        text = f"{asking.line('settled', the=spoken(entity, attribute))} {asking.form(attribute)}"
        yield Ask(text, value_of(entity, attribute))


def _right(asking: Asking) -> Iterator[Ask]:
    for entity, attribute in asking.keys(SETTLED):
        settled = value_of(entity, attribute)
        query = {"op": "source_of", "entity": entity, "attribute": claimed(attribute), "value": settled}
        yield Ask(f"{asking.line('right', the=spoken(entity, attribute))} {asking.form_named('source')}", query)


def _furthest(asking: Asking) -> Iterator[Ask]:
    for entity, attribute in asking.keys(RANKED):
        most = asking.draws.chance(50)
        kind = ENDS[ATTRIBUTES[attribute].type is AnswerType.date][most]
        text = asking.line(kind, the=spoken(entity, attribute), of=with_article(attribute, entity))
        query = {"op": "extreme_source", "entity": entity, "attribute": attribute, "most": most}
        yield Ask(f"{text} {asking.form_named('source')}", query)


def _compared(asking: Asking) -> Iterator[Ask]:
    """Yield true and false statements alternately."""
    is_so = asking.draws.chance(50)
    for entity, attribute in asking.keys(RANKED):
        claims = asking.record.claims(entity, attribute)
        if len(claims) < 2:
            continue
        pair = asking.draws.some(claims, 2)
        pair.sort(key=lambda one: one.value, reverse=is_so)
        is_so = not is_so
        on = {"op": "claim_of", "entity": entity, "attribute": attribute}
        kind = "later" if ATTRIBUTES[attribute].type is AnswerType.date else "more"
        first, second = (str(one.source) for one in pair)
        of = with_article(attribute, entity)
        text = asking.line(kind, the=spoken(entity, attribute), of=of, first=first, second=second)
        query = {"op": "is_more", "of": [{**on, "source": first}, {**on, "source": second}]}
        yield Ask(f"{text} {asking.form_named('yes_no')}", query)
