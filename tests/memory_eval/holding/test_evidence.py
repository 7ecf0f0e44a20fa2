"""Evidence is found by its facts, in any wording, and counted as an independent count does."""

from __future__ import annotations

from functools import cache

import pytest

from assay.memory_eval import Question, generate_dialogue, generate_questions
from assay.memory_eval.holding.evidence import (
    CHARACTERS_OF_A_TOKEN,
    MOST_TOKENS,
    MOST_TURNS,
    evidence_found,
    needed,
    within_budget,
)
from assay.memory_eval.holding.examining import found_in_texts
from tests.memory_eval.holding.stores import Known, reworded, verbatim, world


@cache
def questions(seed: int) -> tuple[Question, ...]:
    return tuple(generate_questions(generate_dialogue(300, seed), num_questions=60))


def counted(known: Known) -> list[Question]:
    return [one for one in questions(known.seed) if 0 < len(one.relevant_turns) <= MOST_TURNS]


def texts_of(known: Known) -> list[str]:
    return [one.text for one in verbatim(known)]


@pytest.mark.parametrize("seed", [7, 8])
def test_the_relevant_turns_are_all_evidence(seed: int):
    known = world(seed)
    texts = texts_of(known)
    relevant = {one.text: [texts[turn - 1] for turn in one.relevant_turns] for one in questions(seed)}
    found = evidence_found(known.matcher, questions(seed), lambda question, k: relevant[question][:k])
    assert found.mrr == 1
    assert found.share == pytest.approx(1, abs=0.02)
    assert found.num_questions == len(counted(known))


def test_nothing_retrieved_is_no_evidence():
    known = world(7)
    found = evidence_found(known.matcher, questions(7), lambda _question, _k: [])
    assert (found.share, found.mrr) == (0, 0)


def test_without_questions_there_are_no_figures():
    found = evidence_found(world(7).matcher, (), lambda _question, _k: [])
    assert (found.num_questions, found.mrr, found.share) == (0, None, None)


@pytest.mark.parametrize("seed", [7, 8])
def test_it_is_what_counting_turns_by_number_gives(seed: int):
    """Over verbatim turns the numbers of the turns say what was found, without any matcher."""
    known = world(seed)
    texts = texts_of(known)
    retrieve = found_in_texts(texts)
    numbers = {text: number for number, text in enumerate(texts, start=1)}
    found = evidence_found(known.matcher, questions(seed), retrieve)
    shares = []
    for one in counted(known):
        got = {numbers.get(text) for text in within_budget(retrieve(one.text, 20))}
        shares.append(len(got & set(one.relevant_turns)) / len(one.relevant_turns))
    counted_by_number = sum(shares) / len(shares)
    # Facts that are stated again in another turn count too.
    assert counted_by_number - 0.02 <= (found.share or 0) <= counted_by_number + 0.05


def test_extracted_memories_count_like_turns():
    known = world(7)
    facts = [reworded(one) for one in known.told.facts]
    found = evidence_found(known.matcher, questions(7), found_in_texts(facts))
    assert (found.share or 0) > 0.6


def test_one_text_with_everything_is_cut_at_the_budget():
    known = world(7)
    everything = " ".join(texts_of(known))
    found = evidence_found(known.matcher, questions(7), lambda _question, _k: [everything] * 20)
    assert (found.share or 0) < 0.5
    assert sum(map(len, within_budget([everything] * 20))) == MOST_TOKENS * CHARACTERS_OF_A_TOKEN


def test_the_facts_needed_are_of_the_turn():
    known = world(7)
    for one in counted(known):
        for turn in one.relevant_turns:
            assert needed(known.told, one, turn) <= set(known.told.in_turn.get(turn, ()))
