"""What tries to beat the exam: an agent that does not remember what it is asked, and answers all the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from assay.memory_eval import AgentAdapter, AnswerType, Question, Turn
from assay.memory_eval.questions.composing.answers import joined
from assay.memory_eval.world.wording import said
from assay.seeded_random import Draws

NOTHING_PAYS = 0.05
"""What an answer that claims nothing, everything or the opposite may be worth over an exam."""


@dataclass(frozen=True)
class Sheet:
    """The examiner's own papers, as far as whoever attacks a grader is given them: every question with its gold."""

    questions: Sequence[Question]
    turns: Sequence[Turn]

    @cached_property
    def by_text(self) -> dict[str, Question]:
        return {question.text: question for question in self.questions}

    @cached_property
    def whole_dialogue(self) -> str:
        return "\n".join(turn.content for turn in self.turns)

    @cached_property
    def answer_key(self) -> str:
        return "; ".join(question.expected_answer for question in self.questions)

    def wrong(self, question: Question, num: int = 1) -> list[str]:
        """So many wrong answers that could have been right, the likeliest first; fewer where there are no more.

        What the rubric knows of (outdated, a twin's, planted, others of the domain), other numbers and days, other
        members, the same members in another order, the same sources with each other's values.
        """
        makers = {AnswerType.set: _other_sets, AnswerType.ordered_list: _other_orders, AnswerType.pairs: _other_pairs}
        found = makers.get(question.answer.type, self._other_values)(question)
        return [one for one in dict.fromkeys(found) if one and one != question.expected_answer][:num]

    def _other_values(self, question: Question) -> list[str]:
        kind, value = question.answer.type, question.answer.value
        if kind is AnswerType.yes_no:
            return [said(not value, kind)]
        found = [_in_words(other, question) for other in question.rubric.get("others", [])]
        if kind is AnswerType.number:
            found += [said(_near(value, more), kind, question.answer.unit) for more in (7, 13, 4, 29, 5, 3, 17, 11, 19)]
        same = [other.expected_answer for other in self.questions if other.answer.type is kind]
        return [*found, *(same if kind is AnswerType.date or not found else [])]

    def draws(self, question: Question, name: str) -> Draws:
        """Chance for one answer, the same every time."""
        return Draws(f"integrity:{name}:{question.id}:{question.text}")


@dataclass
class Memory:
    """All an agent has: what it was told, in order, and what it has been asked so far."""

    turns: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)
    """What a strategy works out once and uses for every question."""


@dataclass(frozen=True)
class Attack:
    """One way to try. `limit` is what it may score at most, and `why` the reason it gets no more.

    `given` answers with the examiner's papers in hand: it attacks the grader. `learned` answers from what the agent
    was told, as any agent can: it attacks the questions. Either gives None for a question it is no attack on; the
    score is the mean over the others.
    """

    name: str
    exploits: str
    why: str
    given: Callable[[Question, Sheet], str | None] | None = None
    learned: Callable[[str, Memory], str | None] | None = None
    limit: float = NOTHING_PAYS
    is_open: bool = False
    """Whether it is known to get more than its limit still."""


class Adversary(AgentAdapter):
    """An attack as an agent: it learns, is asked, can be reset, and knows of the exam what its attack is given."""

    def __init__(self, attack: Attack, sheet: Sheet) -> None:
        self.name = attack.name
        self._attack = attack
        self._sheet = sheet if attack.given else None
        self._memory = Memory()
        self.passed_over: set[str] = set()

    def learn(self, content: str) -> None:
        self._memory.turns.append(content)

    def answer(self, question: str) -> str:
        answer = self._answer(question)
        self._memory.asked.append(question)
        if answer is None:
            self.passed_over.add(question)
        return answer or ""

    def _answer(self, question: str) -> str | None:
        if self._attack.learned is not None:
            return self._attack.learned(question, self._memory)
        known = self._sheet.by_text.get(question) if self._sheet is not None else None
        return self._attack.given(known, self._sheet) if known and self._sheet and self._attack.given else None

    def reset(self) -> None:
        self._memory = Memory()

    def stats(self) -> dict[str, int]:
        return {"entries": len(self._memory.turns)}


def _near(value: float, more: int) -> float:
    """Another number of its size, and as exact."""
    if isinstance(value, int):
        return value + more if abs(value) < 100 else value + abs(value) * more // 50
    return round(value + max(1.0, abs(value)) * more / 50, 2)


def _in_words(value: Any, question: Question) -> str:
    kind = question.answer.type
    if kind in (AnswerType.number, AnswerType.date) and isinstance(value, (int, float, str)):
        try:
            return said(value, kind, question.answer.unit)
        except ValueError:
            return str(value)
    return str(value)


def _other_sets(question: Question) -> list[str]:
    others = [str(value) for value in question.rubric.get("others", [])]
    members = [str(value) for value in question.answer.value]
    size = min(len(members), len(others))
    strangers = [joined(others[place : place + size]) for place in range(0, len(others), max(1, size))]
    return [*strangers, *(joined([*members[:-1], other]) for other in others)]


def _other_orders(question: Question) -> list[str]:
    members = [str(value) for value in question.answer.value]
    turned = [members[place:] + members[:place] for place in range(1, len(members))]
    return [joined(members[::-1]), *(joined(one) for one in turned)]


def _other_pairs(question: Question) -> list[str]:
    """Each source with another one's value; where all say much the same, there may be none."""
    pairs = [part.partition(": ")[::2] for part in question.expected_answer.split("; ")]
    names, values = [name for name, _ in pairs], [value for _, value in pairs]
    turned = [values[place:] + values[:place] for place in range(1, len(values))]
    return ["; ".join(f"{name}: {value}" for name, value in zip(names, one, strict=True)) for one in turned]
