"""Plain short prose read against the gold. What it cannot read is left to a judge: its score is None.

A value is claimed unless its clause denies it or speaks of an earlier time. An answer that claims the gold and nothing
else of its kind is right; one that claims another known value, or offers a choice, is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import snowballstemmer

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
    WITHHELD,
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
from assay.memory_eval.graders.reading.plain_text import Text, plain_value, words_of
from assay.memory_eval.truth import AnswerType, Question

SHORT = 16
"""Words of an answer that names a value or none; a longer one may say it in words that are not read here."""
OTHER, DENIES = "it claims another value", "it denies the value, or speaks of the past"
"""Reasons that stand against a typed value too."""
MOST_FIELDS = 2
"""Fields of JSON without an answer among them; one value of many is not claimed."""
NO_CLAIM = "it does not claim the expected value"
"""A judge may find the value in words that are not read here."""
ENOUGH = 0.7
"""Share of the content words of another explanation that may say it; the expected one needs all of them."""

_YES = re.compile(
    r"\b(?:yes|yep|yeah|yup|correct|right|true|indeed|affirmative|exactly|certainly|definitely|absolutely)\b"
)
_NO = re.compile(r"\b(?:no|nope|nah|false|incorrect|wrong|untrue|never|not|negative)\b|n't\b")
_NO_DOUBT = re.compile(r"\b(?:no doubt|without (?:a )?doubt|not only|no question)\b")
_PLAIN_YES_NO = re.compile(r"\W*(?:yes|no)\b(?! (?:idea|record|information|memory|clue|\w+ (?:of|about|on)))")
_CLOSE = 12
"""Characters between a yes and a no that belong together."""
_PART = re.compile(r"[;\n•]|\.(?=\s|$)|, (?=\D)|\band\b|\bwhile\b|\bbut\b|\bwhereas\b")
_PROSE = re.compile(r"\b(?:of|who|that|that's|from|they|them|it|is|are|was|only|for|also)\b|[:\"{\[]")
_STOP = frozenset(
    "a an the of to in on at for from with by as is was are were be been it its that this and or had has have did"
    " do does so sat kept".split()
)
_STEMMER = snowballstemmer.stemmer("english")


class Reading(NamedTuple):
    """Accuracy from 0 to 1, or None if it cannot be read; the reason; and less than 1.0 certainty if it is softened."""

    score: float | None
    why: str
    certainty: float = 1.0


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
    found = _READERS[question.answer.type](question, text)
    return found._replace(certainty=0.95 if is_soft(text.text) else 1.0)


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
        for value in (question.text, *values_under(question, "context", "question_values", "operand_dates", "must_say"))
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
    keys = ("question_values", "context", "operands", "operand_dates", "must_say")
    texts = [question.text, *values_under(question, *keys)]
    return [Number(value) for text in texts for one in figures_in(plain_value(text), None) for value in one.readings]


# ------------------------------------------------------------------ yes, no, unknown


def _yes_no(question: Question, text: Text) -> Reading:
    gold = question.answer.value
    if is_void(text.text) or (text.text.startswith("{") and text.text.count('":') > 1):
        return Reading(None, "it may take it back")
    head = _NO_DOUBT.sub(" ", text.text[:200])
    if abstains(head) and not _PLAIN_YES_NO.match(head):
        return Reading(0.0, "it says that it does not know")
    yes, no = _YES.search(head), _NO.search(head)
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
    asked = Text.of(" ".join([question.text, *values_under(question, "question_values", "context")]))
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


# ------------------------------------------------------------------ several values


def _set(question: Question, text: Text) -> Reading:
    gold = [shown(one) for one in question.answer.value or ()]
    if not gold:
        return Reading(None, "the question's own answer has no members")
    aliases = aliases_of(question)
    right = [one for one in gold if _claimed(question, text, one)]
    others = dict.fromkeys([*values_under(question, "candidates"), *rivals_of(question)])
    wrong = [one for one in others if one not in gold and _claimed(question, text, one)]
    num_items = _bare_items(text.text)
    if len(right) == len(gold) and not wrong and num_items <= len(gold):
        spans = [next(iter(spans_of(text, one, question.answer.unit, aliases.get(one, ())))) for one in gold]
        is_doubtful = abstains(text.text) or is_void(text.text, spans)
        return Reading(None if is_doubtful else 1.0, "it has every member")
    if len(right) == len(gold) and _NO.search(text.text):
        return Reading(None, "it may say that some do not belong")
    num_wrong = max(len(wrong), num_items - len(gold))
    score = max(0.0, (len(right) - num_wrong) / len(gold)) ** 3
    return Reading(score, f"it has {len(right)} of {len(gold)} members and {num_wrong} that do not belong")


def _bare_items(text: str) -> int:
    """Return the number of items of a text that is a list and nothing else; 0 for any other text."""
    items = [one.strip(" .") for one in re.split(r"[,;\n•]|\band\b", text) if one.strip(" .")]
    is_bare = all(len(one.split()) <= 4 and not _PROSE.search(one) for one in items)
    return len(items) if is_bare else 0


def _ordered(question: Question, text: Text) -> Reading:
    gold = [shown(one) for one in question.answer.value or ()]
    aliases = aliases_of(question)
    places = [next(iter(spans_of(text, one, None, aliases.get(one, ()))), None) for one in gold]
    known = [place for place in places if place is not None]
    if not gold or len(known) < len(gold):
        return Reading(0.0 if gold else None, f"it has {len(known)} of {len(gold)} members")
    if known == sorted(known):
        is_doubtful = abstains(text.text) or is_void(text.text, known)
        return Reading(None if is_doubtful else 1.0, "it has every member in order")
    return Reading(None if re.search(r"\b(?:before|after|last|first)\b", text.text) else 0.0, "its order is another")


def _pairs(question: Question, text: Text) -> Reading:
    gold = [(shown(name), value) for name, value in question.answer.value or ()]
    if not gold:
        return Reading(None, "the question's own answer has no pairs")
    aliases = aliases_of(question)
    if text.text.startswith("{") and any(len({end for _, end in _named(text, name, aliases)}) > 1 for name, _ in gold):
        return Reading(None, "it names a source with several values")
    units = _units_of_members(question)
    bound = _bound(text, gold, units, aliases)
    if bound is None:
        return Reading(None, "it has every value, and binds them in a way that is not read")
    right = sum(bound)
    untold = question.rubric.get("untold")
    parts = [Text.of(part) for part in _PART.split(text.text) if part.strip()]
    for label, names in untold.items() if isinstance(untold, Mapping) else ():
        for part in parts:
            if any(spans_of(part, one) for one in (label, *names)) and not WITHHELD.search(part.text):
                return Reading(None, f"it may give a value for {label}")
    if right == len(gold):
        spans = [span for name, _ in gold for span in _named(text, name, aliases)]
        is_doubtful = is_void(text.text, () if WITHHELD.search(text.text) else spans)
        return Reading(None if is_doubtful else 1.0, "it has every pair")
    return Reading((right / len(gold)) ** 3, f"it has {right} of {len(gold)} pairs")


def _bound(
    text: Text, gold: Sequence[tuple[str, Any]], units: Sequence[str | None], aliases: Mapping[str, Sequence[str]]
) -> list[bool] | None:
    """Return which pairs a text binds, by order: each value after its name, or each before it; None if neither."""
    places = [next(iter(sorted(_named(text, name, aliases))), None) for name, _ in gold]
    order = sorted((span, at) for at, span in enumerate(places) if span is not None)
    has_all = all(_said(text, value, unit, aliases) for (_, value), unit in zip(gold, units, strict=True))
    found: list[list[bool]] = []
    for is_after in (True, False):
        bound = [False] * len(gold)
        foreign = 0
        for number, (span, at) in enumerate(order):
            begin, end = (span[1], len(text.text)) if is_after else (0, span[0])
            if is_after and number + 1 < len(order):
                end = order[number + 1][0][0]
            if not is_after and number:
                begin = order[number - 1][0][1]
            part = Text.of(text.text[begin:end])
            bound[at] = _said(part, gold[at][1], units[at], aliases)
            foreign += not bound[at] and any(
                _said(part, value, unit, aliases) for (_, value), unit in zip(gold, units, strict=True)
            )
        if all(bound) or (is_after and foreign == len(order) == len(gold)):
            return bound
        found.append(bound)
    return None if has_all and len(order) == len(gold) else max(found, key=sum)


def _named(text: Text, name: str, aliases: Mapping[str, Sequence[str]]) -> list[Span]:
    return [span for one in (name, *aliases.get(name, ())) for span in spans_of(text, one)]


def _text(question: Question, text: Text) -> Reading:
    free = frozenset(word for one in values_under(question, "names") for word in _stems(plain_value(one)))
    claims = [[shown(one) for one in wordings] for wordings in question.answer.value or ()]
    if not claims:
        return Reading(None, "the question's own answer has no claims")
    stems = _stems(text.text)
    own = {wording for wordings in claims for wording in wordings}
    right = sum(any(_means(stems, wording, free, 1.0) for wording in wordings) for wordings in claims)
    enough = 1.0 if right == len(claims) else ENOUGH
    if any(_means(stems, other, free, enough) for other in rivals_of(question) if other not in own):
        return Reading(None, "it has the words of another explanation")
    if right < len(claims):
        is_other = not any(stems & _stems(plain_value(one)) - free for one in own)
        is_short = len(text.words) <= 2 or (abstains(text.text) and is_other)
        return Reading(
            0.0 if is_short and not right else None, f"it has {right} of {len(claims)} claims in their words"
        )
    has_denial = _NO.search(text.text) is not None and not any(_NO.search(plain_value(one)) for one in own)
    return Reading(None if has_denial or is_void(text.text) else 1.0, "it has the words of every claim")


def _claimed(question: Question, text: Text, member: str) -> bool:
    spans = spans_of(text, member, question.answer.unit, aliases_of(question).get(member, ()))
    return any(not is_denied(text.text, *span) for span in spans)


def _said(text: Text, value: Any, unit: str | None, aliases: Mapping[str, Sequence[str]]) -> bool:
    name = shown(value)
    if any(not is_denied(text.text, *span) for span in spans_of(text, value, unit, aliases.get(name, ()))):
        return True
    return len(words_of(name)) > 3 and _means(_stems(text.text), name)


def _units_of_members(question: Question) -> list[str | None]:
    types = question.rubric.get("member_types")
    units = [one.get("unit") if isinstance(one, Mapping) else None for one in types or ()]
    return [*units, *[question.answer.unit] * (len(question.answer.value) - len(units))]


def _means(stems: frozenset[str], wording: str, free: frozenset[str] = frozenset(), enough: float = ENOUGH) -> bool:
    """Return whether a text has most words of a wording and all of its figures, and no figure of its own."""
    wanted = _stems(plain_value(wording)) - free
    figures = {one for one in wanted if one[0].isdigit()}
    if not wanted or not figures <= stems or (figures and {one for one in stems - free if one[0].isdigit()} - figures):
        return False
    return len(wanted & stems) >= enough * len(wanted)


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    words = [word for word in re.findall(r"\w+", text) if word not in _STOP]
    return frozenset(_STEMMER.stemWords(words))


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
    AnswerType.set: _set,
    AnswerType.ordered_list: _ordered,
    AnswerType.pairs: _pairs,
    AnswerType.text: _text,
}


def has_required(question: Question, said: str) -> str | None:
    """Return the first required word that an answer lacks."""
    text = Text.of(said)
    return next((word for word in values_under(question, "must_say") if not says(text, word)), None)
