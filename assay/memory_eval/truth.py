"""Turns, facts, questions and typed answers: frozen values without random draws.

A fact is plain data, `{entity, attribute, value, source, valid_from}`: `value` a number, a text or a list of texts,
`source` who stated it or None, `valid_from` the day (ISO) it holds from. The turn that holds a fact gives its number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Any

Fact = dict[str, Any]
"""`{"entity": str, "attribute": str, "value": JSON, "source": str | None, "valid_from": "YYYY-MM-DD"}`."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the dialogue. `turn_number` counts from 1; `block` is 1 to 12.

    `role` is "user" or "assistant", `speaker` who says it, `session` the number of its conversation from 1, `time` an
    ISO day with the time; "" and 0 if unknown. `continues`: one of its facts begins in the turn before.
    """

    turn_number: int
    content: str
    block: int
    block_name: str
    facts: list[Fact] = field(default_factory=list)
    role: str = "user"
    speaker: str = ""
    session: int = 0
    time: str = ""
    continues: bool = False


class NotGiven(Enum):
    """Type of `NOT_GIVEN`."""

    token = 0

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN = NotGiven.token
"""The typed value of an answer without one; None is a value, and means that the agent abstains."""

MOST_NUMBER = 2.0**64
"""Largest plausible number in an answer or a report; larger ones overflow when they are compared or added up."""


def has_implausible_number(data: Any) -> bool:
    """Return whether plain data holds, at any depth, a number that is not below `MOST_NUMBER` in size."""
    left = [data]
    while left:
        one = left.pop()
        if isinstance(one, Mapping):
            left.extend(one.values())
        elif isinstance(one, list):
            left.extend(one)
        elif isinstance(one, int | float) and not abs(one) < MOST_NUMBER:
            return True
    return False


class AnswerType(StrEnum):
    """The type of an answer; each is parsed and compared in its own way."""

    number = "number"
    date = "date"
    entity = "entity"
    set = "set"
    ordered_list = "ordered_list"
    pairs = "pairs"
    yes_no = "yes_no"
    abstain = "abstain"
    text = "text"


@dataclass(frozen=True, slots=True)
class Answer:
    """A right answer as a value.

    `value` by type: number int or float; date "YYYY-MM-DD" (or "YYYY-MM-DD HH:MM"); entity str; set and ordered_list
    list[str | number]; pairs list[[source, value]]; yes_no bool; abstain None; text list of claims, each a list of
    alternative wordings. `unit` belongs to numbers: "USD", "%", "ms", "people" …
    """

    type: AnswerType
    value: Any
    unit: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data."""
        data = {"type": str(self.type), "value": self.value}
        return data if self.unit is None else {**data, "unit": self.unit}


class Dimension(StrEnum):
    """Dimensions of a score, 0.0 to 1.0 each."""

    factual_accuracy = "factual_accuracy"
    specificity = "specificity"
    temporal_awareness = "temporal_awareness"
    source_attribution = "source_attribution"
    confidence_calibration = "confidence_calibration"


@dataclass(frozen=True, slots=True)
class Question:
    """One question of the exam.

    `expected_answer` is the gold answer in words; `answer` the same as a value; `relevant_turns` the turns an agent
    needs to have kept, no more; `rubric` everything else that grading needs, so that grading does not use the world.
    """

    id: str
    category: str
    text: str
    expected_answer: str
    answer: Answer
    relevant_turns: tuple[int, ...]
    dimensions: tuple[Dimension, ...]
    rubric: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class GroundTruth:
    """All facts of a dialogue, and their final state.

    `facts_by_entity` has each fact under its entity, in the order stated; `current_values` the last value under
    "entity.attribute"; `superseded_values` the earlier ones, each with when it held and when it was replaced.
    """

    turns: list[Turn]
    facts_by_entity: dict[str, list[Fact]]
    current_values: dict[str, Any]
    superseded_values: dict[str, list[dict[str, Any]]]
