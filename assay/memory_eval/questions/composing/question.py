"""A category of questions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assay.memory_eval.questions.composing.asking import Asking, Asks
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.truth import Dimension
from assay.seeded_random import Draws


@dataclass(frozen=True, slots=True)
class Category:
    """One kind of question. A larger weight gives a larger share of an exam.

    `dimension` is scored besides factual accuracy. `asks` yields all possible questions, in drawn order; those without
    an answer are skipped.
    """

    name: str
    weight: int
    dimension: Dimension
    asks: Callable[[Asking], Asks]

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        """Dimensions on which its answers are scored."""
        return Dimension.factual_accuracy, self.dimension

    def candidates(self, material: Material, draws: Draws) -> Asks:
        """Yield all possible questions on this material."""
        return self.asks(Asking(self.name, material, draws))
