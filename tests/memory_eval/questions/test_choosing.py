"""An exam has exactly the questions asked for, from every category its share, and guessing does not pay."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.memory_eval import ExamUsageError, TooFewQuestions, generate_questions
from assay.memory_eval.questions.categories.register import CATEGORIES
from assay.memory_eval.truth import AnswerType, GroundTruth, Question
from assay.memory_eval.world.world import shares_of
from tests.examples import sampled
from tests.memory_eval.questions.exams import LARGE, MIDDLE, SMALL, SOAK, dialogue_of, questions_of, told

ALL = [*SMALL, *MIDDLE, *LARGE, *SOAK]
NAMES = {category.name for category in CATEGORIES}
WEIGHTS = {category.name: category.weight for category in CATEGORIES}


NUMBERS = [1, 2, 19, 30, 31, 100, 333, 999, 1000]
MANY_NUMBERS = [pytest.param(num, marks=pytest.mark.soak) for num in range(3, 1_000, 13)]


@pytest.mark.parametrize("num", sampled([*NUMBERS, *MANY_NUMBERS], 3))
def test_there_are_exactly_as_many_questions_as_were_asked_for(num: int):
    questions = generate_questions(dialogue_of(5_000, 42), num_questions=num)
    assert len(questions) == num
    assert [question.id for question in questions] == [f"q{number:04}" for number in range(1, num + 1)]


def test_a_dialogue_that_carries_fewer_says_how_many_it_carries():
    small = dialogue_of(20, 3)
    with pytest.raises(TooFewQuestions) as caught:
        generate_questions(small, num_questions=1_000)
    assert caught.value.asked == 1_000
    assert {"1000", "20", str(caught.value.carried)} <= set(re.findall(r"\d+", str(caught.value)))
    assert caught.value.exit_code == 2
    assert 20 <= caught.value.carried < 1_000


@pytest.mark.parametrize("num", [0, -1, -1000])
def test_no_exam_is_without_questions(num: int):
    with pytest.raises(ExamUsageError, match=r"memory\.no-questions"):
        generate_questions(dialogue_of(20, 3), num_questions=num)


def test_a_dialogue_without_facts_carries_no_question():
    with pytest.raises(TooFewQuestions, match="carries 0"):
        generate_questions(GroundTruth([], {}, {}, {}), num_questions=1)


@pytest.mark.parametrize(("turns", "num", "seed"), SMALL)
def test_thirty_questions_on_a_small_dialogue_hold_every_category(turns: int, num: int, seed: int):
    assert {question.category for question in questions_of(turns, num, seed)} == NAMES


@pytest.mark.parametrize("seed", [21, 22, 23])
def test_a_hundred_turns_carry_a_hundred_questions_and_more(seed: int):
    assert len(generate_questions(dialogue_of(100, seed), num_questions=250)) == 250


@pytest.mark.parametrize("seed", range(31, 36))
def test_twenty_turns_carry_five_questions(seed: int):
    assert len(generate_questions(dialogue_of(20, seed), num_questions=5)) == 5


@pytest.mark.soak
@pytest.mark.parametrize(("turns", "num", "seed"), LARGE)
def test_large_dialogues_fill_every_share(turns: int, num: int, seed: int):
    shares = shares_of(num, WEIGHTS)
    counted = Counter(question.category for question in questions_of(turns, num, seed))
    assert all(counted[name] >= shares[name] - 1 for name in NAMES), counted


# ------------------------------------------------------------------ guessing


@pytest.mark.parametrize(("turns", "num", "seed"), ALL)
def test_few_questions_share_a_gold(turns: int, num: int, seed: int):
    golds = Counter(question.expected_answer.casefold() for question in questions_of(turns, num, seed))
    assert max(golds.values()) <= max(2, num * 0.03)


@pytest.mark.parametrize(("turns", "num", "seed"), ALL)
def test_abstaining_and_tossing_a_coin_get_five_per_cent_at_most(turns: int, num: int, seed: int):
    questions = questions_of(turns, num, seed)
    abstained = [question for question in questions if question.answer.type is AnswerType.abstain]
    coins = Counter(question.answer.value for question in questions if question.answer.type is AnswerType.yes_no)
    assert len(abstained) <= num * 0.05
    assert {question.category for question in abstained} <= {"abstention"}
    assert coins.total() <= num * 0.05
    assert abs(coins[True] - coins[False]) <= 1


@pytest.mark.parametrize(("turns", "num", "seed"), ALL)
def test_sets_lists_and_counts_are_hard_to_guess(turns: int, num: int, seed: int):
    for question in questions_of(turns, num, seed):
        value = question.answer.value
        if question.answer.type is AnswerType.set:
            assert 2 <= len(value) <= 6
            assert len(question.rubric["candidates"]) > len(value)
        if question.answer.type is AnswerType.ordered_list:
            assert 3 <= len(value) <= 5
            assert sorted(question.rubric["candidates"]) == sorted(value)
        if question.rubric["query"]["op"] == "count_where":
            # Of "40 or more" others can have the same number as the fortieth.
            assert 2 <= value <= (45 if question.rubric["query"]["where"][0].get("at_least") else 40)


@pytest.mark.parametrize(("turns", "num", "seed"), ALL)
def test_no_question_contains_its_answer(turns: int, num: int, seed: int):
    for question in questions_of(turns, num, seed):
        text = question.text.casefold()
        if question.answer.type is not AnswerType.yes_no:
            assert question.expected_answer.casefold() not in text
        if question.answer.type is AnswerType.ordered_list:
            assert ", ".join(question.answer.value).casefold() not in text


@pytest.mark.parametrize(("turns", "num", "seed"), ALL)
def test_nothing_is_asked_twice(turns: int, num: int, seed: int):
    questions = questions_of(turns, num, seed)
    assert len({question.text for question in questions}) == num
    assert len({str(question.rubric["query"]) for question in questions}) == num


def test_another_seed_is_another_exam():
    asked = [_asked(questions_of(1_000, 200, seed)) for seed in (11, 12, 13, 14)]
    for place, one in enumerate(asked):
        for other in asked[place + 1 :]:
            assert len(one & other) < 0.01 * len(one)


def _asked(questions: tuple[Question, ...]) -> set[tuple[str, str]]:
    return {(question.text, question.expected_answer) for question in questions}


# ------------------------------------------------------------------ the same for the same turns


@pytest.mark.soak
def test_the_questions_follow_from_the_turns_alone():
    drawn = dialogue_of(200, 9)
    bare = GroundTruth(drawn.turns, {}, {}, {})
    assert generate_questions(bare, num_questions=60) == generate_questions(drawn, num_questions=60)


def test_other_words_for_the_same_facts_draw_another_exam():
    drawn = dialogue_of(200, 9)
    turns = [replace(turn, content=f"{turn.content} Mind that.") for turn in drawn.turns]
    others = generate_questions(GroundTruth(turns, {}, {}, {}), num_questions=60)
    assert [question.text for question in others] != [
        question.text for question in generate_questions(drawn, num_questions=60)
    ]


@pytest.mark.parametrize("hash_seed", ["0", "1", "4242"])
def test_no_order_hangs_on_how_python_hashes(hash_seed: str):
    """Sets come in another order in every process; questions do not."""
    script = (
        "import hashlib, json, sys\n"
        "from assay.memory_eval import generate_dialogue, generate_questions\n"
        "questions = generate_questions(generate_dialogue(300, 5), 120)\n"
        "told = [[one.id, one.text, one.expected_answer, dict(one.rubric)] for one in questions]\n"
        "print(hashlib.sha256(json.dumps(told).encode()).hexdigest())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    questions = questions_of(300, 120, 5)
    here = json.dumps([[one.id, one.text, one.expected_answer, dict(one.rubric)] for one in questions])
    assert done.stdout.strip() == hashlib.sha256(here.encode()).hexdigest()


# ------------------------------------------------------------------ shares


@given(st.integers(0, 2_000), st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.integers(1, 9), min_size=1))
def test_shares_add_up_and_stay_within_one_of_what_is_due(total: int, weights: dict[str, int]):
    shares = shares_of(total, weights)
    assert sum(shares.values()) == total
    assert all(abs(shares[name] - total * weights[name] / sum(weights.values())) < 1 for name in weights)


def test_the_largest_remainders_get_what_is_left():
    assert shares_of(10, {"a": 1, "b": 1, "c": 1}) == {"a": 4, "b": 3, "c": 3}
    assert shares_of(7, {"a": 50, "b": 30, "c": 20}) == {"a": 4, "b": 2, "c": 1}


def test_the_weights_are_per_cent_and_every_category_is_due_one_of_thirty():
    assert sum(WEIGHTS.values()) == 100
    assert min(shares_of(30, WEIGHTS).values()) == 1


# ------------------------------------------------------------------ other people's facts


def test_what_this_house_has_no_words_for_is_not_asked():
    strange = told((1, "Ada Stone", "shoe_size", 41, "2025-01-01"), (2, "Ada Stone", "shoe_size", 42, "2025-02-01"))
    with pytest.raises(TooFewQuestions, match="carries 0"):
        generate_questions(strange, num_questions=1)


def test_a_dialogue_written_by_hand_can_be_asked_about():
    own = told(
        (1, "Ada Stone", "shoe_size", 41, "2025-01-01"),
        (1, "Ada Stone", "allergy", "kiwi", "2025-01-01"),
        (2, "Project Owl", "lead", "Ada Stone", "2025-02-01"),
    )
    asked = {(one.text, one.expected_answer) for one in generate_questions(own, num_questions=4)}
    assert "kiwi" in {answer for _, answer in asked}
    assert len(asked) == 4
