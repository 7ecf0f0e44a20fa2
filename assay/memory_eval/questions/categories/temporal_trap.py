"""Questions about an earlier time, with the present value as the trap."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.changing import CHANGING
from assay.memory_eval.questions.composing.days_between import day_within
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import Dimension


class TemporalTrap:
    """The value on a day, and whether a value held on a day."""

    name = "temporal_trap"
    dimensions = (Dimension.factual_accuracy, Dimension.temporal_awareness)
    weight = 4

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        on_a_day = self._on_a_day(material, speech, draws)
        return in_turn([on_a_day, on_a_day, self._was_it_so(material, speech, draws)])

    def _on_a_day(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for entity, attribute in material.changed(CHANGING, draws):
            within = day_within(material.record.history(entity, attribute), draws)
            if within is not None:
                text = speech.line_on(attribute, "as_of", the=speech.the(attribute, entity), day=within.said)
                query = {"op": "as_of", "entity": entity, "attribute": attribute, "day": within.day}
                yield Ask(f"{text} {speech.form(attribute)}", query)

    def _was_it_so(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        """Yield true and false statements alternately; false ones held before or after."""
        is_so = draws.chance(50)
        for entity, attribute in material.changed(CHANGING, draws):
            history = material.record.history(entity, attribute)
            within = day_within(history, draws)
            if within is None:
                continue
            wrong = [one.value for one in history if one.value != within.held.value]
            value = within.held.value if is_so else draws.one(wrong)
            is_so = not is_so
            the = speech.the(attribute, entity)
            text = speech.line("was", the=the, value=speech.value(attribute, value), day=within.said)
            query = {"op": "as_of", "entity": entity, "attribute": attribute, "day": within.day}
            yield Ask(f"{text} {speech.form_named('yes_no')}", {"op": "same", "of": [query, value]})
