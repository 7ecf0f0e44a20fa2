"""What was told, and what is asked: turns, facts, questions, typed answers. Frozen values; nothing here draws.

A fact is plain data, `{entity, attribute, value, source, valid_from}`: `value` a number, a text or a list of texts,
`source` who said so or None, `valid_from` the day (ISO) it holds from. Which turn told it is known by where it lies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

Fact = dict[str, Any]
"""`{"entity": str, "attribute": str, "value": JSON, "source": str | None, "valid_from": "YYYY-MM-DD"}`."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing said to the agent. `turn_number` counts from 1; `block` is 1 to 12."""

    turn_number: int
    content: str
    block: int
    block_name: str
    facts: list[Fact] = field(default_factory=list)


class AnswerType(StrEnum):
    """What kind of thing an answer is; each is read and compared in its own way."""

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
        """As it is written down."""
        data = {"type": str(self.type), "value": self.value}
        return data if self.unit is None else {**data, "unit": self.unit}


class Dimension(StrEnum):
    """What an answer is scored on, 0.0 to 1.0 each."""

    factual_accuracy = "factual_accuracy"
    specificity = "specificity"
    temporal_awareness = "temporal_awareness"
    source_attribution = "source_attribution"
    confidence_calibration = "confidence_calibration"


@dataclass(frozen=True, slots=True)
class Question:
    """One question of the exam.

    `expected_answer` is how a good agent would say it; `answer` the same as a value; `relevant_turns` the turns an
    agent needs to have kept, no more; `rubric` what else grading needs, so that grading never looks into the world.
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
    """Everything that was told, and how it ended up.

    `facts_by_entity` holds each fact under its entity, in the order told; `current_values` the last value under
    "entity.attribute"; `superseded_values` what it was before, each with when it held and when it was replaced.
    """

    turns: list[Turn]
    facts_by_entity: dict[str, list[Fact]]
    current_values: dict[str, Any]
    superseded_values: dict[str, list[dict[str, Any]]]
