"""Questions over two or three facts: from a thing to a person, perhaps another person, and an attribute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from assay.memory_eval.queries.found import Query
from assay.memory_eval.questions.composing.direct import value_of
from assay.memory_eval.questions.composing.drawn_order import in_turn
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.composing.people_ties import TIES, TRAITS
from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.questions.composing.speech import Speech
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import Dimension

PER_CHAIN = 2
"""Most questions per chain end; no attribute of a person is requested again by another chain."""


class Chain(NamedTuple):
    """A path to a person: who it is, how the path is worded, and its query."""

    end: str
    spoken: str
    query: Query


class MultiHopReasoning:
    """Never names the links of the chain."""

    name = "multi_hop_reasoning"
    dimensions = (Dimension.factual_accuracy, Dimension.specificity)
    weight = 6

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        speech = Speech(self.name, material, draws)
        chains = in_turn([self._long(material, speech, draws), self._short(material, speech, draws)])
        asked: set[tuple[str, str]] = set()
        for chain in chains:
            traits = [name for name in TRAITS if material.record.told(chain.end, name)]
            traits = [name for name in traits if material.is_free(chain.end, name) and (chain.end, name) not in asked]
            for trait in draws.some(traits, min(PER_CHAIN, len(traits))):
                asked.add((chain.end, trait))
                yield Ask(speech.asked(trait, chain.spoken), value_of(chain.query, trait))

    def _short(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Chain]:
        for entity, tie in material.keys(TIES, draws):
            end = material.record.history(entity, tie)[-1].value
            yield Chain(str(end), speech.the(tie, entity), value_of(entity, tie))

    def _long(self, material: Material, speech: Speech, draws: Draws) -> Iterator[Chain]:
        for chain in self._short(material, speech, draws):
            further = [name for name in TIES if material.record.told(chain.end, name)]
            further = [name for name in further if material.is_free(chain.end, name)]
            if further:
                tie = draws.one(further)
                end = material.record.history(chain.end, tie)[-1].value
                yield Chain(str(end), speech.the(tie, chain.spoken), value_of(chain.query, tie))
