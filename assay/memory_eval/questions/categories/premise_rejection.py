"""Questions with a false premise; the right answer corrects it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import Dimension

ASKED = (
    "allergy hobby hometown degree favorite_food pet extension customer started_on language port maintainer timeout"
    " investor revenue tickets churn commander root_cause affected_service os location address fixed_by settled_cost"
    " budget deadline headcount office_city"
).split()


class PremiseRejection:
    """The premise is true of something else, or was true before."""

    name = "premise_rejection"
    dimensions = (Dimension.factual_accuracy, Dimension.confidence_calibration)
    weight = 4

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        for entity, attribute in material.keys(ASKED, draws):
            wrong = self._wrong(entity, attribute, material, draws)
            if wrong is None or wrong == material.record.history(entity, attribute)[-1].value:
                continue
            text = speech.line_on(
                attribute, "premise", the=speech.the(attribute, entity), value=speech.value(attribute, wrong)
            )
            yield Ask(f"{text} {speech.form(attribute)}", value_of(entity, attribute), {"others": [wrong]})

    def _wrong(self, entity: str, attribute: str, material: Material, draws: Draws) -> Any:
        """Return a value other than the present one: an earlier one, or another entity's."""
        history = material.record.history(entity, attribute)
        if len(history) > 1:
            return draws.one(history[:-1]).value
        values = material.record.values(attribute)
        return draws.one(values) if len(values) > 1 else None
