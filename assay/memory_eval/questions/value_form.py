"""The form of the typed value that a question asks for, besides the answer in words."""

from __future__ import annotations

from contextlib import suppress

from assay.memory_eval.questions.composing.answers import Form, form_of
from assay.memory_eval.truth import AnswerType, Question

_FORMS = {
    AnswerType.number: "a number",
    AnswerType.date: "a date as YYYY-MM-DD",
    AnswerType.entity: "a text",
    AnswerType.set: "a list",
    AnswerType.ordered_list: "a list in order",
    AnswerType.pairs: "an object of names and values",
    AnswerType.yes_no: "true or false",
    AnswerType.text: "a text",
}


def asked_with_value(question: Question) -> str:
    """Return the question's text with a request for `answer` and `value`."""
    request = f"Reply with `answer` in words, and with `value`: {value_form(question)}, or null if I never told you."
    return f"{question.text}\n\n{request}"


def value_form(question: Question) -> str:
    """Return the form in words; a question without an answer has the form of the same question with one."""
    kind, unit = question.answer.type, question.answer.unit
    if kind is AnswerType.abstain:
        form = _form_with_an_answer(question)
        kind, unit = form.type, form.unit
    if kind is AnswerType.date and len(str(question.answer.value or "")) > len("YYYY-MM-DD"):
        return f"{_FORMS[kind]} HH:MM"
    return f"{_FORMS[kind]} in {unit}" if unit and kind is AnswerType.number else _FORMS[kind]


def _form_with_an_answer(question: Question) -> Form:
    """Return the form by the query; a text, as most questions have, for a world of your own or a benchmark."""
    with suppress(LookupError, TypeError, AttributeError, RecursionError):
        return form_of(question.rubric["query"])
    return Form(AnswerType.text)
