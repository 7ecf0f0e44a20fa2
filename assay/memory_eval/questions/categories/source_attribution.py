"""Questions about sources: who claimed what about one thing."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.asking import Asking, spoken
from assay.memory_eval.questions.composing.attribute_groups import CLAIMED
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.world.fact import in_words


def candidates(asking: Asking) -> Iterator[Ask]:
    """Yield questions about all claims by source, the source of a claim, and the claim of a source."""
    return in_turn([_claims(asking), _who(asking), _what(asking)])


def _claims(asking: Asking) -> Iterator[Ask]:
    for entity, attribute in asking.keys(CLAIMED):
        if len(asking.record.claims(entity, attribute)) > 1:
            text = f"{asking.line('claims', the=spoken(entity, attribute))} {asking.form_named('pairs')}"
            yield Ask(text, {"op": "claims", "entity": entity, "attribute": attribute})


def _who(asking: Asking) -> Iterator[Ask]:
    for entity, attribute in asking.keys(CLAIMED):
        claim = asking.draws.one(asking.record.claims(entity, attribute))
        said = in_words(attribute, claim.value)
        text = f"{asking.line('who', the=spoken(entity, attribute), value=said)} {asking.form_named('source')}"
        yield Ask(text, {"op": "source_of", "entity": entity, "attribute": attribute, "value": claim.value})


def _what(asking: Asking) -> Iterator[Ask]:
    for entity, attribute in asking.keys(CLAIMED):
        claim = asking.draws.one(asking.record.claims(entity, attribute))
        text = asking.line("what", the=spoken(entity, attribute), source=str(claim.source))
        query = {"op": "claim_of", "entity": entity, "attribute": attribute, "source": claim.source}
        yield Ask(f"{text} {asking.form(attribute)}", query)
