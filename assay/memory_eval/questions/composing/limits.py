"""What keeps guessing from paying: no gold is shared by many questions, and no question is asked twice."""

from __future__ import annotations

import json
from collections import Counter

from assay.memory_eval.questions.composing.question import Ask
from assay.memory_eval.truth import Answer, AnswerType

MOST_ALIKE = 0.03
"""So large a part of an exam may share one gold, and two questions always may."""

MOST_ABSTENTIONS = 0.05
MOST_YES_NO = 0.05
"""So large a part of an exam may be right by an abstention, or by a coin's toss."""


class Limits:
    """The questions chosen so far, and which others may still join them."""

    def __init__(self, num_questions: int) -> None:
        self._most_alike = max(2, int(num_questions * MOST_ALIKE))
        self._most_abstentions = int(num_questions * MOST_ABSTENTIONS)
        self._most_yes_no = int(num_questions * MOST_YES_NO)
        self._golds: Counter[str] = Counter()
        self._texts: set[str] = set()
        self._queries: set[str] = set()

    def is_new(self, ask: Ask) -> bool:
        """Whether the same has not been asked yet, in these or in other words."""
        return ask.text not in self._texts and _same_in_any_words(ask) not in self._queries

    def allows(self, answer: Answer, expected: str) -> bool:
        """Whether this gold may be right once more; `expected` is the answer in words."""
        gold = expected.casefold()
        if answer.type is AnswerType.abstain:
            return self._golds[gold] < min(self._most_abstentions, self._most_alike)
        if answer.type is AnswerType.yes_no:
            yes, no = self._golds["yes"], self._golds["no"]
            return yes + no < self._most_yes_no and self._golds[gold] <= min(yes, no)
        return self._golds[gold] < self._most_alike

    def add(self, ask: Ask, expected: str) -> None:
        """Count a question that was chosen."""
        self._golds[expected.casefold()] += 1
        self._texts.add(ask.text)
        self._queries.add(_same_in_any_words(ask))


def _same_in_any_words(ask: Ask) -> str:
    """What two askings of the same have in common, however they are put."""
    return json.dumps(ask.query, sort_keys=True)
