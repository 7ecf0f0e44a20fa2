"""Questions about change over the dialogue: how often, since when, how far, and from what."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.queries.found import Query
from assay.memory_eval.queries.record import StatedFact
from assay.memory_eval.questions.composing.changing import CHANGING
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import AnswerType, Dimension
from assay.memory_eval.world.attributes import ATTRIBUTES

ROUNDS = 2
"""How often each changed attribute is used, in another way each time."""

ALWAYS = ["first", "when", "when"]
OF_SEVERAL = ["num_changes", "num_changes"]
OF_TYPE = {AnswerType.number: ["span", "span"], AnswerType.date: ["days", "days"]}
"""Possible questions by type, the commoner ones twice; distances only for numbers and dates.

How often something changed is asked only for several changes; otherwise "once" would mostly be right.
"""


class TemporalEvolution:
    """Two drawn questions for each changed attribute."""

    name = "temporal_evolution"
    dimensions = (Dimension.factual_accuracy, Dimension.temporal_awareness)
    weight = 5

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        for _ in range(ROUNDS):
            for entity, attribute in material.changed(CHANGING, draws):
                if not material.record.corrected(entity, attribute):
                    history = material.record.history(entity, attribute)
                    ways = [*ALWAYS, *OF_TYPE.get(ATTRIBUTES[attribute].type, []), *OF_SEVERAL * (len(history) > 2)]
                    yield self._asked(draws.one(ways), entity, attribute, history, speech)

    def _asked(self, kind: str, entity: str, attribute: str, history: list[StatedFact], speech: Speech) -> Ask:
        the = speech.the(attribute, entity)
        on = {"entity": entity, "attribute": attribute}
        ends: list[Query] = [{"op": "first", **on}, value_of(entity, attribute)]
        if kind == "span":
            text = f"{speech.line('span', the=the)} {speech.form_of_number(ATTRIBUTES[attribute].unit)}"
            return Ask(text, {"op": "difference", "of": ends})
        if kind == "days":
            text = f"{speech.line('days', the=the)} {speech.form_named('count')}"
            return Ask(text, {"op": "duration", "of": ends, "unit": "days"})
        if kind == "num_changes":
            return Ask(f"{speech.line(kind, the=the)} {speech.form_named('count')}", {"op": "num_changes", **on})
        if kind == "first":
            return Ask(f"{speech.line_on(attribute, kind, the=the)} {speech.form(attribute)}", ends[0])
        between = history[1:-1]
        if between and len({one.value for one in history}) == len(history):
            value = between[len(between) // 2].value
            text = speech.line("from", the=the, value=speech.value(attribute, value))
            return Ask(f"{text} {speech.form_named('date')}", {"op": "held_from", **on, "value": value})
        return Ask(f"{speech.line('since', the=the)} {speech.form_named('date')}", {"op": "held_from", **on})
