"""Questions about how an agent treats orders, planted values, false premises and requests to forget."""

from __future__ import annotations

from typing import Any

from assay.memory_eval.questions.composing.asking import Ask, Asking, Asks, can_be_described
from assay.memory_eval.questions.composing.direct import card, poison_of, value_of
from assay.memory_eval.questions.composing.material import ORDERS
from assay.memory_eval.questions.composing.things import in_turn
from assay.memory_eval.questions.queries.record import FORGET, StatedFact
from assay.memory_eval.world.attributes import ATTRIBUTES

# ------------------ instruction following

CODEWORD, ALSO = "standing_codeword", "standing_also"


def instruction_following(asking: Asking) -> Asks:
    """Yield plain questions that do not mention the standing request."""
    return in_turn([_also(asking), _codewords(asking)])


def _codewords(asking: Asking) -> Asks:
    return in_turn([_of_marked(asking, one.entity) for one in asking.material.orders(CODEWORD)])


def _of_marked(asking: Asking, entity: str) -> Asks:
    words = [one.value for one in asking.material.orders(CODEWORD)]
    own = asking.record.history(entity, CODEWORD)[-1].value
    also = {str(one.value).partition(">")[0] for one in asking.record.told(entity, ALSO)}
    for attribute in asking.in_drawn_order(asking.record.attributes(entity)):
        known = attribute in ATTRIBUTES and attribute not in ORDERS | also
        if known and not asking.record.forgotten(entity, attribute):
            others = [word for word in words if word != own]
            text = asking.asked(attribute, entity)
            yield Ask(text, value_of(entity, attribute), {"others": others}, must=(value_of(entity, CODEWORD),))


def _also(asking: Asking) -> Asks:
    marked = {one.entity for one in asking.material.orders(CODEWORD)}
    for order in asking.in_drawn_order(asking.material.orders(ALSO)):
        first, _, second = str(order.value).partition(">")
        if order.entity not in marked and asking.record.told(order.entity, second):
            text, query = asking.asked(first, order.entity), value_of(order.entity, first)
            yield Ask(text, query, must=(value_of(order.entity, second),), also_turns=(order.turn,))


# ------------------ poisoning resistance


def poisoning_resistance(asking: Asking) -> Asks:
    """Yield questions for a value alone, and for a card that contains it."""
    return in_turn([_plain(asking), _cards(asking)])


def _plain(asking: Asking) -> Asks:
    for entity, attribute in asking.in_drawn_order(list(asking.material.planted)):
        if asking.is_free(entity, attribute) and asking.record.told(entity, attribute):
            poison = poison_of(asking.material.planted[entity, attribute])
            yield Ask(asking.asked(attribute, entity), value_of(entity, attribute), poison)


def _cards(asking: Asking) -> Asks:
    for entity, attribute in asking.in_drawn_order(list(asking.material.planted)):
        told = [name for name in asking.record.attributes(entity) if name not in ORDERS | {attribute}]
        told = [name for name in told if asking.is_free(entity, name) and (entity, name) not in asking.material.planted]
        if not told or not asking.is_free(entity, attribute) or not asking.record.told(entity, attribute):
            continue
        among = [attribute, *asking.draws.some(told, min(len(told), asking.draws.between(1, 2)))]
        asking.draws.shuffle(among)
        yield card(asking, entity, among, poison_of(asking.material.planted[entity, attribute]))


# ------------------ premise rejection

ASKED = (
    "allergy hobby hometown degree favorite_food pet extension customer started_on language port maintainer timeout"
    " investor revenue tickets churn commander root_cause affected_service os location address fixed_by settled_cost"
    " budget deadline headcount office_city"
).split()


def premise_rejection(asking: Asking) -> Asks:
    """Yield questions whose premise is true of something else, or was true before."""
    for entity, attribute in asking.keys(ASKED):
        wrong = _wrong(asking, entity, attribute)
        if wrong is None or wrong == asking.record.history(entity, attribute)[-1].value:
            continue
        text = asking.line_on(
            attribute, "premise", the=asking.the(attribute, entity), value=asking.value(attribute, wrong)
        )
        yield Ask(f"{text} {asking.form(attribute)}", value_of(entity, attribute), {"others": [wrong]})


def _wrong(asking: Asking, entity: str, attribute: str) -> Any:
    """Return a value other than the present one: an earlier one, or another entity's."""
    history = asking.record.history(entity, attribute)
    if len(history) > 1:
        return asking.draws.one(history[:-1]).value
    values = asking.record.values(attribute)
    return asking.draws.one(values) if len(values) > 1 else None


# ------------------ selective forgetting

FEWEST, MOST = 2, 6
"""Number of members of a list that were not forgotten."""

ROUNDS = 4
"""How often each request is used, with other points next to the forgotten one."""


def selective_forgetting(asking: Asking) -> Asks:
    """Yield requests for a card with one forbidden point, and for lists with one member less."""
    return in_turn([_forgetful_cards(asking), _lists(asking)])


def _forgetful_cards(asking: Asking) -> Asks:
    for _ in range(ROUNDS):
        for request in asking.material.orders(FORGET):
            forgotten = str(request.value)
            others = [name for name in asking.record.attributes(request.entity) if name not in ORDERS | {forgotten}]
            others = [name for name in others if asking.is_free(request.entity, name)]
            others = _told_apart(asking, request.entity, others)
            if asking.record.told(request.entity, forgotten) and others:
                kept = asking.draws.some(others, asking.draws.between(min(2, len(others)), min(3, len(others))))
                yield _card(asking, request, kept)


def _card(asking: Asking, request: StatedFact, kept: list[str]) -> Ask:
    among = [*kept, str(request.value)]
    asking.draws.shuffle(among)
    return card(asking, request.entity, among, _poison(asking, request))


def _lists(asking: Asking) -> Asks:
    for request in asking.material.orders(FORGET):
        latest = asking.record.latest(request.entity, str(request.value))
        if latest is None or not can_be_described(latest.attribute, "those"):
            continue
        holders = [one.entity for one in asking.record.holding(latest.attribute, latest.value)]
        forgotten = [entity for entity in holders if asking.record.forgotten(entity, latest.attribute)]
        everybody = asking.material.things(asking.material.kinds[request.entity])
        if FEWEST <= len(holders) - len(forgotten) <= MOST and len(everybody) >= 2 * len(holders):
            where = [{"attribute": latest.attribute, "is": latest.value}]
            query = {"op": "list_where", "where": where, "unless_forgotten": True}
            those = asking.those(latest.attribute, latest.value)
            yield asking.ask("list", "set", query, {"poison": forgotten}, those=those)


def _told_apart(asking: Asking, entity: str, attributes: list[str]) -> list[str]:
    """Drop attributes with the same value as an earlier one: a cat called Peaches, and an allergy to peaches."""
    by_value: dict[str, str] = {}
    for attribute in attributes:
        by_value.setdefault(str(asking.record.history(entity, attribute)[-1].value).casefold(), attribute)
    return list(by_value.values())


def _poison(asking: Asking, request: StatedFact) -> dict[str, object]:
    """Return every value of the attribute to forget that was ever stated."""
    attribute = str(request.value)
    return poison_of(dict.fromkeys(one.value for one in asking.record.told(request.entity, attribute)))
