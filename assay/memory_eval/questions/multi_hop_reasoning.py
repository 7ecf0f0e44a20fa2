"""Two or three facts in a chain: from a thing to a person, perhaps to another person, and what was told of that one."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.draws import Draws
from assay.memory_eval.questions.direct import value_of
from assay.memory_eval.questions.drawn_order import in_drawn_order, in_turn
from assay.memory_eval.questions.material import Material
from assay.memory_eval.questions.people_ties import TIES, TRAITS
from assay.memory_eval.questions.question import Ask
from assay.memory_eval.questions.speech import Speech
from assay.memory_eval.truth import Dimension


class MultiHopReasoning:
    """The links of the chain are never named."""

    name = "multi_hop_reasoning"
    dimensions = (Dimension.factual_accuracy, Dimension.specificity)
    weight = 6

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        return in_turn([self._chains(material, speech, draws, 2), self._chains(material, speech, draws, 1)])

    def _chains(self, material: Material, speech: Speech, draws: Draws, num_ties: int) -> Iterator[Ask]:
        for entity, tie in material.keys(TIES, draws):
            link, spoken = material.record.history(entity, tie)[-1].value, speech.the(tie, entity)
            query = value_of(entity, tie)
            if num_ties == 2:
                further = [name for name in TIES if material.record.told(link, name) and material.is_free(link, name)]
                if not further:
                    continue
                second = draws.one(further)
                query, spoken = value_of(query, second), speech.the(second, spoken)
                link = material.record.history(link, second)[-1].value
            traits = [name for name in in_drawn_order(TRAITS, draws) if material.record.told(link, name)]
            for trait in [name for name in traits if material.is_free(link, name)][:2]:
                yield Ask(speech.asked(trait, spoken), value_of(query, trait))
