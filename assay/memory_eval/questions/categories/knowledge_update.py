"""Questions about changed or corrected values: the current one, and the one before."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.changing import CHANGING
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import Dimension


class KnowledgeUpdate:
    """Questions whose first stated value is no longer right."""

    name = "knowledge_update"
    dimensions = (Dimension.factual_accuracy, Dimension.temporal_awareness)
    weight = 4

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        now = self._now(material, speech, draws)
        return in_turn([now, now, now, self._before(material, speech, draws)])

    def _now(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for entity, attribute in material.keys(CHANGING, draws):
            if len({one.value for one in material.record.told(entity, attribute)}) > 1:
                text = f"{speech.line_on(attribute, 'now', the=speech.the(attribute, entity))} {speech.form(attribute)}"
                yield Ask(text, value_of(entity, attribute))

    def _before(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for entity, attribute in material.changed(CHANGING, draws):
            if not material.record.corrected(entity, attribute):
                the = speech.the(attribute, entity)
                text = f"{speech.line_on(attribute, 'previous', the=the)} {speech.form(attribute)}"
                yield Ask(text, {"op": "previous", "entity": entity, "attribute": attribute})
