"""Questions about servers and networks: components, location, address."""

from __future__ import annotations

from assay.memory_eval.questions.composing.asking import Asking, Asks
from assay.memory_eval.questions.composing.direct import asked_directly, asked_the_other_way_round
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.world.attributes import attributes_of

ASKED = [row.name for row in (*attributes_of("server"), *attributes_of("network"))]


def candidates(asking: Asking) -> Asks:
    """Yield questions for a detail of a machine, or by the detail for the machine."""
    direct = asked_directly(asking, asking.keys(ASKED))
    return in_turn([direct, direct, asked_the_other_way_round(asking, asking.keys(ASKED))])
