"""What an exam is made of: as much as promised, hardly repeated, in every category, and another one for every seed."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest

from assay.memory_eval import AnswerType, Question, TooFewQuestions, Turn, generate_dialogue, generate_questions
from assay.memory_eval.questions.categories.register import CATEGORIES
from tests.memory_eval.integrity.exams import NUM_QUESTIONS, SEEDS, sheet_of, world_of

THE_CATEGORIES_OF_THE_DESIGN = {
    "needle_in_haystack", "temporal_evolution", "numerical_precision", "source_attribution", "cross_reference",
    "distractor_resistance", "meta_memory", "security_log_analysis", "incident_tracking", "infrastructure_knowledge",
    "problem_solving", "multi_hop_reasoning", "numerical_reasoning", "temporal_trap", "adversarial_distractor",
    "abstention", "knowledge_update", "event_ordering", "contradiction_resolution", "selective_forgetting",
    "instruction_following", "premise_rejection", "poisoning_resistance", "aggregation",
}  # fmt: skip
FEWEST_FACTS = {100: 80, 1_000: 800, 5_000: 4_000}
MOST_REPEATED, MOST_FILLER, MOST_SHARED = 0.05, 0.30, 0.01
CHARACTERS_A_TOKEN = 4
"""The usual rule of thumb for English; identifiers and numbers make more tokens than that."""


def assert_much_is_told_and_little_repeated(turns: list[Turn]) -> None:
    contents = Counter(turn.content for turn in turns)
    assert len({json.dumps(fact, sort_keys=True) for turn in turns for fact in turn.facts}) >= FEWEST_FACTS[len(turns)]
    assert sum(times - 1 for times in contents.values()) <= MOST_REPEATED * len(turns)
    assert sum(not turn.facts for turn in turns) <= MOST_FILLER * len(turns)


def assert_guessing_does_not_pay(questions: list[Question]) -> None:
    """Few abstentions, few and balanced yes/no, few questions alike."""
    num = len(questions)
    coins = Counter(one.answer.value for one in questions if one.answer.type is AnswerType.yes_no)
    assert sum(one.answer.type is AnswerType.abstain for one in questions) <= 0.05 * num
    assert coins.total() <= 0.05 * num
    assert abs(coins[True] - coins[False]) <= 1
    assert max(Counter(one.expected_answer.casefold() for one in questions).values()) <= max(2, 0.03 * num)


@pytest.mark.parametrize("num_turns", [100, 1_000, 5_000])
def test_a_dialogue_tells_as_many_facts_as_promised(num_turns: int):
    assert_much_is_told_and_little_repeated(world_of(num_turns, SEEDS[0]).turns)


@pytest.mark.soak
def test_a_dialogue_can_be_as_long_as_a_million_tokens():
    turns = generate_dialogue(num_turns=30_000, seed=SEEDS[0]).turns
    assert sum(len(turn.content) for turn in turns) >= 1_000_000 * CHARACTERS_A_TOKEN
    assert len({turn.content for turn in turns}) >= 0.95 * len(turns)


@pytest.mark.parametrize("num", [1, 29, 30, 117, 200, 500, 1_000])
def test_exactly_as_many_questions_come_as_are_asked_for(num: int):
    assert len(generate_questions(world_of(5_000, SEEDS[0]), num_questions=num)) == num


def test_more_questions_than_a_dialogue_carries_are_an_error_that_names_the_shortfall():
    with pytest.raises(TooFewQuestions) as caught:
        generate_questions(world_of(100, SEEDS[0]), num_questions=5_000)
    carried = caught.value.carried
    assert caught.value.asked == 5_000
    assert {str(carried), str(5_000 - carried)} <= set(re.findall(r"\d+", str(caught.value)))


@pytest.mark.parametrize("num_turns", [100, 1_000, 5_000])
def test_thirty_questions_and_more_hold_every_category(num_turns: int):
    assert {category.name for category in CATEGORIES} == THE_CATEGORIES_OF_THE_DESIGN
    for num in (30, 31, 60):
        questions = generate_questions(world_of(num_turns, SEEDS[0]), num_questions=num)
        assert {question.category for question in questions} == THE_CATEGORIES_OF_THE_DESIGN


@pytest.mark.parametrize("num_turns", [100, 1_000])
def test_an_exam_leaves_little_to_chance(num_turns: int):
    assert_guessing_does_not_pay(list(sheet_of(num_turns, SEEDS[0]).questions))


@pytest.mark.soak
@pytest.mark.parametrize("num_turns", [100, 1_000])
def test_another_seed_shares_next_to_no_question_with_its_answer(num_turns: int):
    exams = [_pairs(num_turns, seed) for seed in SEEDS]
    for place, one in enumerate(exams):
        for other in exams[place + 1 :]:
            assert len(one & other) < MOST_SHARED * len(one)


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", SEEDS)
def test_over_worlds_what_was_promised_holds(seed: int):
    for num_turns in NUM_QUESTIONS:
        assert_much_is_told_and_little_repeated(world_of(num_turns, seed).turns)
        assert_guessing_does_not_pay(list(sheet_of(num_turns, seed).questions))
    for other in SEEDS:
        if other != seed:
            shared = _pairs(5_000, seed) & _pairs(5_000, other)
            assert len(shared) < MOST_SHARED * NUM_QUESTIONS[5_000]


def _pairs(num_turns: int, seed: int) -> set[tuple[str, str]]:
    return {(one.text, one.expected_answer) for one in sheet_of(num_turns, seed).questions}
