"""Lines of an exam's files: a turn, a question, an answer; and worlds written by hand, completed to what an exam needs.

The files are untrusted; lines that do not match are rejected. The published schemas are generated from these classes.
A world is read from `turns.yaml` (or .yml, .jsonl) and `questions.yaml`. A turn may be a bare text; a question needs a
text and either the expected answer or the keywords it must contain.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
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

from assay.memory_eval.errors import WorldUnreadable
from assay.memory_eval.files import Row, rows_of
from assay.memory_eval.truth import Answer, AnswerType, Dimension, Question, Turn, has_implausible_number

# ------------------ schema

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


# ------------------ custom

SUFFIXES = (".jsonl", ".yaml", ".yml")
KEYWORDS = ("required_keywords", "acceptable_paraphrases", "incorrect_patterns")
_YES_NO = {"yes": True, "no": False}
_EXAMPLES = {
    AnswerType.number: "value: 480, unit: ms",
    AnswerType.date: "value: 2025-03-14",
    AnswerType.set: "value: [a, b]",
    AnswerType.ordered_list: "value: [first, second]",
    AnswerType.pairs: "value: [[the source, 480], [another, 500]]",
    AnswerType.yes_no: "value: true",
}
"""Example values for answer types that cannot be derived from the expected answer's words."""


def turns_in(folder: Path) -> list[Turn]:
    """Read the turns of a world, in order; raises `WorldUnreadable` with file:line."""
    turns: list[Turn] = []
    for row in rows_of(_one_of(folder, "turns"), "turns"):
        data = {"content": row.data} if isinstance(row.data, str) else row.data
        line: TurnLine = shaped(Row(row.file, row.line, data), TurnLine)
        number = len(turns) + 1
        if line.turn_number not in (None, number):
            row.wrong(f"turn_number {line.turn_number} found, expected {number}")
        turns.append(Turn(**{**line.model_dump(), "turn_number": number}))
    if not turns:
        raise WorldUnreadable(f"{_one_of(folder, 'turns')}: holds no turns", code="world.no-turns")
    return turns


def questions_in(folder: Path, num_turns: int | None) -> list[Question]:
    """Read the questions of a world, in order; raises `WorldUnreadable` with file:line.

    Without `num_turns`, the numbers of evidence turns are not checked.
    """
    path = _one_of(folder, "questions")
    questions = _questions(rows_of(path, "questions"), num_turns)
    if not questions:
        raise WorldUnreadable(f"{path}: holds no questions", code="world.no-questions")
    return questions


def _questions(rows: Iterable[Row], num_turns: int | None) -> list[Question]:
    seen: dict[str, int] = {}
    questions: list[Question] = []
    for row in rows:
        line: QuestionLine = shaped(row, QuestionLine)
        name = line.id or f"q{len(questions) + 1}"
        if name in seen:
            row.wrong(f"the id {name!r} is already used on line {seen[name]}")
        seen[name] = row.line
        beyond = [turn for turn in line.relevant_turns if turn < 1 or (num_turns is not None and turn > num_turns)]
        if beyond:
            row.wrong(f"turn {beyond[0]} is not one of the {num_turns} turns")
        questions.append(
            Question(
                id=name,
                category=line.category,
                text=line.text,
                expected_answer=_expected(row, line),
                answer=_answer(row, line),
                relevant_turns=tuple(line.relevant_turns),
                dimensions=tuple(dict.fromkeys(line.dimensions)),
                rubric=_rubric(line),
            )
        )
    return questions


def _expected(row: Row, line: QuestionLine) -> str:
    if line.expected_answer:
        return line.expected_answer
    keywords = line.required_keywords or line.rubric.get("required_keywords")
    if not keywords:
        row.wrong("a question needs 'expected_answer' or 'required_keywords'")
    return ", ".join(str(word) for word in keywords)


def _rubric(line: QuestionLine) -> dict[str, Any]:
    """Return the rubric; keyword rubrics may be in the question itself."""
    written = {key: value for key in KEYWORDS if (value := getattr(line, key)) is not None}
    return {**line.rubric, **written}


def _answer(row: Row, line: QuestionLine) -> Answer:
    if line.answer is not None:
        if line.answer_type not in (None, line.answer.type):
            row.wrong(f"answer_type {line.answer_type} and answer.type {line.answer.type} differ")
        wrong = _unfit(line.answer.type, line.answer.value)
        if wrong:
            row.wrong(f"answer.value: {wrong}")
        return Answer(line.answer.type, line.answer.value, line.answer.unit)
    kind = line.answer_type or AnswerType.text
    expected = _expected(row, line)
    if kind is AnswerType.text:
        return Answer(kind, [[expected]])
    if kind is AnswerType.entity:
        return Answer(kind, expected)
    if kind is AnswerType.abstain:
        return Answer(kind, None)
    word = expected.strip(" .!").lower()
    if kind is not AnswerType.yes_no or word not in _YES_NO:
        example = f"{{type: {kind}, {_EXAMPLES[kind]}}}"
        row.wrong(f"an answer of type {kind} needs its value, as in answer: {example}")
    return Answer(kind, _YES_NO[word])


def _unfit(kind: AnswerType, value: Any) -> str | None:
    """Return what is wrong with a value of this type, or None."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    texts = (str, int, float)
    if kind is AnswerType.number:
        return None if is_number else "expected a number"
    if kind is AnswerType.yes_no:
        return None if isinstance(value, bool) else "expected true or false"
    if kind in (AnswerType.date, AnswerType.entity):
        return None if isinstance(value, str) and value else "expected a text"
    if kind is AnswerType.abstain:
        return None if value is None else "must be null: an abstention has no value"
    if not isinstance(value, list) or not value:
        return "expected a list"
    if kind in (AnswerType.set, AnswerType.ordered_list):
        return None if all(isinstance(item, texts) for item in value) else "expected a list of texts and numbers"
    if kind is AnswerType.pairs:
        is_paired = all(isinstance(item, list) and len(item) == 2 for item in value)
        return None if is_paired else "expected a list of [source, value]"
    is_claims = all(isinstance(item, list) and item and all(isinstance(one, str) for one in item) for item in value)
    return None if is_claims else "expected a list of claims, each a list of wordings"


def _one_of(folder: Path, stem: str) -> Path:
    found = [path for suffix in SUFFIXES if (path := folder / f"{stem}{suffix}").is_file()]
    if not folder.is_dir():
        raise WorldUnreadable(f"{folder}: no such folder", code="world.no-folder")
    if not found:
        raise WorldUnreadable(f"{folder}: holds no {stem}.jsonl or {stem}.yaml", code="world.no-file")
    if len(found) > 1:
        raise WorldUnreadable(
            f"{folder}: holds {' and '.join(path.name for path in found)}; which one is meant?", code="world.ambiguous"
        )
    return found[0]
