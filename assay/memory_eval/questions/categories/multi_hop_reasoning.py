"""Questions over two or three facts: from a thing to a person, perhaps another person, and an attribute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from assay.memory_eval.questions.composing.asking import Ask, Asking, Asks
from assay.memory_eval.questions.composing.attribute_groups import TIES, TRAITS
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.queries.found import Query

PER_CHAIN = 2
"""Most questions per chain end; no attribute of a person is requested again by another chain."""


class Chain(NamedTuple):
    """A path to a person: who it is, how the path is worded, and its query."""

    end: str
    spoken: str
    query: Query


def candidates(asking: Asking) -> Asks:
    """Yield questions that never name the links of the chain."""
    chains = in_turn([_long(asking), _short(asking)])
    asked: set[tuple[str, str]] = set()
    for chain in chains:
        traits = [name for name in TRAITS if asking.record.told(chain.end, name)]
        traits = [name for name in traits if asking.is_free(chain.end, name) and (chain.end, name) not in asked]
        for trait in asking.draws.some(traits, min(PER_CHAIN, len(traits))):
            asked.add((chain.end, trait))
            yield Ask(asking.asked(trait, chain.spoken), value_of(chain.query, trait))


def _short(asking: Asking) -> Iterator[Chain]:
    for entity, tie in asking.keys(TIES):
        end = asking.record.history(entity, tie)[-1].value
        yield Chain(str(end), asking.described(tie, entity), value_of(entity, tie))


def _long(asking: Asking) -> Iterator[Chain]:
    for chain in _short(asking):
        further = [name for name in TIES if asking.record.told(chain.end, name)]
        further = [name for name in further if asking.is_free(chain.end, name)]
        if further:
            tie = asking.draws.one(further)
            end = asking.record.history(chain.end, tie)[-1].value
            yield Chain(str(end), asking.described(tie, chain.spoken), value_of(chain.query, tie))
