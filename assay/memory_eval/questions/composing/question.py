"""What a category of questions is, and what it yields: a text and the query that answers it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from assay.memory_eval.queries.found import Query
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import Dimension


@dataclass(frozen=True, slots=True)
class Ask:
    """A question that has not been answered yet: `query` finds the answer and the evidence.

    `rubric` is what grading should know beyond what follows from the query. `abstains`: nothing was told of it, and
    that is the right answer. `must`: what these find has to be said as well.
    `also_turns`: evidence beyond what the queries find, such as a standing order.
    """

    text: str
    query: Query
    rubric: Mapping[str, Any] = field(default_factory=dict)
    abstains: bool = False
    must: tuple[Query, ...] = ()
    also_turns: tuple[int, ...] = ()


class Category(Protocol):
    """One kind of question. The larger the weight, the larger its share of an exam."""

    @property
    def name(self) -> str:
        """The register key."""

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        """What its answers are scored on."""

    @property
    def weight(self) -> int:
        """Its share, in parts of the sum of all weights."""

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        """Everything it can ask of what was told, in drawn order; one that finds no answer is passed over."""
