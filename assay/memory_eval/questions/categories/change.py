"""Questions about values that change, and about when they held."""

from __future__ import annotations

from assay.memory_eval.questions.composing.asking import Ask, Asking, Asks
from assay.memory_eval.questions.composing.direct import asked_directly, value_of
from assay.memory_eval.questions.composing.things import CHANGING, day_within, in_turn
from assay.memory_eval.questions.queries.found import Query
from assay.memory_eval.questions.queries.record import StatedFact
from assay.memory_eval.truth import AnswerType
from assay.memory_eval.world.attributes import ATTRIBUTES

# ------------------ knowledge update


def knowledge_update(asking: Asking) -> Asks:
    """Yield questions whose first stated value is no longer right."""
    now = _now(asking)
    return in_turn([now, now, now, _before(asking)])


def _now(asking: Asking) -> Asks:
    for entity, attribute in asking.keys(CHANGING):
        if len({one.value for one in asking.record.told(entity, attribute)}) > 1:
            text = f"{asking.line_on(attribute, 'now', the=asking.the(attribute, entity))} {asking.form(attribute)}"
            yield Ask(text, value_of(entity, attribute))


def _before(asking: Asking) -> Asks:
    for entity, attribute in asking.changed(CHANGING):
        if not asking.record.corrected(entity, attribute):
            the = asking.the(attribute, entity)
            text = f"{asking.line_on(attribute, 'previous', the=the)} {asking.form(attribute)}"
            yield Ask(text, {"op": "previous", "entity": entity, "attribute": attribute})


# ------------------ temporal evolution

ROUNDS = 2
"""How often each changed attribute is used, in another way each time."""

ALWAYS = ["first", "when", "when"]
OF_SEVERAL = ["num_changes", "num_changes"]
OF_TYPE = {AnswerType.number: ["span", "span"], AnswerType.date: ["days", "days"]}
"""Possible questions by type, the commoner ones twice; distances only for numbers and dates.

How often something changed is asked only for several changes; otherwise "once" would mostly be right.
"""


def temporal_evolution(asking: Asking) -> Asks:
    """Yield two drawn questions for each changed attribute."""
    for _ in range(ROUNDS):
        for entity, attribute in asking.changed(CHANGING):
            if not asking.record.corrected(entity, attribute):
                history = asking.record.history(entity, attribute)
                ways = [*ALWAYS, *OF_TYPE.get(ATTRIBUTES[attribute].type, []), *OF_SEVERAL * (len(history) > 2)]
                yield _asked(asking, asking.draws.one(ways), entity, attribute, history)


def _asked(asking: Asking, kind: str, entity: str, attribute: str, history: list[StatedFact]) -> Ask:
    the = asking.the(attribute, entity)
    on = {"entity": entity, "attribute": attribute}
    ends: list[Query] = [{"op": "first", **on}, value_of(entity, attribute)]
    if kind == "span":
        text = f"{asking.line('span', the=the)} {asking.form_of_number(ATTRIBUTES[attribute].unit)}"
        return Ask(text, {"op": "difference", "of": ends})
    if kind == "days":
        return asking.ask("days", "count", {"op": "duration", "of": ends, "unit": "days"}, the=the)
    if kind == "num_changes":
        return asking.ask(kind, "count", {"op": "num_changes", **on}, the=the)
    if kind == "first":
        return Ask(f"{asking.line_on(attribute, kind, the=the)} {asking.form(attribute)}", ends[0])
    between = history[1:-1]
    if between and len({one.value for one in history}) == len(history):
        value = between[len(between) // 2].value
        query = {"op": "held_from", **on, "value": value}
        return asking.ask("from", "date", query, the=the, value=asking.value(attribute, value))
    return asking.ask("since", "date", {"op": "held_from", **on}, the=the)


# ------------------ temporal trap


def temporal_trap(asking: Asking) -> Asks:
    """Yield questions for the value on a day, and whether a value held on a day."""
    on_a_day = _on_a_day(asking)
    return in_turn([on_a_day, on_a_day, _was_it_so(asking)])


def _on_a_day(asking: Asking) -> Asks:
    for entity, attribute in asking.changed(CHANGING):
        within = day_within(asking.record.history(entity, attribute), asking.draws)
        if within is not None:
            text = asking.line_on(attribute, "as_of", the=asking.the(attribute, entity), day=within.said)
            query = {"op": "as_of", "entity": entity, "attribute": attribute, "day": within.day}
            yield Ask(f"{text} {asking.form(attribute)}", query)


def _was_it_so(asking: Asking) -> Asks:
    """Yield true and false statements alternately; false ones held before or after."""
    is_so = asking.draws.chance(50)
    for entity, attribute in asking.changed(CHANGING):
        history = asking.record.history(entity, attribute)
        within = day_within(history, asking.draws)
        if within is None:
            continue
        wrong = [one.value for one in history if one.value != within.held.value]
        value = within.held.value if is_so else asking.draws.one(wrong)
        is_so = not is_so
        the = asking.the(attribute, entity)
        held = {"op": "as_of", "entity": entity, "attribute": attribute, "day": within.day}
        query = {"op": "same", "of": [held, value]}
        yield asking.ask("was", "yes_no", query, the=the, value=asking.value(attribute, value), day=within.said)


# ------------------ event ordering

DATED = "birthday joined_on deadline started_on launch_day opened_at resolved_at settled_date event_at".split()
ORDER_ROUNDS = 3
"""How often everything is combined again."""

FEWEST, MOST = 3, 5
"""Three only if there are no more: the order of so few is easily guessed."""


def event_ordering(asking: Asking) -> Asks:
    """Yield questions that name the things in another order."""
    return in_turn([_orders(asking, attribute) for attribute in asking.in_drawn_order(DATED)])


def _orders(asking: Asking, attribute: str) -> Asks:
    entities = [one for one in asking.record.entities(attribute) if asking.is_free(one, attribute)]
    waiting = [one for _ in range(ORDER_ROUNDS) for one in asking.in_drawn_order(entities)]
    while len(waiting) >= FEWEST:
        num = min(asking.draws.between(MOST - 1, MOST), len(waiting))
        among, waiting = list(dict.fromkeys(waiting[:num])), waiting[num:]
        if len(among) < FEWEST:
            continue
        kinds = asking.kinds(ATTRIBUTES[attribute].kind)
        names = asking.listed(among)
        query = {"op": "order", "attribute": attribute, "among": among}
        yield asking.ask("order", "order", query, label=asking.noun_now(attribute), names=names, kinds=kinds)


# ------------------ incident tracking

PLAIN = "opened_at resolved_at affected_service commander root_cause customers_affected incident_level".split()


def incident_tracking(asking: Asking) -> Asks:
    """Yield questions about single facts, times, durations, and the count before the last."""
    plain = asked_directly(asking, asking.keys(PLAIN))
    status = asked_directly(asking, asking.changed(["incident_status"]))
    return in_turn([plain, _durations(asking), _reached(asking), _previous(asking), status, _status_on_a_day(asking)])


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


def _status_on_a_day(asking: Asking) -> Asks:
    for incident, attribute in asking.changed(["incident_status"]):
        within = day_within(asking.record.history(incident, attribute), asking.draws)
        if within is not None:
            query = {"op": "as_of", "entity": incident, "attribute": attribute, "day": within.day}
            yield asking.ask("status_on", attribute, query, of=incident, day=within.said)
