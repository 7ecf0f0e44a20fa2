"""Keyword rubrics of people's own questions: required keywords, acceptable paraphrases, incorrect patterns.

All are plain phrases, matched as whole words ignoring case. Regular expressions are not supported: an untrusted one can
run forever.
"""

from __future__ import annotations

from assay.memory_eval.graders.naming import spans_of, values_under
from assay.memory_eval.graders.reading.cues import abstains, is_denied
from assay.memory_eval.graders.reading.plain_text import Text, plain_value
from assay.memory_eval.graders.several import Reading
from assay.memory_eval.truth import Question

BONUS = 0.25
"""For each acceptable paraphrase, up to a full score."""

_KEYS = ("required_keywords", "acceptable_paraphrases")


def has_keywords(question: Question) -> bool:
    """Return whether the rubric has keywords."""
    return any(question.rubric.get(key) for key in _KEYS)


def read_keywords(question: Question, answer: str) -> Reading:
    """Return the share of required keywords, plus a bonus for paraphrases; a denied keyword does not count."""
    text = Text.of(answer)
    required, paraphrases = (values_under(question, key) for key in _KEYS)
    num_required = sum(_is_said(phrase, text) for phrase in required)
    num_paraphrases = sum(_is_said(phrase, text) for phrase in paraphrases)
    share = num_required / len(required) if required else min(1.0, float(num_paraphrases))
    score = min(1.0, share + BONUS * num_paraphrases)
    return Reading(score, f"it has {num_required} of {len(required)} keywords and {num_paraphrases} paraphrases")


def incorrect_pattern_in(question: Question, answer: str) -> str | None:
    """Return the first incorrect pattern in the answer, denied or not, or None."""
    text = Text.of(answer)
    return next((one for one in values_under(question, "incorrect_patterns") if _spans(text, one)), None)


def _is_said(phrase: str, text: Text) -> bool:
    """Return whether a phrase is asserted; one that is a denial itself is matched verbatim."""
    spans = _spans(text, phrase)
    if abstains(plain_value(phrase)) or is_denied(f"{plain_value(phrase)} x", len(plain_value(phrase)) + 1, 0):
        return bool(spans)
    return any(not is_denied(text.text, *span) for span in spans)


def _spans(text: Text, phrase: str) -> list[tuple[int, int]]:
    if any(sign.isalnum() for sign in phrase):
        return spans_of(text, f"{phrase}") if not phrase.strip().isdecimal() else _digits(text, phrase.strip())
    place = text.text.find(plain_value(phrase)) if phrase.strip() else -1
    return [(place, place + len(phrase))] if place >= 0 else []


def _digits(text: Text, phrase: str) -> list[tuple[int, int]]:
    return [(start, end) for word, start, end in text.words if word == phrase] or spans_of(text, phrase)
