"""Questions about incidents: status and time, duration, commander, cause."""

from __future__ import annotations

from collections.abc import Iterator

from assay.memory_eval.questions.composing.asking import Asking
from assay.memory_eval.questions.composing.days_between import day_within
from assay.memory_eval.questions.composing.direct import asked_directly, value_of
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.composing.question import Ask

PLAIN = "opened_at resolved_at affected_service commander root_cause customers_affected incident_level".split()


def candidates(asking: Asking) -> Iterator[Ask]:
    """Yield questions about single facts, times, durations, and the count before the last."""
    return in_turn(
        [
            asked_directly(asking, asking.keys(PLAIN)),
            _durations(asking),
            _reached(asking),
            _previous(asking),
            asked_directly(asking, asking.changed(["incident_status"])),
            _on_a_day(asking),
        ]
    )


def _durations(asking: Asking) -> Iterator[Ask]:
    for incident, _ in asking.keys(["resolved_at"]):
        ends = [value_of(incident, name) for name in ("opened_at", "resolved_at")]
        text = f"{asking.line('duration', of=incident)} {asking.form_named('count')}"
        yield Ask(text, {"op": "duration", "of": ends, "unit": "minutes"})


def _reached(asking: Asking) -> Iterator[Ask]:
    for incident, attribute in asking.changed(["incident_status"]):
        status = asking.draws.one(asking.record.history(incident, attribute)[1:]).value
        query = {"op": "held_from", "entity": incident, "attribute": attribute, "value": status}
        yield Ask(f"{asking.line('reached', of=incident, value=status)} {asking.form_named('date')}", query)


def _previous(asking: Asking) -> Iterator[Ask]:
    for incident, attribute in asking.changed(["customers_affected"]):
        if not asking.record.corrected(incident, attribute):
            text = f"{asking.line('previous', the=asking.the(attribute, incident))} {asking.form(attribute)}"
            yield Ask(text, {"op": "previous", "entity": incident, "attribute": attribute})


def _on_a_day(asking: Asking) -> Iterator[Ask]:
    for incident, attribute in asking.changed(["incident_status"]):
        within = day_within(asking.record.history(incident, attribute), asking.draws)
        if within is not None:
            text = f"{asking.line('status_on', of=incident, day=within.said)} {asking.form(attribute)}"
            yield Ask(text, {"op": "as_of", "entity": incident, "attribute": attribute, "day": within.day})
