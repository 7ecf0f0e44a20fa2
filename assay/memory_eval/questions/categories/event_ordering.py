"""Questions about order: three to five things by date."""

from __future__ import annotations

from assay.memory_eval.questions.composing.asking import Asking, Asks
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.world.attributes import ATTRIBUTES

DATED = "birthday joined_on deadline started_on launch_day opened_at resolved_at settled_date event_at".split()
ROUNDS = 3
"""How often everything is combined again."""

FEWEST, MOST = 3, 5
"""Three only if there are no more: the order of so few is easily guessed."""


def candidates(asking: Asking) -> Asks:
    """Yield questions that name the things in another order."""
    return in_turn([_orders(asking, attribute) for attribute in asking.in_drawn_order(DATED)])


def _orders(asking: Asking, attribute: str) -> Asks:
    entities = [one for one in asking.record.entities(attribute) if asking.is_free(one, attribute)]
    waiting = [one for _ in range(ROUNDS) for one in asking.in_drawn_order(entities)]
    while len(waiting) >= FEWEST:
        num = min(asking.draws.between(MOST - 1, MOST), len(waiting))
        among, waiting = list(dict.fromkeys(waiting[:num])), waiting[num:]
        if len(among) < FEWEST:
            continue
        kinds = asking.kinds(ATTRIBUTES[attribute].kind)
        names = asking.listed(among)
        query = {"op": "order", "attribute": attribute, "among": among}
        yield asking.ask("order", "order", query, label=asking.noun_now(attribute), names=names, kinds=kinds)
