"""The interface of a question category, and a question before its answer."""

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


class Category(Protocol):
    """One kind of question. A larger weight gives a larger share of an exam."""

    @property
    def name(self) -> str:
        """The register key."""

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        """Dimensions on which its answers are scored."""

    @property
    def weight(self) -> int:
        """Its share, in parts of the sum of all weights."""

    def candidates(self, material: Material, draws: Draws) -> Iterator[Ask]:
        """Yield all possible questions, in drawn order; those without an answer are skipped."""
