"""How something changed over the dialogue: how often, since when, how far, and from what."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.draws import Draws
from assay.memory_eval.queries.found import Query
from assay.memory_eval.questions.changing import CHANGING
from assay.memory_eval.questions.direct import value_of
from assay.memory_eval.questions.material import Material
from assay.memory_eval.questions.question import Ask
from assay.memory_eval.questions.speech import Speech
from assay.memory_eval.truth import AnswerType, Dimension
from assay.memory_eval.world.attributes import ATTRIBUTES


class TemporalEvolution:
    """One question for each thing that changed; which one is drawn."""

    name = "temporal_evolution"
    dimensions = (Dimension.factual_accuracy, Dimension.temporal_awareness)
    weight = 5

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        for kinds in (("span", "since", "from", "days"), ("num_changes", "first", "since", "from")):
            for entity, attribute in material.changed(CHANGING, draws):
                if not material.record.corrected(entity, attribute):
                    yield self._asked(draws.one(kinds), entity, attribute, material, speech)

    def _asked(self, kind: str, entity: str, attribute: str, material: Material, speech: Speech) -> Ask:
        row, the = ATTRIBUTES[attribute], speech.the(attribute, entity)
        on = {"entity": entity, "attribute": attribute}
        ends: list[Query] = [{"op": "first", **on}, value_of(entity, attribute)]
        if kind == "span" and row.type is AnswerType.number:
            text = f"{speech.line('span', the=the)} {speech.form_of_number(row.unit)}"
            return Ask(text, {"op": "difference", "of": ends})
        if kind == "days" and row.type is AnswerType.date:
            text = f"{speech.line('days', the=the)} {speech.form_named('number')}"
            return Ask(text, {"op": "duration", "of": ends, "unit": "days"})
        if kind == "num_changes":
            return Ask(
                f"{speech.line('num_changes', the=the)} {speech.form_named('number')}", {"op": "num_changes", **on}
            )
        if kind == "first":
            return Ask(f"{speech.line('first', the=the)} {speech.form(attribute)}", ends[0])
        later = material.record.history(entity, attribute)[1:]
        if kind == "from" and len({one.value for one in later}) == len(later) > 1:
            value = later[len(later) // 2 - 1].value
            text = speech.line("from", the=the, value=speech.value(attribute, value))
            return Ask(f"{text} {speech.form_named('date')}", {"op": "held_from", **on, "value": value})
        return Ask(f"{speech.line('since', the=the)} {speech.form_named('date')}", {"op": "held_from", **on})
