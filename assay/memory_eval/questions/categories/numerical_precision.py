"""Questions about exact numbers: revenue, budgets, limits, rates."""

from __future__ import annotations

from assay.memory_eval.questions.composing.asking import Asking, Asks
from assay.memory_eval.questions.composing.direct import asked_directly
from assay.memory_eval.truth import AnswerType
from assay.memory_eval.world.attributes import ATTRIBUTES

KINDS = ("quarter", "component", "project", "startup")

ASKED = [row.name for row in ATTRIBUTES.values() if row.kind in KINDS and row.type is AnswerType.number]


def candidates(asking: Asking) -> Asks:
    """Yield questions that require the last digit."""
    return asked_directly(asking, asking.keys(ASKED))
