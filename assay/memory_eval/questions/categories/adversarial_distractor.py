"""Questions about near-twins: similar names with the same attributes."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.drawn_order import in_drawn_order, in_turn
from assay.memory_eval.questions.composing.material import Key, Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import Dimension


class AdversarialDistractor:
    """Questions about one of two near-twins; the other's value is the expected mistake."""

    name = "adversarial_distractor"
    dimensions = (Dimension.factual_accuracy, Dimension.specificity)
    weight = 4

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        for entity, attribute in in_turn(
            self._shared(one, material, draws) for one in in_drawn_order(list(material.twins), draws)
        ):
            text = f"{speech.asked(attribute, entity)} {speech.plain('mean', entity=entity)}"
            yield Ask(text, value_of(entity, attribute))

    def _shared(self, entity: str, material: Material, draws: Draws) -> Iterator[Key]:
        """Yield attributes stated for an entity and, with another value, for its twin."""
        for attribute in in_drawn_order(material.record.attributes(entity), draws):
            latest = material.record.latest(entity, attribute)
            others = [material.record.latest(twin, attribute) for twin in material.twins[entity]]
            differ = latest is not None and any(one is not None and one.value != latest.value for one in others)
            if differ and material.is_free(entity, attribute):
                yield entity, attribute
