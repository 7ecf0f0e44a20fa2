"""Questions about sources: who claimed what about one thing."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.claimed import CLAIMED, spoken
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import Dimension
from assay.memory_eval.world.fact import in_words


class SourceAttribution:
    """Questions about all claims by source, the source of a claim, and the claim of a source."""

    name = "source_attribution"
    dimensions = (Dimension.factual_accuracy, Dimension.source_attribution)
    weight = 4

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        return in_turn(
            [
                self._claims(material, speech, draws),
                self._who(material, speech, draws),
                self._what(material, speech, draws),
            ]
        )

    def _claims(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for entity, attribute in material.keys(CLAIMED, draws):
            if len(material.record.claims(entity, attribute)) > 1:
                text = f"{speech.line('claims', the=spoken(entity, attribute))} {speech.form_named('pairs')}"
                yield Ask(text, {"op": "claims", "entity": entity, "attribute": attribute})

    def _who(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for entity, attribute in material.keys(CLAIMED, draws):
            claim = draws.one(material.record.claims(entity, attribute))
            said = in_words(attribute, claim.value)
            text = f"{speech.line('who', the=spoken(entity, attribute), value=said)} {speech.form_named('source')}"
            yield Ask(text, {"op": "source_of", "entity": entity, "attribute": attribute, "value": claim.value})

    def _what(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for entity, attribute in material.keys(CLAIMED, draws):
            claim = draws.one(material.record.claims(entity, attribute))
            text = speech.line("what", the=spoken(entity, attribute), source=str(claim.source))
            query = {"op": "claim_of", "entity": entity, "attribute": attribute, "source": claim.source}
            yield Ask(f"{text} {speech.form(attribute)}", query)
