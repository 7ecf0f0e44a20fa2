"""Grader for a free answer: right claims in any words, and wrong claims."""

from __future__ import annotations

import re

from assay.memory_eval.graders.answer_types.comparing.single_value import nothing_claimed
from assay.memory_eval.graders.gold import values_under, wrong_values
from assay.memory_eval.graders.grader import Reading
from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.graders.reading.claims import UNCLAIMED, Polarity, statement_of
from assay.memory_eval.graders.reading.mentions import KnownValues, Mention, each_once
from assay.memory_eval.graders.reading.normalizing import plain_value
from assay.memory_eval.graders.reading.numbers.quantities import Quantity, quantities
from assay.memory_eval.graders.reading.wordings import Explanation
from assay.memory_eval.truth import Question

_FOR_ANOTHER = re.compile(r"\b(?:for|by|with|against) (?:another|a different|some other)(?: one)?\b")
"""The object of a replacement, not another answer."""
_AT_THAT_TIME = re.compile(
    r"\b(?:previously|earlier|before|once|originally)(?=,? (?:it was )?(?:solved|fixed|caused|cured|helped)"
    r"| [^\W\d_]+ing\b)|\b(?:any ?more|back then|at the time|in the past)\b"
)
"""The time of an event, not of a statement that holds no longer."""
_JOINED = re.compile(r"(?: [^\W\d_]{1,8})?(?:,| or| and| ?/)(?: or| and)? ?")
_NEAR = 60
"""Characters around an explanation in which another number belongs to it."""


def read(question: Question, answer: AnswerText) -> Reading:
    """Read claims: their share, squared; zero with a wrong one. A wording matches by its content words."""
    claims = _claims(question)
    if not claims:
        return Reading(0.0, "the question holds no claims to compare with", gradable=False)
    text = answer.text
    for pattern in (_FOR_ANOTHER, _AT_THAT_TIME):
        text = pattern.sub(lambda phrase: " " * len(phrase[0]), text)
    mentions = _mentions(question, answer, claims)
    statement = statement_of(text, mentions)
    if (nothing := nothing_claimed(statement, answer)) is not None:
        return nothing
    unclaimed = (*UNCLAIMED, Polarity.past)
    made = {claim.value for claim in statement.claims if claim.polarity not in unclaimed and not claim.alternatives}
    made -= statement.denied
    right = sum(1 for number in range(len(claims)) if number in made)
    wrong = sum(1 for value in made if isinstance(value, str))
    score = 0.0 if wrong else (right / len(claims)) ** 2
    why = f"it makes {right} of {len(claims)} claims and {wrong} wrong ones"
    return Reading(score, why, no_claim=not mentions, contradicts=not right and bool(mentions))


def _claims(question: Question) -> list[list[str]]:
    """Return each claim as its wordings; a single text is a claim of one wording."""
    held = question.answer.value
    rows = held if isinstance(held, list | tuple) else []
    return [[str(wording) for wording in (row if isinstance(row, list | tuple) else [row])] for row in rows]


def _mentions(question: Question, answer: AnswerText, claims: list[list[str]]) -> list[Mention]:
    text = answer.text
    names = values_under(question, "names")
    explanation = Explanation(text, names)
    own = plain_value(" ".join(wording for wordings in claims for wording in wordings))
    found: list[Mention] = []
    for number, wordings in enumerate(claims):
        for wording in wordings:
            spans = explanation.find(wording)
            found.extend(_other_numbers(text, wording, spans))
            found.extend(Mention(*span, number) for span in spans)
    asked = plain_value(question.text)
    foreign = [name for name in names if plain_value(name) not in own and plain_value(name) not in asked]
    if found:
        found = [_of_another(one, text, foreign) for one in found]
    for value in wrong_values(question):
        found.extend(Mention(*span, value) for span in explanation.find(value, named=True))
    found.extend(KnownValues(wrong_values(question), {}).find(answer.text, answer.cased))
    return sorted(each_once(found), key=lambda one: one.start)


def _of_another(mention: Mention, text: str, foreign: list[str]) -> Mention:
    """Return the mention as a wrong one if the stretch is about something else of the same kind."""
    stretch = text[mention.start : mention.end + 40].split(". ", maxsplit=1)[0]
    other = next((name for name in foreign if plain_value(name) in stretch), None)
    return Mention(mention.start, mention.end, f"“{other}”") if other else mention


def _other_numbers(text: str, wording: str, spans: list[tuple[int, int]]) -> list[Mention]:
    """Return other numbers next to those of the wording: "278 MB or 512 MB", "118 or 344"."""
    own: list[Quantity] = quantities(plain_value(wording))
    wanted = {value for one in own for value in one.values(None)}
    units = {one.unit.family for one in own if one.unit}
    numbers = quantities(text)
    found = []
    for before, one in zip([None, *numbers], numbers, strict=False):
        is_near = any(start - _NEAR < one.start < end + _NEAR for start, end in spans)
        beside = before is not None and wanted & before.values(None) and _JOINED.fullmatch(text, before.end, one.start)
        is_alike = beside or (one.unit and one.unit.family in units)
        is_another = is_near and is_alike and not wanted & one.values(None)
        if is_another or any(_other_unit(one, other) for other in own):
            found.append(Mention(one.start, one.end, f"“{text[one.start : one.end]}”"))
    return found


def _other_unit(one: Quantity, own: Quantity) -> bool:
    """Return whether a quantity has the digits of a wording's own, but another unit."""
    same_digits = set(one.readings) & set(own.readings)
    return bool(same_digits and one.unit and own.unit) and not one.values(None) & own.values(None)
