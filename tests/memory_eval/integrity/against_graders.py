"""Answers that say the gold without claiming it, or a little of it: made with the examiner's papers in hand.

An agent could not do most of this. A grader that falls for one of them also falls for an agent that half remembers.
Each returns None for a question it is no attack on.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from assay.memory_eval import AnswerType, Question
from tests.memory_eval.integrity.adversary import Sheet

Answering = Callable[[Question, Sheet], str | None]

_WRONG_UNITS = {
    "USD": "cents", "%": "basis points", "ms": "minutes", "MB": "TB", "GB": "MB", "TB": "GB", "m": "km",
    "minutes": "seconds", "days": "minutes", "kWh": "MWh",
}  # fmt: skip
_ONE_VALUE = (AnswerType.number, AnswerType.date, AnswerType.entity, AnswerType.yes_no)


def saying(template: str) -> Answering:
    """The gold for {gold}, wrong values of its kind for {w1} to {w4}; {now:…} keeps it to questions on the present."""
    on_present = template.startswith("{now}")
    template = template.removeprefix("{now}")

    def given(question: Question, sheet: Sheet) -> str | None:
        wrong = sheet.wrong(question, 4)
        if "{" in template and question.answer.type is AnswerType.abstain:
            return None
        if ("{w1}" in template and not wrong) or (on_present and question.rubric.get("tense") != "current"):
            return None
        answer = template.replace("{gold}", question.expected_answer)
        for number in (1, 2, 3, 4):
            answer = answer.replace(f"{{w{number}}}", wrong[(number - 1) % len(wrong)] if wrong else "")
        return answer

    return given


def the_question(question: Question, sheet: Sheet) -> str:
    return question.text


def the_whole_dialogue(question: Question, sheet: Sheet) -> str:
    return sheet.whole_dialogue


def gold_then_the_dialogue(question: Question, sheet: Sheet) -> str:
    return f"{question.expected_answer}\n{sheet.whole_dialogue}"


def gold_then_filler(question: Question, sheet: Sheet) -> str:
    return f"{question.expected_answer}. " + "That is what I remember of it. " * 60


def the_answer_key(question: Question, sheet: Sheet) -> str:
    return sheet.answer_key


def ten_fields(question: Question, sheet: Sheet) -> str | None:
    values = sheet.wrong(question, 9)
    if not values or question.answer.type is AnswerType.abstain:
        return None
    values.insert(sheet.draws(question, "fields").below(len(values) + 1), question.expected_answer)
    return json.dumps({f"field_{number}": value for number, value in enumerate(values, start=1)}, indent=1)


def all_candidates(question: Question, sheet: Sheet) -> str | None:
    if question.answer.type not in _ONE_VALUE:
        return None
    values = [*sheet.wrong(question, 12), question.expected_answer]
    sheet.draws(question, "candidates").shuffle(values)
    return ", ".join(values)


def another_unit(question: Question, sheet: Sheet) -> str | None:
    """The right digits, and a unit that makes another number of them."""
    unit = _WRONG_UNITS.get(question.answer.unit or "")
    return f"{question.answer.value} {unit}" if unit and question.answer.type is AnswerType.number else None


def ten_times(question: Question, sheet: Sheet) -> str | None:
    """A decimal point lost."""
    if question.answer.type is not AnswerType.number or not question.answer.value:
        return None
    return f"{question.answer.value * 10:,}"


def a_likely_wrong_value(question: Question, sheet: Sheet) -> str | None:
    """What held before, a near-twin's value, a planted one: what a bad memory says."""
    return None if question.answer.type is AnswerType.abstain else next(iter(sheet.wrong(question)), None)


def the_gold_of_the_question_before(question: Question, sheet: Sheet) -> str:
    return sheet.questions[sheet.questions.index(question) - 1].expected_answer


def the_commonest_gold(question: Question, sheet: Sheet) -> str:
    """One answer to everything, the best there is."""
    golds = [one.expected_answer for one in sheet.questions]
    return max(dict.fromkeys(golds), key=golds.count)
