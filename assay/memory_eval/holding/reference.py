"""Stores to compare with: a perfect one, and floors of the same world."""

from __future__ import annotations

from assay.memory_eval.holding.stored import Stored
from assay.memory_eval.holding.told import Told, ToldFact
from assay.memory_eval.world.attributes import label_of
from assay.memory_eval.world.fact import in_words

TAIL = 0.25
"""Share of the dialogue that the store `tail` keeps, as an agent without memory that sees the end of its transcript."""


def perfect_store(told: Told) -> list[Stored]:
    """Return one entry for each current fact, and one that is marked as ended for each old value."""
    return [_entry(one) for one in told.facts if one.status != "forgotten"]


def tail_store(told: Told) -> list[Stored]:
    """Return the last quarter of the dialogue, verbatim."""
    begin = len(told.turns) - round(len(told.turns) * TAIL)
    return [Stored(turn.content) for turn in told.turns[begin:]]


def sentence_of(fact: ToldFact) -> str:
    """Return a fact as one plain sentence."""
    return f"The {label_of(fact.attribute)} of {fact.entity} is {value_in_words(fact)}."


def value_in_words(fact: ToldFact) -> str:
    """Return the value as in turns; that of a hand-written world as it is."""
    try:
        return in_words(fact.attribute, fact.value)
    except (KeyError, ValueError, TypeError):
        return str(fact.value)


def _entry(fact: ToldFact) -> Stored:
    sentence = sentence_of(fact)
    if fact.status == "old":
        return Stored(sentence, is_ended=True)
    return Stored(sentence)
