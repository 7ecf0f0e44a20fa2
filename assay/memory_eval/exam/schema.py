"""Line formats of an exam's files: a turn, a question, an answer.

The files are untrusted; lines that do not match are rejected. The published schemas are generated from these classes.
"""

from __future__ import annotations

import difflib
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    ValidationError,
    field_validator,
)

from assay.memory_eval.files import Row
from assay.memory_eval.truth import AnswerType, Dimension, has_implausible_number

MOST_TEXT = 1_000_000
MOST_QUESTION = 20_000
MOST_ID = 200

Text = Annotated[str, Field(min_length=1, max_length=MOST_TEXT)]
Words = Annotated[list[Annotated[str, Field(min_length=1, max_length=MOST_QUESTION)]], Field(max_length=1000)]
Value = StrictStr | StrictBool | StrictInt | StrictFloat
Id = Annotated[str, Field(min_length=1, max_length=MOST_ID)]


class Line(BaseModel):
    """One line. Unknown keys are rejected: they are probably misspelt."""

    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)


class FactLine(Line):
    """A fact that a turn states, in structured form; the dialogue itself is `content`."""

    entity: Text
    attribute: Text
    value: Value | list[Value]
    source: str | None = None
    valid_from: str | None = Field(default=None, description="The day it holds from, YYYY-MM-DD.")


class TurnLine(Line):
    """One turn of the dialogue. A hand-written turn needs only its `content`."""

    content: Text
    turn_number: int | None = Field(default=None, ge=1, description="Its place, from 1. Default: its position.")
    block: int = Field(default=0, ge=0, le=12, description="1 to 12 in a drawn dialogue, 0 in a custom one.")
    block_name: str = Field(default="own", max_length=MOST_ID)
    facts: list[FactLine] = []
    role: Literal["user", "assistant"] = "user"
    speaker: str = Field(default="", max_length=MOST_ID, description="Who says it.")
    session: int = Field(default=0, ge=0, description="The number of its conversation, from 1; 0 if unknown.")
    time: str = Field(default="", max_length=MOST_ID, description="When it is said: an ISO day with the time.")
    continues: bool = Field(default=False, description="Whether one of its facts begins in the turn before.")


class AnswerValue(Line):
    """The right answer as a value, for answers that are compared as numbers, dates, sets or lists."""

    type: AnswerType
    value: Any = Field(
        default=None,
        description="By type: number: a number; date: YYYY-MM-DD; entity: text; set and ordered_list: a list;"
        " pairs: a list of [source, value]; yes_no: true or false; abstain: null; text: a list of claims, each a list"
        " of wordings.",
    )
    unit: str | None = Field(default=None, max_length=MOST_ID)


class QuestionLine(Line):
    """One question. A hand-written one needs its `text`, and `expected_answer` or `required_keywords`."""

    text: Annotated[str, Field(min_length=1, max_length=MOST_QUESTION)]
    id: Id | None = Field(default=None, description="Default: q1, q2, … by position.")
    category: Id = "own"
    expected_answer: str | None = Field(default=None, max_length=MOST_QUESTION)
    answer_type: AnswerType | None = Field(default=None, description="Default: text. The typed forms need `answer`.")
    answer: AnswerValue | None = None
    relevant_turns: list[int] = []
    dimensions: Annotated[list[Dimension], Field(min_length=1)] = [Dimension.factual_accuracy, Dimension.specificity]
    rubric: dict[str, Any] = {}
    required_keywords: Words | None = Field(default=None, description="All must occur, in upper or lower case.")
    acceptable_paraphrases: Words | None = Field(default=None, description="Accepted wordings.")
    incorrect_patterns: Words | None = Field(default=None, description="Phrases that make an answer wrong anywhere.")


class AnswerLine(BaseModel):
    """An offline answer. A missing or empty answer scores 0; other keys are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: StrictStr | StrictInt
    answer: StrictStr | StrictInt | StrictFloat | None = None
    confidence: float | None = Field(default=None, ge=0, le=1)
    tokens_in: int | None = Field(default=None, ge=0)
    tokens_out: int | None = Field(default=None, ge=0)
    value: Any = None

    @field_validator("value")
    @classmethod
    def _plausible(cls, value: Any) -> Any:
        if has_implausible_number(value):
            raise ValueError("too large a number")
        return value


def shaped(row: Row, shape: type[BaseModel]) -> Any:
    """Validate a row as one of the classes above; raises `WorldUnreadable` with file:line, the key and the error."""
    if not isinstance(row.data, dict):
        row.wrong(f"expected an object, not {type(row.data).__name__}")
    try:
        return shape.model_validate(row.data)
    except (ValidationError, RecursionError) as error:
        if isinstance(error, RecursionError):
            row.wrong("nested too deeply")
        first = error.errors(include_url=False, include_input=False)[0]
        key = ".".join(str(part) for part in first["loc"] if part not in ("str", "int", "float"))[:MOST_ID]
        row.wrong(_in_words(key, first, shape))


def _in_words(key: str, error: Any, shape: type[BaseModel]) -> str:
    if error["type"] == "missing":
        return f"{key!r} is missing"
    if error["type"] == "extra_forbidden":
        near = difflib.get_close_matches(key, shape.model_fields, 1)
        return f"{key!r} is not a valid key" + (f"; is {near[0]!r} meant?" if near else "")
    return f"{key}: {error['msg'][:1].lower()}{error['msg'][1:]}"
