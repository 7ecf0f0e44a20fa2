"""Whether retrieval finds the evidence of each question within a budget of tokens, and how early.

The evidence of a question is its relevant turns. A retrieved text counts for a turn if it holds a fact of that turn
that the question needs, so extracted memories count like verbatim turns. A turn without facts, such as a request, is
found by most of its words. Texts are cut where the budget ends: one text with the whole dialogue is not a search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from assay.memory_eval.graders.reading.plain_text import plain_value, words_of
from assay.memory_eval.holding.matcher import Matcher
from assay.memory_eval.holding.told import Told, value_in_words
from assay.memory_eval.truth import Question
from assay.memory_eval.world.attributes import label_of
from assay.statistics import interval_of_scores, mean

DEPTH = 20
"""Texts asked for."""
MOST_TOKENS = 2_000
"""Tokens of the retrieved texts that are read."""
CHARACTERS_OF_A_TOKEN = 4
MOST_TURNS = 20
"""Questions with more relevant turns cannot be found whole in 20 texts, and are left out."""
_MOST_WORDS = 0.6
"""Share of a turn's words that a text must have to count for a turn without facts."""

Retrieve = Callable[[str, int], Sequence[str]]
"""The texts found for a question, best first, at most as many as asked for."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Share of the evidence found over all counted questions with its interval, and the mean reciprocal rank."""

    num_questions: int
    share: float | None
    low: float | None
    high: float | None
    mrr: float | None


def evidence_found(matcher: Matcher, questions: Sequence[Question], retrieve: Retrieve) -> Evidence:
    """Return how much of the questions' evidence `retrieve` finds."""
    counted = [one for one in questions if 0 < len(one.relevant_turns) <= MOST_TURNS]
    ranks = [_ranks(matcher, one, list(within_budget(retrieve(one.text, DEPTH)))) for one in counted]
    shares = [sum(rank < float("inf") for rank in of) / len(of) for of in ranks]
    within = interval_of_scores([shares])
    low, high = (within.low, within.high) if within else (None, None)
    return Evidence(len(counted), mean(shares), low, high, mean([1 / min(of) for of in ranks]))


def within_budget(texts: Sequence[str]) -> Iterator[str]:
    """Yield texts until the budget of tokens ends; the last one is cut there."""
    left = MOST_TOKENS * CHARACTERS_OF_A_TOKEN
    for text in texts[:DEPTH]:
        if left <= 0:
            return
        yield text[:left]
        left -= len(text)


def needed(told: Told, question: Question, turn: int) -> set[int]:
    """Return the places of the facts of a turn that a question needs; any one of them counts.

    The narrowest of these that has any: facts of a named entity with an expected value, facts with an expected value,
    facts of a named entity with the attribute asked for, facts of a named entity, all facts.
    """
    text, gold = plain_value(question.text), plain_value(question.expected_answer)
    of_turn = {place: told.facts[place] for place in told.in_turn.get(turn, ())}
    named = {place for place, one in of_turn.items() if plain_value(one.entity) in text}
    expected = {
        place
        for place, one in of_turn.items()
        if plain_value(value_in_words(one)) in gold or plain_value(one.entity) in gold
    }
    asked = {place for place, one in of_turn.items() if plain_value(label_of(one.attribute)) in text}
    for narrow in (named & expected, expected, named & asked, named):
        if narrow:
            return narrow
    return set(of_turn)


def _ranks(matcher: Matcher, question: Question, texts: Sequence[str]) -> list[float]:
    """Return for each relevant turn the rank of the first text that counts for it; infinity if there is none."""
    held = [matcher.facts_in(text) for text in texts]
    ranks = []
    for turn in question.relevant_turns:
        places = needed(matcher.told, question, turn)
        hits = [bool(places & found) for found in held] if places else _alike(matcher.told, turn, texts)
        ranks.append(next((float(rank) for rank, hit in enumerate(hits, start=1) if hit), float("inf")))
    return ranks


def _alike(told: Told, turn: int, texts: Sequence[str]) -> list[bool]:
    words = set(words_of(told.turns[turn - 1].content)) if 0 < turn <= len(told.turns) else set()
    return [bool(words) and len(words & set(words_of(text))) >= _MOST_WORDS * len(words) for text in texts]
