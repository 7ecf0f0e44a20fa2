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


def sources_removed(question: Question, sheet: Sheet) -> str | None:
    """The values, and nobody who said them."""
    if question.answer.type is not AnswerType.pairs:
        return None
    return ", ".join(part.partition(": ")[2] for part in question.expected_answer.split("; "))


def sources_swapped(question: Question, sheet: Sheet) -> str | None:
    """Each value under another one's name."""
    return next(iter(sheet.wrong(question)), None) if question.answer.type is AnswerType.pairs else None


def ten_fields(question: Question, sheet: Sheet) -> str | None:
    values = sheet.wrong(question, 9)
    if not values or question.answer.type is AnswerType.abstain:
        return None
    values.insert(sheet.draws(question, "fields").below(len(values) + 1), question.expected_answer)
    return json.dumps({f"field_{number}": value for number, value in enumerate(values, start=1)}, indent=1)


def one_of_four(question: Question, sheet: Sheet) -> str | None:
    values = sheet.wrong(question, 3)
    if not values or question.answer.type is AnswerType.abstain:
        return None
    values.insert(sheet.draws(question, "choices").below(len(values) + 1), question.expected_answer)
    return "\n".join(f"{letter}) {value}" for letter, value in zip("ABCD", values, strict=False))


def all_candidates(question: Question, sheet: Sheet) -> str | None:
    if question.answer.type not in _ONE_VALUE:
        return None
    values = [*sheet.wrong(question, 12), question.expected_answer]
    sheet.draws(question, "candidates").shuffle(values)
    return ", ".join(values)


def every_candidate_named(question: Question, sheet: Sheet) -> str | None:
    """All that could be in a set, those that are in it among them."""
    if question.answer.type is not AnswerType.set:
        return None
    return ", ".join(map(str, question.rubric["candidates"]))


def another_unit(question: Question, sheet: Sheet) -> str | None:
    """The right digits, and a unit that makes another number of them."""
    unit = _WRONG_UNITS.get(question.answer.unit or "")
    return f"{question.answer.value} {unit}" if unit and question.answer.type is AnswerType.number else None


def ten_times(question: Question, sheet: Sheet) -> str | None:
    """A decimal point lost."""
    if question.answer.type is not AnswerType.number or not question.answer.value:
        return None
    return f"{question.answer.value * 10:,}"


def roughly(question: Question, sheet: Sheet) -> str | None:
    """The order of magnitude, or the year, of what was asked exactly."""
    value = question.answer.value
    if question.answer.type is AnswerType.number and float(f"{value:.1g}") != value:
        return f"about {float(f'{value:.1g}'):,.10g}"
    return f"some time in {value[:4]}" if question.answer.type is AnswerType.date else None


def a_range(question: Question, sheet: Sheet) -> str | None:
    """Bounds around the gold that do not name it."""
    value = question.answer.value
    if question.answer.type is AnswerType.number:
        low, high = sorted((value * 0.9, value * 1.1))
        return f"Between {low:,.10g} and {high:,.10g}."
    if question.answer.type is AnswerType.date:
        return f"Between 1 January {value[:4]} and 31 December {value[:4]}."
    return None


def a_range_ending_in_gold(question: Question, sheet: Sheet) -> str | None:
    wrong = sheet.wrong(question)
    if question.answer.type not in (AnswerType.number, AnswerType.date, AnswerType.entity) or not wrong:
        return None
    return f"Anything from {wrong[0]} to {question.expected_answer}."


def a_give_or_take(question: Question, sheet: Sheet) -> str | None:
    if question.answer.type is not AnswerType.number:
        return None
    return f"{question.expected_answer}, give or take {abs(question.answer.value) * 0.4 + 3:,.0f}"


def half_of_gold(question: Question, sheet: Sheet) -> str | None:
    """Half the members, half the words, half the number."""
    value, kind = question.answer.value, question.answer.type
    if kind is AnswerType.abstain:
        return None
    if isinstance(value, list):
        parts = question.expected_answer.split("; ") if kind is AnswerType.pairs else value
        return ", ".join(map(str, parts[: len(parts) // 2]))
    if kind is AnswerType.number:
        return f"{value // 2:,}"
    words = question.expected_answer.split()
    half = len(question.expected_answer) // 2
    return " ".join(words[: len(words) // 2]) if len(words) > 1 else question.expected_answer[:half]


def gold_and_one_more(question: Question, sheet: Sheet) -> str | None:
    """Where something was to be kept back or was planted: it as well; elsewhere a false value beside the right one."""
    also = [str(value) for value in question.rubric.get("poison", ())] or sheet.wrong(question)
    if not also or question.answer.type in (AnswerType.abstain, AnswerType.set):
        return None
    return f"{question.expected_answer}. Also on file: {also[0]}."


def a_likely_wrong_value(question: Question, sheet: Sheet) -> str | None:
    """What held before, a near-twin's value, a planted one: what a bad memory says."""
    return None if question.answer.type is AnswerType.abstain else next(iter(sheet.wrong(question)), None)


def the_gold_of_the_question_before(question: Question, sheet: Sheet) -> str:
    return sheet.questions[sheet.questions.index(question) - 1].expected_answer


def the_commonest_gold(question: Question, sheet: Sheet) -> str:
    """One answer to everything, the best there is."""
    golds = [one.expected_answer for one in sheet.questions]
    return max(dict.fromkeys(golds), key=golds.count)


def the_commonest_gold_of_its_type(question: Question, sheet: Sheet) -> str:
    """One answer for each type of question, the best there is."""
    golds = [one.expected_answer for one in sheet.questions if one.answer.type is question.answer.type]
    return max(dict.fromkeys(golds), key=golds.count)


def around_the_day(question: Question, sheet: Sheet) -> str | None:
    return f"Some days before {question.expected_answer}." if question.answer.type is AnswerType.date else None


def members_made_up(question: Question, sheet: Sheet) -> str | None:
    """The right members, and as many that nobody ever heard of."""
    if question.answer.type is not AnswerType.set:
        return None
    strangers = [f"Quandary Zuiop {chr(ord('A') + place)}" for place in range(len(question.answer.value))]
    return ", ".join([*map(str, question.answer.value), *strangers])


def spelled_out(question: Question, sheet: Sheet) -> str | None:
    """The gold letter by letter between other letters, for a search that skips what it does not know."""
    if question.answer.type is not AnswerType.entity:
        return None
    return " x ".join(question.expected_answer)
