"""Questions the dialogue does not answer."""

from __future__ import annotations

from difflib import SequenceMatcher

from assay.memory_eval.questions.composing.asking import Ask, Asking, Asks
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.world.attributes import attributes_of

KINDS = ("person", "project", "component", "startup", "server", "network", "problem")
GUESSED = {"field"}
"""Attributes that a name may reveal without a statement."""

ALIKE = 0.45
"""Similarity, 0.0 to 1.0, from which two first or last names may be confused."""

STRANGERS = 40
"""Most invented names."""


def candidates(asking: Asking) -> Asks:
    """Yield questions worded exactly like answerable ones, so that the wording does not reveal the missing answer."""
    untold = _untold(asking)
    return in_turn([untold, untold, untold, _strangers(asking)])


def _untold(asking: Asking) -> Asks:
    """Yield attributes stated for others of the kind, but not for this one."""
    for entity in asking.in_drawn_order([entity for kind in KINDS for entity in asking.material.things(kind)]):
        rows = attributes_of(asking.material.kinds[entity])
        never = [
            row.name for row in rows if asking.record.entities(row.name) and not asking.record.told(entity, row.name)
        ]
        never = [name for name in never if asking.is_free(entity, name) and name not in GUESSED]
        never = [name for name in never if (entity, name) not in asking.material.planted]
        if never:
            attribute = asking.draws.one(never)
            yield Ask(asking.asked(attribute, entity), value_of(entity, attribute), abstains=True)


def _strangers(asking: Asking) -> Asks:
    """Yield unknown people with the first name of one and the last name of another known person.

    The names are not similar enough to be read as misspelt known names.
    """
    people = asking.material.things("person")
    told = [row.name for row in attributes_of("person") if asking.record.entities(row.name)]
    for _ in range(STRANGERS if len(people) > 1 else 0):
        one, other = asking.draws.some(people, 2)
        stranger = f"{one.split()[0]} {other.split()[-1]}"
        if not asking.material.is_mentioned(stranger) and not any(_sounds_like(stranger, one) for one in people):
            attribute = asking.draws.one(told)
            yield Ask(asking.asked(attribute, stranger), value_of(stranger, attribute), abstains=True)


def _sounds_like(stranger: str, known: str) -> bool:
    """Return whether one part of two names is equal, and the other similar."""
    differ = [pair for pair in zip(stranger.split(), known.split(), strict=False) if pair[0] != pair[1]]
    return len(differ) < 2 and all(SequenceMatcher(None, *pair).ratio() > ALIKE for pair in differ)
