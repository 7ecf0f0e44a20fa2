"""Plain short prose read against the gold. What it cannot read is left to a judge: its score is None.

A value is claimed unless its clause denies it or speaks of an earlier time. An answer that claims the gold and nothing
else of its kind is right; one that claims another known value, or offers a choice, is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from assay.memory_eval.graders.naming import (
    Number,
    Span,
    aliases_of,
    days_in,
    figures_in,
    is_day,
    number_of,
    rivals_of,
    says,
    shown,
    spans_of,
    values_under,
)
from assay.memory_eval.graders.reading.cues import (
    abstains,
    adds,
    corrects,
    is_choice,
    is_denied,
    is_joined,
    is_offered,
    is_past,
    is_soft,
    is_void,
)
from assay.memory_eval.graders.reading.plain_text import Text, plain_value
from assay.memory_eval.graders.several import NO, Reading, num_listed, read_ordered, read_pairs, read_set, read_text
from assay.memory_eval.truth import AnswerType, Question

SHORT = 16
"""Words of an answer that names a value or none; a longer one may say it in words that are not read here."""
OTHER, DENIES = "it claims another value", "it denies the value, or speaks of the past"
"""Reasons that stand against a typed value too."""
MOST_LISTED = 3
"""Bare values that an answer may list beyond those asked for: a list of all that is known claims none of them."""
MOST_FIELDS = 2
"""Fields of JSON without an answer among them; one value of many is not claimed."""
NO_CLAIM = "it does not claim the expected value"
"""A judge may find the value in words that are not read here."""

_YES = re.compile(
    r"\b(?:yes|yep|yeah|yup|correct|right|true|indeed|affirmative|exactly|certainly|definitely|absolutely)\b"
)
_NO_DOUBT = re.compile(r"\b(?:no doubt|without (?:a )?doubt|not only|no question)\b")
_PLAIN_YES_NO = re.compile(r"\W*(?:yes|no)\b(?! (?:idea|record|information|memory|clue|\w+ (?:of|about|on)))")
_CLOSE = 12
"""Characters between a yes and a no that belong together."""


class _Mention(NamedTuple):
    start: int
    end: int
    is_gold: bool
    is_rival: bool
    is_weak: bool = False


def read_prose(question: Question, answer: str) -> Reading:
    """Read an answer in words."""
    text = Text.of(_without_question(Text.of(answer).text, question))
    if not text.words and not text.text.strip("• \n.,"):
        return Reading(0.0, "there is no answer")
    has_gold = question.answer.type is AnswerType.abstain or question.answer.value not in (None, [])
    if has_gold and text.text.strip(" .") == plain_value(question.expected_answer).strip(" ."):
        return Reading(1.0, "it equals the expected answer")
    is_record = text.text.startswith("{") and text.text.count('":') > MOST_FIELDS
    if is_record and question.answer.type is not AnswerType.pairs:
        return Reading(None, "it has many fields")
    if num_listed(text.text) > _num_members(question) + MOST_LISTED:
        return Reading(None, "it lists values that the question does not ask for")
    found = _READERS[question.answer.type](question, text)
    return found._replace(certainty=0.95 if is_soft(text.text) else 1.0)


def _num_members(question: Question) -> int:
    value = question.answer.value
    return len(value) if isinstance(value, list | tuple) else 1


def _without_question(text: str, question: Question) -> str:
    return text.replace(plain_value(question.text), " ")


# ------------------------------------------------------------------ one value


def _number(question: Question, text: Text) -> Reading:
    gold = number_of(question)
    if gold is None:
        return Reading(None, "the question's own answer is not a number")
    rivals = [Number(float(one)) for one in rivals_of(question) if _is_number(one)]
    free = _free_numbers(question)
    mentions = []
    is_year = 1000 <= gold.value <= 2100
    for one in figures_in(text.text, question.answer.unit, with_years=is_year):
        is_gold = gold.is_named(one)
        is_free = not is_gold and any(number.is_met(reading) for number in free for reading in one.readings)
        if not is_free:
            is_rival = any(rival.is_named(one) for rival in rivals)
            mentions.append(_Mention(one.start, one.end, is_gold, is_rival, one.small_word and not is_gold))
    return _single(question, text, mentions)


def _date(question: Question, text: Text) -> Reading:
    gold = shown(question.answer.value)
    rivals = rivals_of(question)
    free = [
        day
        for value in (question.text, *values_under(question, "context", "must_say"))
        for one in days_in(plain_value(value))
        for day in one.days
    ]
    mentions = []
    for one in days_in(text.text):
        is_gold = is_day(one, gold, f"{plain_value(question.text)} {text.text}")
        if is_gold or not all(day in free for day in one.days):
            mentions.append(_Mention(one.start, one.end, is_gold, any(is_day(one, rival) for rival in rivals)))
    return _single(question, text, mentions)


def _entity(question: Question, text: Text) -> Reading:
    aliases = aliases_of(question)
    gold = shown(question.answer.value)
    mine = spans_of(text, gold, question.answer.unit, aliases.get(gold, ()))
    mentions = [_Mention(*span, is_gold=True, is_rival=False) for span in mine]
    for rival in rivals_of(question):
        found = spans_of(text, rival, None, aliases.get(rival, ()))
        others = (span for span in found if not any(_overlap(span, one) for one in mine))
        mentions += [_Mention(*span, is_gold=False, is_rival=True) for span in others]
    return _single(question, text, sorted(mentions))


def _single(question: Question, text: Text, mentions: Sequence[_Mention]) -> Reading:
    is_now = question.rubric.get("tense") != "past"
    live: list[_Mention] = []
    off: list[_Mention] = []
    for one in mentions:
        is_off = is_denied(text.text, one.start, one.end) or (
            is_now and is_past(text.text, one.start, one.end, is_gold=one.is_gold)
        )
        (off if is_off else live).append(one)
    last = len(live) - 1
    if last > 0 and corrects(text.text, live[last - 1].end, live[last].start):
        live = live[last:]
    right, wrong = [one for one in live if one.is_gold], [one for one in live if not one.is_gold]
    if not right:
        return _without_gold(text, [one for one in wrong if not one.is_weak], off)
    if any(is_offered(text.text, one.start, one.end) for one in right):
        return Reading(0.0, "it offers a choice")
    wrong = [one for one in wrong if not one.is_weak]
    is_both = any(one.is_gold for one in off) or abstains(text.text)
    if is_both or is_void(text.text, [(one.start, one.end) for one in right]):
        return Reading(None, "it may take the value back")
    if not wrong:
        return Reading(1.0, "it claims the expected value")
    between = [(min(one.end, two.end), max(one.start, two.start)) for one in right for two in wrong]
    if any(is_joined(text.text, *span) or is_choice(text.text, *span) for span in between):
        return Reading(0.0, "it also claims another value")
    return Reading(None, "it has other values of the kind")


def _without_gold(text: Text, live: Sequence[_Mention], off: Sequence[_Mention]) -> Reading:
    if live:
        return Reading(0.0, OTHER)
    if any(one.is_gold for one in off):
        is_plain = any(is_denied(text.text, one.start, one.end) for one in off if one.is_gold)
        return Reading(
            0.0 if is_plain or len(text.words) <= SHORT else None, "it denies the value, or speaks of the past"
        )
    if abstains(text.text):
        return Reading(0.0, "it says that it does not know")
    if len(text.words) <= SHORT:
        return Reading(0.0, NO_CLAIM)
    return Reading(None, "it has no value that is known")


def _free_numbers(question: Question) -> list[Number]:
    texts = [question.text, *values_under(question, "context", "must_say")]
    return [Number(value) for text in texts for one in figures_in(plain_value(text), None) for value in one.readings]


# ------------------------------------------------------------------ yes, no, unknown


def _yes_no(question: Question, text: Text) -> Reading:
    gold = question.answer.value
    if is_void(text.text) or (text.text.startswith("{") and text.text.count('":') > 1):
        return Reading(None, "it may take it back")
    head = _NO_DOUBT.sub(" ", text.text[:200])
    if abstains(head) and not _PLAIN_YES_NO.match(head):
        return Reading(0.0, "it says that it does not know")
    yes, no = _YES.search(head), NO.search(head)
    found = sorted((one for one in (yes, no) if one is not None), key=lambda one: one.start())
    if not found:
        return Reading(None, "it says neither yes nor no")
    first, other = found[0], found[1] if len(found) > 1 else None
    is_yes = first is yes
    if other is not None and other.start() - first.end() <= _CLOSE:
        # "Yes and no", "not correct", "yes, it did not".
        is_refuted = not is_yes and re.fullmatch(
            r"[\W]*(?:quite|at all|really|the case)?[\W]*", head[first.end() : other.start()]
        )
        return Reading(
            float(gold is False) if is_refuted and first[0] in ("not", "n't") else None, "it says yes and no"
        )
    return Reading(float(is_yes is gold), f"it says {'yes' if is_yes else 'no'}")


def _abstain(question: Question, text: Text) -> Reading:
    asked = Text.of(" ".join([question.text, *values_under(question, "context")]))
    free = {reading for one in figures_in(asked.text, None) for reading in one.readings}
    days = {day for one in days_in(asked.text) for day in one.days}
    figures = (one for one in figures_in(text.text, None) if not one.small_word and not free.intersection(one.readings))
    claims_figure = any(True for _ in figures) or any(not days.issuperset(one.days) for one in days_in(text.text))
    rivals = (rival for rival in rivals_of(question) if not spans_of(asked, rival))
    does_abstain = abstains(text.text)
    # "You never told me that. I only know the deadline of another project, which is …" adds what is known.
    if (claims_figure or any(spans_of(text, rival) for rival in rivals)) and not (does_abstain and adds(text.text)):
        return Reading(0.0, OTHER)
    return Reading(float(does_abstain), "it abstains" if does_abstain else "it does not abstain")


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _is_number(value: str) -> bool:
    return re.fullmatch(r"-?\d+(?:\.\d+)?", value) is not None


_READERS: Mapping[AnswerType, Callable[[Question, Text], Reading]] = {
    AnswerType.number: _number,
    AnswerType.date: _date,
    AnswerType.entity: _entity,
    AnswerType.yes_no: _yes_no,
    AnswerType.abstain: _abstain,
    AnswerType.set: read_set,
    AnswerType.ordered_list: read_ordered,
    AnswerType.pairs: read_pairs,
    AnswerType.text: read_text,
}


def has_required(question: Question, said: str) -> str | None:
    """Return the first required word that an answer lacks."""
    text = Text.of(said)
    return next((word for word in values_under(question, "must_say") if not says(text, word)), None)
