"""Scoring of single-value answers: exactly one value is claimed, the gold."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence

from assay.memory_eval.graders.gold import is_past, values_under
from assay.memory_eval.graders.grader import Reading
from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.graders.reading.claims import LIVE, Claim, Polarity, Statement
from assay.memory_eval.graders.reading.details import without_details
from assay.memory_eval.graders.reading.mentions import Mention
from assay.memory_eval.graders.reading.stance.abstentions import plainly_abstains
from assay.memory_eval.truth import Question

HEDGED_SCORE = 0.5
"""For the right value as a mere guess."""

SOFTENED = 0.95
"""The certainty of "probably" and "I believe"."""

A_HEAP = Reading(0.0, "it is a bare list of things, not an answer")
HEAP_ITEMS = 3


def without_asides(question: Question, answer: AnswerText) -> AnswerText:
    """Blank out the details next to a value that are not claims, keeping offsets."""
    context, required = values_under(question, "context"), values_under(question, "must_say")
    return without_details(answer, question.text, context, required, figures=question.answer.unit is None)


def score_single(
    question: Question,
    answer: AnswerText,
    statement: Statement,
    gold: Hashable,
    partial: Callable[[Hashable], float] = lambda _: 0.0,
) -> Reading:
    """Return 1.0 if only the gold is claimed; `partial` is the score of a partly right claim."""
    expected, past = question.expected_answer, is_past(question)
    if statement.void:
        return Reading(0.0, f"it claims nothing: {statement.void}", contradicts=True)
    concluded = [claim for claim in statement.claims if not claim.superseded]
    claims = _relevant(concluded, past=past) or _relevant(statement.claims, past=past)
    values = list(dict.fromkeys(claim.value for claim in claims))
    if not values:
        denied, silent = gold in statement.denied, not statement.claims and not plainly_abstains(answer.text)
        why = f"it does not claim {expected}" + _unclaimed(statement, gold)
        return Reading(0.0, why, no_claim=silent, contradicts=denied or plainly_abstains(answer.text))
    if len(values) > 1:
        return Reading(0.0, f"it claims {len(values)} different values where one was asked for: {_listed(values)}")
    worth = 1.0 if values[0] == gold else partial(values[0])
    if worth <= 0.0:
        contradicts = not any(claim.value == gold for claim in statement.claims if claim.polarity in LIVE)
        return Reading(0.0, f"it claims {values[0]}, not {expected}", contradicts=contradicts)
    return _certain(statement, claims, answer, expected, worth)


def nothing_claimed(statement: Statement, answer: AnswerText) -> Reading | None:
    """Return a score of 0 if the answer claims no value at all, else None."""
    if statement.void or plainly_abstains(answer.text):
        why = f"it claims nothing: {statement.void or 'it says that it does not know'}"
        return Reading(0.0, why, contradicts=True)
    return None


def _relevant(claims: list[Claim], *, past: bool) -> list[Claim]:
    if not past:
        live = [claim for claim in claims if claim.polarity in LIVE]
        return _settled([claim for claim in live if not claim.left_behind or claim.polarity is Polarity.now])
    live = [
        claim for claim in claims if claim.polarity in (*LIVE, Polarity.past) and claim.polarity is not Polarity.now
    ]
    live = [claim for claim in live if not claim.present] or live
    left = [claim for claim in live if claim.left_behind]
    if left and len(left) < len(live):
        return left
    told_as_past = [claim for claim in live if claim.polarity is Polarity.past]
    neutral = [claim for claim in live if claim.polarity is not Polarity.past]
    if not told_as_past:
        return neutral
    then = [claim for claim in neutral if claim.was]
    return then or told_as_past


def _settled(claims: list[Claim]) -> list[Claim]:
    """Keep only the value named as current, if there is one: earlier ones are its history."""
    first = next((place for place, claim in enumerate(claims) if claim.settles), None)
    if first is None or any(claim.alternatives for claim in claims):
        return claims
    values = {claim.value for claim in claims[first:]}
    return claims[first:] if len(values) == 1 else claims


def _certain(statement: Statement, claims: list[Claim], answer: AnswerText, expected: str, worth: float) -> Reading:
    value = claims[0].value
    if value in statement.denied:
        return Reading(0.0, f"it both claims and denies {expected}", contradicts=True)
    if any(claim.alternatives for claim in claims):
        return Reading(0.0, f"it names {expected} as one of several possibilities")
    if plainly_abstains(answer.text):
        return Reading(0.0, f"it names {expected} and says that it does not know", contradicts=True)
    if all(claim.polarity is Polarity.hedged for claim in claims):
        return Reading(worth * HEDGED_SCORE, f"it only guesses {expected}", certainty=0.5)
    if worth < 1.0:
        return Reading(worth, f"it says {expected} only in part")
    return Reading(1.0, f"it claims {expected}", certainty=SOFTENED if any(claim.soft for claim in claims) else 1.0)


def _unclaimed(statement: Statement, gold: Hashable) -> str:
    for claim in statement.claims:
        if claim.value == gold:
            return {
                Polarity.denied: ", which it denies",
                Polarity.past: ", which it gives as past",
                Polarity.unsaid: ", which it leaves open",
            }.get(claim.polarity, ", which it gives for another time")
    return ""


def _listed(values: list[Hashable]) -> str:
    return ", ".join(str(value) for value in values[:4]) + (", …" if len(values) > 4 else "")


_ITEM_END = re.compile(r",(?!\d)|[;|\n•]|\.\s|\s/\s")
_FUNCTION_WORD = re.compile(
    r"\b(?:the|a|an|is|was|are|were|it|its|it's|i|i'm|i've|you|your|my|of|to|in|on|at|for|from|with|by|as"
    r"|that|this|which|who|so|not|be|been|has|have|had|let|no|any|about|than|per)\b"
)
_INTERJECTIONS = frozenset(
    "ah right ok okay oh well sure yes no hmm um so indeed great thanks hello hi hey certainly absolutely exactly "
    "correct noted done of course got it found good question understood alright yep yeah aha fine sorry please "
    "remember sources only total overall altogether respectively actually too though then thank you order final "
    "answer".split()
)
_OF_A_DAY = re.compile(
    r"\d+(?:st|nd|rd|th)?|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|mon(?:day)?|tues?(?:day)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?"
    r"|sat(?:urday)?|sun(?:day)?|[ap]m|utc"
)


def is_a_heap(answer: AnswerText, mentions: Sequence[Mention], question_text: str) -> bool:
    """Return whether the answer is a bare list of things that contains the claimed value (a mention)."""
    return num_loose_items(answer, mentions, question_text) >= HEAP_ITEMS


def num_loose_items(answer: AnswerText, mentions: Sequence[Mention], question_text: str, *, names: bool = False) -> int:
    """Count items outside sentences that are not known values; 0 if sentences prevail.

    `names`: count only names, not days or times next to one.
    """
    loose = sentences = place = 0
    asked = set(re.findall(r"\w+", question_text.lower()))
    for end in [*(match.end() for match in _ITEM_END.finditer(answer.text)), len(answer.text)]:
        item, start = answer.text[place:end].strip(" ,;|\n•."), place
        place = end
        if _is_further_cell(answer.text, start, mentions):
            continue
        words = re.findall(r"\w+", item)
        if names and all(_OF_A_DAY.fullmatch(word) for word in words):
            continue
        if (
            not words
            or _INTERJECTIONS.issuperset(words)
            or any(start <= one.start < end or one.start <= start < one.end for one in mentions)
        ):
            continue
        if len(words) > 5 or _FUNCTION_WORD.search(item) or asked.issuperset(words) or item.endswith(("!", "?", ":")):
            sentences += 1
        else:
            loose += 1
    return loose if loose > sentences else 0


def _is_further_cell(text: str, start: int, mentions: Sequence[Mention]) -> bool:
    """Return whether a table cell is not the first of its row, or stands next to a value."""
    first, last = text.rfind("\n", 0, start) + 1, (text.find("\n", start) + 1 or len(text) + 1) - 1
    is_row = text.startswith("|", first) and text.count("|", first, last) >= 2
    return is_row and (start > first + 1 or any(first <= one.start < last for one in mentions))
