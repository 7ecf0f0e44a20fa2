"""Questions about sources: who claimed what about one thing."""

from __future__ import annotations

from assay.memory_eval.questions.composing.asking import Asking, Asks, spoken
from assay.memory_eval.questions.composing.attribute_groups import CLAIMED
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.world.fact import in_words


def candidates(asking: Asking) -> Asks:
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
