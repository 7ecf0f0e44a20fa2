"""Limits on guessing: in a small world an attribute has few values, and chance answers are often right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.memory_eval.questions.composing.answers import OF_ATTRIBUTE
from assay.memory_eval.questions.composing.composing import Answered
from assay.memory_eval.questions.composing.material import Material

MANY_TURNS = 600
"""In longer dialogues there are so many values that no question is held back."""

STEPS = (0.08, 0.16, 0.3)
"""Probabilities of a right guess that separate the groups; harder questions come first."""


def hard_to_guess_first(answers: Iterable[Answered], material: Material) -> Iterator[Answered]:
    """Yield all answers; in a small world easily guessed ones come last."""
    if material.num_turns > MANY_TURNS:
        yield from answers
        return
    held_back: list[list[Answered]] = [[] for _ in STEPS]
    for whole in answers:
        chance = _chance(whole, material)
        step = sum(chance > limit for limit in STEPS)
        if step == 0:
            yield whole
        else:
            held_back[step - 1].append(whole)
    for some in held_back:
        yield from some


def _chance(whole: Answered, material: Material) -> float:
    """Return the gold's share of all statements of its attribute, the chance of the most frequent guess."""
    query, gold = whole.ask.query, whole.found.value
    if query["op"] == "inverse":
        things = material.things(material.kinds.get(str(gold), ""))
        return 1 / len(things) if things else 0.0
    if query["op"] not in OF_ATTRIBUTE or whole.ask.abstains:
        return 0.0
    told = material.tellings(query["attribute"])
    return 1.0 if told and gold == next(iter(told)) else told.get(gold, 0) / (told.total() or 1)
