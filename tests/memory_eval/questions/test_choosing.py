"""An exam has exactly the questions asked for, from every category its share, and guessing does not pay."""

from __future__ import annotations

import pytest

from assay.memory_eval import ExamUsageError, TooFewQuestions, generate_questions
from assay.memory_eval.questions.categories.register import CATEGORIES
from assay.memory_eval.truth import AnswerType, GroundTruth
from assay.memory_eval.world.world import shares_of
from tests.memory_eval.questions.exams import LARGE, MIDDLE, SMALL, SOAK, dialogue_of, questions_of, told

ALL = [*SMALL, *MIDDLE, *LARGE, *SOAK]
NAMES = {category.name for category in CATEGORIES}
WEIGHTS = {category.name: category.weight for category in CATEGORIES}


@pytest.mark.parametrize("num", [0, -1, -1000])
def test_no_exam_is_without_questions(num: int):
    with pytest.raises(ExamUsageError, match=r"memory\.no-questions"):
        generate_questions(dialogue_of(20, 3), num_questions=num)


# ------------------------------------------------------------------ guessing


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


# ------------------------------------------------------------------ the same for the same turns


@pytest.mark.soak
def test_the_questions_follow_from_the_turns_alone():
    drawn = dialogue_of(200, 9)
    bare = GroundTruth(drawn.turns, {}, {}, {})
    assert generate_questions(bare, num_questions=60) == generate_questions(drawn, num_questions=60)


# ------------------------------------------------------------------ shares


def test_the_weights_are_per_cent_and_every_category_is_due_one_of_thirty():
    assert sum(WEIGHTS.values()) == 100
    assert min(shares_of(30, WEIGHTS).values()) == 1


# ------------------------------------------------------------------ other people's facts


def test_what_this_house_has_no_words_for_is_not_asked():
    strange = told((1, "Ada Stone", "shoe_size", 41, "2025-01-01"), (2, "Ada Stone", "shoe_size", 42, "2025-02-01"))
    with pytest.raises(TooFewQuestions, match="carries 0"):
        generate_questions(strange, num_questions=1)
