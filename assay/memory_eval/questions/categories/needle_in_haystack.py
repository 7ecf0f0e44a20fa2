"""Questions about a single fact stated once: of a person, a project, a component, a start-up."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.direct import asked_directly, asked_the_other_way_round
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import Dimension

ASKED = (
    "birthday allergy hobby pet pet_name hometown favorite_food degree joined_on extension mentor"
    " customer started_on language maintainer investor"
).split()


class NeedleInHaystack:
    """Questions for a value, or by the value for its entity."""

    name = "needle_in_haystack"
    dimensions = (Dimension.factual_accuracy, Dimension.specificity)
    weight = 6

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        keys = (key for key in material.keys(ASKED, draws) if len(material.record.history(*key)) == 1)
        direct = asked_directly(speech, keys)
        return in_turn([direct, direct, asked_the_other_way_round(speech, material, material.keys(ASKED, draws))])
