"""Limits of an exam that make its answers hard to guess."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator

from assay.memory_eval.questions.composing.answers import OF_ATTRIBUTE
from assay.memory_eval.questions.composing.asking import Ask
from assay.memory_eval.questions.composing.composing import Answered
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.truth import Answer, AnswerType

# ------------------ limits

MOST_ALIKE = 0.03
"""Largest share of an exam with one gold; two questions are always allowed."""

MOST_ABSTENTIONS = 0.05
MOST_YES_NO = 0.05
"""Largest share of an exam that is right by an abstention, or by a coin toss."""


class Limits:
    """The questions chosen so far, and which others may join them."""

    def __init__(self, num_questions: int) -> None:
        self._most_alike = max(2, int(num_questions * MOST_ALIKE))
        self._most_abstentions = int(num_questions * MOST_ABSTENTIONS)
        self._most_yes_no = int(num_questions * MOST_YES_NO)
        self._golds: Counter[str] = Counter()
        self._texts: set[str] = set()
        self._queries: set[str] = set()

    def is_new(self, ask: Ask) -> bool:
        """Return whether the same question was not asked yet, in any words."""
        return ask.text not in self._texts and _same_in_any_words(ask) not in self._queries

    def allows(self, answer: Answer, expected: str) -> bool:
        """Return whether this gold may be used once more; `expected` is the answer in words."""
        gold = expected.casefold()
        if answer.type is AnswerType.abstain:
            return self._golds[gold] < min(self._most_abstentions, self._most_alike)
        if answer.type is AnswerType.yes_no:
            yes, no = self._golds["yes"], self._golds["no"]
            return yes + no < self._most_yes_no and self._golds[gold] <= min(yes, no)
        return self._golds[gold] < self._most_alike

    def add(self, ask: Ask, expected: str) -> None:
        """Count a chosen question."""
        self._golds[expected.casefold()] += 1
        self._texts.add(ask.text)
        self._queries.add(_same_in_any_words(ask))


def _same_in_any_words(ask: Ask) -> str:
    """Return a key that is equal for all wordings of a question."""
    return json.dumps(ask.query, sort_keys=True)


# ------------------ guessing

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
