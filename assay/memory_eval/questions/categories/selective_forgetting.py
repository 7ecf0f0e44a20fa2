"""Questions around forget requests: the forgotten value stays out, and the other values remain."""

from __future__ import annotations

from assay.memory_eval.questions.composing.asking import Ask, Asking, Asks, can_be_described
from assay.memory_eval.questions.composing.direct import card, poison_of
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.composing.material import ORDERS
from assay.memory_eval.questions.queries.record import FORGET, StatedFact

FEWEST, MOST = 2, 6
"""Number of members of a list that were not forgotten."""

ROUNDS = 4
"""How often each request is used, with other points next to the forgotten one."""


def candidates(asking: Asking) -> Asks:
    """Yield requests for a card with one forbidden point, and for lists with one member less."""
    return in_turn([_cards(asking), _lists(asking)])


def _cards(asking: Asking) -> Asks:
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
    return poison_of(attribute, dict.fromkeys(one.value for one in asking.record.told(request.entity, attribute)))
