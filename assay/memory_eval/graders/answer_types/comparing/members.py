"""Members of a set or a list in an answer: names, numbers or days."""

from __future__ import annotations

from assay.memory_eval.graders.gold import aliases_of, said_of, values_under
from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.graders.reading.dates.date_claims import WantedDate, date_mentions
from assay.memory_eval.graders.reading.mentions import KnownValues, Mention
from assay.memory_eval.graders.reading.normalizing import plain_value
from assay.memory_eval.graders.reading.numbers.number_claims import WantedNumber, number_mentions
from assay.memory_eval.truth import AnswerType, Question


def gold_members(question: Question) -> list[str]:
    """Return the gold members as texts, without repetitions."""
    held = question.answer.value
    return list(dict.fromkeys(said_of(member) for member in held)) if isinstance(held, list | tuple) else []


def member_mentions(question: Question, answer: AnswerText) -> list[Mention]:
    """Return every mentioned member, right or wrong; the question's values count, since it often offers a choice."""
    gold = gold_members(question)
    context = values_under(question, "context", "must_say")
    numbers = {member: WantedNumber.of(member, question.answer.unit) for member in gold}
    if question.answer.unit or all(not isinstance(member, str) for member in question.answer.value):
        wanted = {member: number for member, number in numbers.items() if number}
        if len(wanted) == len(gold):
            return number_mentions(answer.text, wanted, context, question.text)
    days = {member: day for member in gold if (day := WantedDate.of(member))}
    if len(days) == len(gold):
        return date_mentions(answer.text, days, context, question.text)
    return _named(question, gold, context).find(answer.text, answer.cased)


def _named(question: Question, gold: list[str], context: list[str]) -> KnownValues:
    asked = plain_value(question.text)
    listed = question.answer.type is AnswerType.ordered_list
    others = values_under(question, "candidates", "others", "superseded", "poison")
    named = {plain_value(value) for value in values_under(question, "question_values")}
    wrong = [other for other in others if listed or plain_value(other) not in named | {asked}]
    return KnownValues([*gold, *wrong], aliases_of(question), context)
