"""Length budgets of answers, so that repeating everything does not score."""

from __future__ import annotations

from assay.memory_eval.truth import AnswerType, Question

FULL_WORDS = 80
"""Words without a penalty, for an answer of one value."""

NO_WORDS_LEFT = 240
"""Words at which the score reaches zero; linear between."""

TEXT_FULL_WORDS = 150
TEXT_NO_WORDS_LEFT = 450
WORDS_PER_ITEM = 10
WORDS_PER_PAIR = 30


def words_allowed(question: Question) -> tuple[int, int]:
    """Return (words without a penalty, words at which the score is zero) for an answer to this question."""
    kind, value = question.answer.type, question.answer.value
    if kind is AnswerType.text or "required_keywords" in question.rubric:
        return TEXT_FULL_WORDS, TEXT_NO_WORDS_LEFT
    per_item = {
        AnswerType.set: WORDS_PER_ITEM,
        AnswerType.ordered_list: WORDS_PER_ITEM,
        AnswerType.pairs: WORDS_PER_PAIR,
    }
    more = per_item.get(kind, 0) * (len(value) if isinstance(value, list) else 0)
    return FULL_WORDS + more, NO_WORDS_LEFT + more


def length_factor(num_words: int, question: Question) -> float:
    """Return 1.0 within the budget, 0.0 at its end."""
    full, spent = words_allowed(question)
    return min(1.0, max(0.0, (spent - num_words) / (spent - full)))
