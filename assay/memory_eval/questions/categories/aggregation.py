"""Questions about everything of a kind with a common value: how many, and which."""

from __future__ import annotations

from assay.memory_eval.questions.composing.asking import Asking, Asks, can_be_described
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.world.attributes import ATTRIBUTES

FEWEST, MOST_LISTED, MOST_COUNTED = 2, 6, 40
POSSIBLE = 6
"""Least number of candidates for a list."""

ROUNDS = 3
"""How often each number is used, with another threshold each time."""

KINDS = ("project", "component", "startup", "quarter", "server", "landmark")
NUMBERS = [row.name for row in ATTRIBUTES.values() if row.kind in KINDS and row.unit is not None]
"""Quantities, as opposed to numeric names such as a port."""


def candidates(asking: Asking) -> Asks:
    """Yield requests for short lists in full, and counts of longer ones."""
    shared = [name for name in ATTRIBUTES if can_be_described(name, "those")]
    shared = [name for name in shared if ATTRIBUTES[name].kind != "event"]
    alike = in_turn([_shared(asking, name) for name in asking.in_drawn_order(shared)])
    return in_turn([alike, alike, _at_least(asking)])


def _at_least(asking: Asking) -> Asks:
    """Yield counts of the entities whose number is at least that of one of them."""
    for attribute in asking.in_drawn_order(NUMBERS * ROUNDS):
        values = sorted((one.value for one in asking.record.all_latest(attribute)), reverse=True)
        if len(values) > FEWEST:
            least = values[asking.draws.between(FEWEST, min(MOST_COUNTED, len(values) - 1)) - 1]
            kinds = asking.kinds(ATTRIBUTES[attribute].kind)
            label, said = asking.noun_now(attribute), asking.value(attribute, least)
            where = [{"attribute": attribute, "at_least": least}]
            query = {"op": "count_where", "where": where}
            yield asking.ask("at_least", "count", query, kinds=kinds, label=label, value=said)


def _shared(asking: Asking, attribute: str) -> Asks:
    num_things = len(asking.material.things(ATTRIBUTES[attribute].kind))
    for value in asking.in_drawn_order(asking.record.values(attribute)):
        num = len(asking.record.holding(attribute, value))
        if (attribute, value) in asking.material.forgotten_values or not FEWEST <= num <= MOST_COUNTED:
            continue
        where = [{"attribute": attribute, "is": value}]
        those = asking.those(attribute, value)
        if num <= MOST_LISTED and num_things >= max(POSSIBLE, 2 * num) and asking.draws.chance(70):
            yield asking.ask("list", "set", {"op": "list_where", "where": where}, those=those)
        else:
            yield asking.ask("count", "count", {"op": "count_where", "where": where}, those=those)
