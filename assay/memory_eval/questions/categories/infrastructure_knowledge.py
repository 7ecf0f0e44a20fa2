"""Questions about servers and networks: components, location, address."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.direct import asked_directly, asked_the_other_way_round
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import Dimension
from assay.memory_eval.world.attributes import attributes_of

SERVERS = [row.name for row in attributes_of("server")]
NETWORKS = [row.name for row in attributes_of("network")]


class InfrastructureKnowledge:
    """Questions for a detail of a machine, or by the detail for the machine."""

    name = "infrastructure_knowledge"
    dimensions = (Dimension.factual_accuracy, Dimension.specificity)
    weight = 5

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        everything = [*SERVERS, *NETWORKS]
        direct = asked_directly(speech, material.keys(everything, draws))
        described = asked_the_other_way_round(speech, material, material.keys(everything, draws))
        return in_turn([direct, direct, described])
