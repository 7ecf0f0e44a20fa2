"""The interface of a question category, and a question before its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.memory_eval.queries.found import Query
from assay.memory_eval.questions.composing.asking import Asking
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.truth import Dimension
from assay.seeded_random import Draws


@dataclass(frozen=True, slots=True)
class Ask:
    """A question without an answer; `query` finds the answer and the evidence.

    `rubric` adds to what follows from the query. `abstains`: the dialogue has no answer, and that is the right answer.
    `must`: queries whose results the answer must contain too. `also_turns`: further evidence, such as a standing
    request.
    """

    text: str
    query: Query
    rubric: Mapping[str, Any] = field(default_factory=dict)
    abstains: bool = False
    must: tuple[Query, ...] = ()
    also_turns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Category:
    """One kind of question. A larger weight gives a larger share of an exam.

    `dimension` is scored besides factual accuracy. `asks` yields all possible questions, in drawn order; those without
    an answer are skipped.
    """

    name: str
    weight: int
    dimension: Dimension
    asks: Callable[[Asking], Iterator[Ask]]

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        """Dimensions on which its answers are scored."""
        return Dimension.factual_accuracy, self.dimension

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        """Yield all possible questions on this material."""
        return self.asks(Asking(self.name, material, draws))
