"""Questions about incidents: status and time, duration, commander, cause."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.days_between import day_within
from assay.memory_eval.questions.composing.direct import asked_directly, value_of
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import Dimension

PLAIN = "opened_at resolved_at affected_service commander root_cause customers_affected incident_level".split()


class IncidentTracking:
    """Questions about single facts, times, durations, and the count before the last."""

    name = "incident_tracking"
    dimensions = (Dimension.factual_accuracy, Dimension.temporal_awareness)
    weight = 4

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        return in_turn(
            [
                asked_directly(speech, material.keys(PLAIN, draws)),
                self._durations(material, speech, draws),
                self._reached(material, speech, draws),
                self._previous(material, speech, draws),
                asked_directly(speech, material.changed(["incident_status"], draws)),
                self._on_a_day(material, speech, draws),
            ]
        )

    def _durations(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for incident, _ in material.keys(["resolved_at"], draws):
            ends = [value_of(incident, name) for name in ("opened_at", "resolved_at")]
            text = f"{speech.line('duration', of=incident)} {speech.form_named('count')}"
            yield Ask(text, {"op": "duration", "of": ends, "unit": "minutes"})

    def _reached(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for incident, attribute in material.changed(["incident_status"], draws):
            status = draws.one(material.record.history(incident, attribute)[1:]).value
            query = {"op": "held_from", "entity": incident, "attribute": attribute, "value": status}
            yield Ask(f"{speech.line('reached', of=incident, value=status)} {speech.form_named('date')}", query)

    def _previous(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for incident, attribute in material.changed(["customers_affected"], draws):
            if not material.record.corrected(incident, attribute):
                text = f"{speech.line('previous', the=speech.the(attribute, incident))} {speech.form(attribute)}"
                yield Ask(text, {"op": "previous", "entity": incident, "attribute": attribute})

    def _on_a_day(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Ask]:
        for incident, attribute in material.changed(["incident_status"], draws):
            within = day_within(material.record.history(incident, attribute), draws)
            if within is not None:
                text = f"{speech.line('status_on', of=incident, day=within.said)} {speech.form(attribute)}"
                yield Ask(text, {"op": "as_of", "entity": incident, "attribute": attribute, "day": within.day})
