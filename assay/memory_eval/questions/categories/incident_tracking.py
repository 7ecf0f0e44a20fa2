"""Questions about incidents: status and time, duration, commander, cause."""

from __future__ import annotations

from assay.memory_eval.questions.composing.asking import Asking, Asks
from assay.memory_eval.questions.composing.days_between import day_within
from assay.memory_eval.questions.composing.direct import asked_directly, value_of
from assay.memory_eval.questions.composing.drawn_order import in_turn

PLAIN = "opened_at resolved_at affected_service commander root_cause customers_affected incident_level".split()


def candidates(asking: Asking) -> Asks:
    """Yield questions about single facts, times, durations, and the count before the last."""
    plain = asked_directly(asking, asking.keys(PLAIN))
    status = asked_directly(asking, asking.changed(["incident_status"]))
    return in_turn([plain, _durations(asking), _reached(asking), _previous(asking), status, _on_a_day(asking)])


def _durations(asking: Asking) -> Asks:
    for incident, _ in asking.keys(["resolved_at"]):
        ends = [value_of(incident, name) for name in ("opened_at", "resolved_at")]
        yield asking.ask("duration", "count", {"op": "duration", "of": ends, "unit": "minutes"}, of=incident)


def _reached(asking: Asking) -> Asks:
    for incident, attribute in asking.changed(["incident_status"]):
        status = asking.draws.one(asking.record.history(incident, attribute)[1:]).value
        query = {"op": "held_from", "entity": incident, "attribute": attribute, "value": status}
        yield asking.ask("reached", "date", query, of=incident, value=status)


def _previous(asking: Asking) -> Asks:
    for incident, attribute in asking.changed(["customers_affected"]):
        if not asking.record.corrected(incident, attribute):
            query = {"op": "previous", "entity": incident, "attribute": attribute}
            yield asking.ask("previous", attribute, query, the=asking.the(attribute, incident))


def _on_a_day(asking: Asking) -> Asks:
    for incident, attribute in asking.changed(["incident_status"]):
        within = day_within(asking.record.history(incident, attribute), asking.draws)
        if within is not None:
            query = {"op": "as_of", "entity": incident, "attribute": attribute, "day": within.day}
            yield asking.ask("status_on", attribute, query, of=incident, day=within.said)
