"""Grading by rules: reproducible on any machine, at no cost."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

from assay.memory_eval.graders.answer_types.register import GRADERS
from assay.memory_eval.graders.dimensions import dimensions_of, mean_of
from assay.memory_eval.graders.extras import missing_word, poison_told, untold_value, word_too_many
from assay.memory_eval.graders.grade import Grade
from assay.memory_eval.graders.grader import Reading
from assay.memory_eval.graders.keywords import has_keywords, incorrect_pattern_in, read_keywords
from assay.memory_eval.graders.length_budget import length_factor, words_allowed
from assay.memory_eval.graders.reading.answer_text import MAX_CHARS, AnswerText, value_within
from assay.memory_eval.graders.reading.normalizing import plain
from assay.memory_eval.graders.typed_value import read_value
from assay.memory_eval.truth import NOT_GIVEN, Question

_QUESTION_PART = re.compile(r"[^.?!:\n]+[.?!:]")
_FEWEST_WORDS = 5


def grade(question: Question, answer: str, value: Any = NOT_GIVEN) -> Grade:
    """Grade one answer; never raises. The score is None only if the question has no gold.

    `value` is the same answer as a typed value. It decides, unless the words contradict it.
    """
    if value is NOT_GIVEN:
        value, answer = value_within(answer)
    text = AnswerText.of(answer, words_allowed(question)[1])
    if value is NOT_GIVEN or has_keywords(question):
        reading, factor = _read(question, text)
    else:
        reading, factor = _read_typed(question, text, value)
    if not reading.gradable:
        dimensions: dict[str, float | None] = dict.fromkeys(dimensions_of(question, reading, 0.0))
        return Grade(None, dimensions, f"Not graded: {reading.why}.", reading.why)
    dimensions = dimensions_of(question, reading, reading.score * factor)
    why = _sentence(question, reading, text, factor)
    return Grade(mean_of(dimensions), dimensions, why, no_claim=reading.no_claim and reading.score == 0.0)


def _read(question: Question, text: AnswerText) -> tuple[Reading, float]:
    factor = length_factor(text.num_words, question)
    is_empty, is_too_long = not text.text.strip(), factor <= 0.0 or len(text.text) >= MAX_CHARS
    if is_empty or is_too_long:
        why = f"with {text.num_words} words it is far too long" if is_too_long else "there is no answer"
        return replace(_gold_reading(question, AnswerText("", "", 0)), score=0.0, why=why), 1.0
    own = _without_question(text, question)
    reading = _gold_reading(question, own)
    if reading.score < 1.0 and reading.gradable and own.text == plain(question.expected_answer).lower():
        reading = Reading(1.0, "it equals the expected answer")
    return _with_conditions(question, own, reading), factor


def _read_typed(question: Question, text: AnswerText, value: Any) -> tuple[Reading, float]:
    """Read the value; the words may explain it, but not deny it or claim only something else."""
    said = AnswerText.of(json.dumps(value, ensure_ascii=False), words_allowed(question)[1])
    factor = min(length_factor(one.num_words, question) for one in (text, said))
    if factor <= 0.0:
        return Reading(0.0, "its value or its words are far too long"), 1.0
    reading = read_value(question, value)
    if reading.score > 0.0 and text.text.strip():
        words = _gold_reading(question, _without_question(text, question))
        if words.contradicts:
            return replace(reading, score=0.0, why=f"{reading.why}, but the words contradict it: {words.why}"), factor
        reading = replace(reading, certainty=min(reading.certainty, words.certainty))
    both = AnswerText(f"{text.text}\n{said.text}", f"{text.cased}\n{said.cased}", text.num_words)
    return _with_conditions(question, _without_question(both, question), reading), factor


def _gold_reading(question: Question, text: AnswerText) -> Reading:
    if has_keywords(question):
        return read_keywords(question, text)
    return GRADERS[question.answer.type](question, text)


def _with_conditions(question: Question, text: AnswerText, reading: Reading) -> Reading:
    """Set the score to 0 if a condition of the rubric is not met."""
    if reading.score <= 0.0:
        return reading
    if (pattern := incorrect_pattern_in(question, text)) is not None:
        return replace(reading, score=0.0, why=f"{reading.why}, but contains a forbidden pattern: {pattern}")
    if (poison := poison_told(question, text)) is not None:
        return replace(reading, score=0.0, why=f"{reading.why}, but contains a forbidden value: {poison}")
    if (label := untold_value(question, text)) is not None:
        return replace(reading, score=0.0, why=f"{reading.why}, but gives a value for {label}")
    if (other := word_too_many(question, text)) is not None:
        return replace(reading, score=0.0, why=f"{reading.why}, but adds {other} as well")
    if (word := missing_word(question, text)) is not None:
        return replace(reading, score=0.0, why=f"{reading.why}, but does not say {word}, as instructed")
    return reading


def _without_question(text: AnswerText, question: Question) -> AnswerText:
    """Remove the repeated question, which is not a claim."""
    for part in _parts_of(question.text):
        place = text.text.find(part)
        if place >= 0:
            end = place + len(part)
            text = replace(
                text, text=f"{text.text[:place]}\n{text.text[end:]}", cased=f"{text.cased[:place]}\n{text.cased[end:]}"
            )
    return text


@lru_cache(maxsize=4096)
def _parts_of(asked: str) -> tuple[str, ...]:
    """Return the whole question, and its sentences."""
    whole = plain(asked).lower()
    parts = [whole, *(part.strip() for part in _QUESTION_PART.findall(whole))]
    return tuple(part for part in parts if len(part.split()) >= _FEWEST_WORDS)


def _sentence(question: Question, reading: Reading, text: AnswerText, factor: float) -> str:
    long = f" It has {text.num_words} words, which leaves {factor:.0%}." if factor < 1.0 else ""
    return f"Expected {question.expected_answer}: {reading.why}.{long}"
