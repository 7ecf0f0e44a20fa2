"""Custom worlds: turns and questions written by hand, completed to what an exam needs.

Read from `turns.yaml` (or .yml, .jsonl) and `questions.yaml`. A turn may be a bare text; a question needs a text and
either the expected answer or the keywords it must contain.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from assay.memory_eval.errors import WorldUnreadable
from assay.memory_eval.exam.schema import QuestionLine, TurnLine, shaped
from assay.memory_eval.files import Row, rows_of
from assay.memory_eval.truth import Answer, AnswerType, Question, Turn

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
        facts = [fact.model_dump() for fact in line.facts]
        when = line.role, line.speaker, line.session, line.time, line.continues
        turns.append(Turn(number, line.content, line.block, line.block_name, facts, *when))
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
