"""Questions about sources and their contradictions."""

from __future__ import annotations

from assay.memory_eval.questions.composing.asking import Asking, Asks, spoken, with_article
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.things import CLAIMED, SETTLED, claimed, in_turn
from assay.memory_eval.truth import AnswerType
from assay.memory_eval.world.attributes import ATTRIBUTES
from assay.memory_eval.world.wording import in_words

# ------------------ source attribution


def source_attribution(asking: Asking) -> Asks:
    """Yield questions about all claims by source, the source of a claim, and the claim of a source."""
    return in_turn([_claims(asking), _who(asking), _what(asking)])


def _claims(asking: Asking) -> Asks:
    for entity, attribute in asking.keys(CLAIMED):
        if len(asking.record.claims(entity, attribute)) > 1:
            query = {"op": "claims", "entity": entity, "attribute": attribute}
            yield asking.ask("claims", "pairs", query, the=spoken(entity, attribute))


def _who(asking: Asking) -> Asks:
    for entity, attribute in asking.keys(CLAIMED):
        claim = asking.draws.one(asking.record.claims(entity, attribute))
        said = in_words(attribute, claim.value)
        query = {"op": "source_of", "entity": entity, "attribute": attribute, "value": claim.value}
        yield asking.ask("who", "source", query, the=spoken(entity, attribute), value=said)


def _what(asking: Asking) -> Asks:
    for entity, attribute in asking.keys(CLAIMED):
        claim = asking.draws.one(asking.record.claims(entity, attribute))
        query = {"op": "claim_of", "entity": entity, "attribute": attribute, "source": claim.source}
        yield asking.ask("what", attribute, query, the=spoken(entity, attribute), source=str(claim.source))


# ------------------ contradiction resolution

RANKED = [name for name in CLAIMED if ATTRIBUTES[name].type is not AnswerType.entity]
"""Claims that can be ordered: numbers and dates."""

ENDS = (("least", "most"), ("earliest", "latest"))
"""Names of the two ends: for numbers, and for dates."""


def contradiction_resolution(asking: Asking) -> Asks:
    """Yield comparisons of claims with each other and with the settlement."""
    return in_turn([_settled(asking), _right(asking), _furthest(asking), _compared(asking)])


def _settled(asking: Asking) -> Asks:
    for entity, attribute in asking.keys(SETTLED):
        yield asking.ask("settled", attribute, value_of(entity, attribute), the=spoken(entity, attribute))


def _right(asking: Asking) -> Asks:
    for entity, attribute in asking.keys(SETTLED):
        settled = value_of(entity, attribute)
        query = {"op": "source_of", "entity": entity, "attribute": claimed(attribute), "value": settled}
        yield asking.ask("right", "source", query, the=spoken(entity, attribute))


def _furthest(asking: Asking) -> Asks:
    for entity, attribute in asking.keys(RANKED):
        most = asking.draws.chance(50)
        kind = ENDS[ATTRIBUTES[attribute].type is AnswerType.date][most]
        query = {"op": "extreme_source", "entity": entity, "attribute": attribute, "most": most}
        yield asking.ask(kind, "source", query, the=spoken(entity, attribute), of=with_article(attribute, entity))


def _compared(asking: Asking) -> Asks:
    """Yield true and false statements alternately."""
    is_so = asking.draws.chance(50)
    for entity, attribute in asking.keys(RANKED):
        claims = asking.record.claims(entity, attribute)
        if len(claims) < 2:
            continue
        pair = asking.draws.some(claims, 2)
        if pair[0].value == pair[1].value:
            continue
        pair.sort(key=lambda one: one.value, reverse=is_so)
        is_so = not is_so
        on = {"op": "claim_of", "entity": entity, "attribute": attribute}
        kind = "later" if ATTRIBUTES[attribute].type is AnswerType.date else "more"
        first, second = (str(one.source) for one in pair)
        of = with_article(attribute, entity)
        query = {"op": "is_more", "of": [{**on, "source": first}, {**on, "source": second}]}
        yield asking.ask(kind, "yes_no", query, the=spoken(entity, attribute), of=of, first=first, second=second)
