"""Keyword rubrics for custom questions: required keywords, acceptable paraphrases, incorrect patterns.

All are plain phrases, matched as whole words ignoring case. Regular expressions are not supported: an untrusted one can
run forever.
"""

from __future__ import annotations

import re

from assay.memory_eval.graders.gold import values_under
from assay.memory_eval.graders.grader import Reading
from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.graders.reading.mentions import KnownValues
from assay.memory_eval.graders.reading.normalizing import plain_value
from assay.memory_eval.graders.reading.stance.abstentions import plainly_abstains
from assay.memory_eval.graders.reading.stance.cues import DENIED_BEFORE
from assay.memory_eval.truth import Question

BONUS = 0.25
"""For each acceptable paraphrase, up to a full score."""

_DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|no|never|neither|nor|without|anything but|(?<!none )other than|free of)|n't|\b(?:is|was|are)nt)"
    r"(?: (?:allergic to|about|really|actually|just that))?(?: (?:an?|the|any|her|his|their))?[ :\"'(-]*$"
)
_DENIED_AFTER = re.compile(
    r"^[\"')]*(?:\?|\.{2,3})? ?(?:(?:is|was|are) (?:not|wrong|false|incorrect|untrue)\b|isn't|aren't|wasn't"
    r"|(?<=[?.] )(?:no|not)\b)"
)
"""Only a denial of the keyword itself: "she cannot eat shellfish" contains it."""

_KEYS = ("required_keywords", "acceptable_paraphrases")


def has_keywords(question: Question) -> bool:
    """Return whether the rubric has keywords."""
    return any(question.rubric.get(key) for key in _KEYS)


def read_keywords(question: Question, answer: AnswerText) -> Reading:
    """Return the share of required keywords, plus a bonus for paraphrases; a denied keyword does not count."""
    required, paraphrases = (values_under(question, key) for key in _KEYS)
    phrases = [*required, *paraphrases]
    if plainly_abstains(answer.text) and not any(plainly_abstains(plain_value(one)) for one in phrases):
        return Reading(0.0, "it claims nothing: it says that it does not know")
    found = [phrase for phrase in phrases if _is_said(phrase, answer)]
    num_required = sum(1 for phrase in required if phrase in found)
    num_paraphrases = sum(1 for phrase in paraphrases if phrase in found)
    share = num_required / len(required) if required else min(1.0, float(num_paraphrases))
    score = min(1.0, share + BONUS * num_paraphrases)
    return Reading(score, f"it has {num_required} of {len(required)} keywords and {num_paraphrases} paraphrases")


def incorrect_pattern_in(question: Question, answer: AnswerText) -> str | None:
    """Return the first incorrect pattern in the answer, denied or not, or None."""
    for pattern in values_under(question, "incorrect_patterns"):
        if KnownValues([pattern], {}).find(answer.text, answer.cased):
            return pattern
    return None


def _is_said(phrase: str, answer: AnswerText) -> bool:
    """Return whether a phrase is asserted; a phrase with a negation is matched verbatim."""
    mentions = KnownValues([phrase], {}).find(answer.text, answer.cased)
    if not mentions:
        return (
            not any(sign.isalnum() for sign in phrase) and bool(phrase.strip()) and plain_value(phrase) in answer.text
        )
    if DENIED_BEFORE.search(plain_value(phrase)):
        return True
    return not any(
        _DENIED_BEFORE.search(answer.text[max(0, one.start - 40) : one.start])
        or _DENIED_AFTER.match(answer.text[one.end : one.end + 40])
        for one in mentions
    )
