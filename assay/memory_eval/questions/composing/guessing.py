"""How far a guess would get: in a small world an attribute has few values, and one of them is soon said by chance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.memory_eval.questions.composing.answers import OF_ATTRIBUTE
from assay.memory_eval.questions.composing.composing import Answered
from assay.memory_eval.questions.composing.material import Material

MANY_TURNS = 600
"""In longer dialogues values are so many that nothing needs to be held back."""

STEPS = (0.08, 0.16, 0.3)
"""One value said each time is right so often at most; what is easier than that comes after what is not."""


def hard_to_guess_first(answers: Iterable[Answered], material: Material) -> Iterator[Answered]:
    """All of them: in a small world those are held back that are easily right by chance, the easiest longest."""
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
    """How often the gold was told of its attribute, of all that was told of it; surely, where it was told the most."""
    query, gold = whole.ask.query, whole.answer.value
    if query["op"] == "inverse":
        things = material.things(material.kinds.get(str(gold), ""))
        return 1 / len(things) if things else 0.0
    if query["op"] not in OF_ATTRIBUTE or whole.ask.abstains:
        return 0.0
    told = material.tellings(query["attribute"])
    return 1.0 if told and gold == next(iter(told)) else told.get(gold, 0) / (told.total() or 1)
