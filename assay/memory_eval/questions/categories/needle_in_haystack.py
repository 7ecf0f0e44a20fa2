"""Questions about a single fact stated once: of a person, a project, a component, a start-up."""

from __future__ import annotations

from assay.memory_eval.questions.composing.asking import Asking, Asks
from assay.memory_eval.questions.composing.direct import asked_directly, asked_the_other_way_round
from assay.memory_eval.questions.composing.drawn_order import in_turn

ASKED = (
    "birthday allergy hobby pet pet_name hometown favorite_food degree joined_on extension mentor"
    " customer started_on language maintainer investor"
).split()


def candidates(asking: Asking) -> Asks:
    """Yield questions for a value, or by the value for its entity."""
    keys = (key for key in asking.keys(ASKED) if len(asking.record.history(*key)) == 1)
    direct = asked_directly(asking, keys)
    return in_turn([direct, direct, asked_the_other_way_round(asking, asking.keys(ASKED))])
