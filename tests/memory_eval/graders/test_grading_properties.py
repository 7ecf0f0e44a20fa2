"""What holds of every grade, whatever the answer: hostile ones included."""

from __future__ import annotations

import json
from datetime import date

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.memory_eval import AnswerType, grade
from tests.examples import num_examples
from tests.memory_eval.graders.test_rules import QUESTIONS, ROWS

NAMES = st.sampled_from(sorted(QUESTIONS))
PIECES = st.sampled_from(
    'not |no |or |either |but |, |. |? |• |- |1. |(|)|—|→|$|%| ms|1,234|2025-03-04|14 March|**|~~|`|<b>|</b>|<!--|{|"'
    "|was |now |used to be |I don't know|yes|…|१२|½|e9|=|:|\n|\u200b|\u202e|\x00".split("|")
)
DAYS = st.dates(date(1900, 1, 1), date(2099, 12, 31))
PLAIN = settings(max_examples=num_examples(150), deadline=None)


@PLAIN
@given(NAMES, st.text(max_size=300))
@example("budget", "1e999")
@example("budget", "9" * 500)
@example("day", "00/00/0000")
@example("day", "31 February 2025")
@example("moment", "99:99 on 2025-99-99")
@example("allergy", "[" * 5000)
@example("allergy", '{"a":' * 3000)
@example("cost", "\ud800")
@example("changes", "point point two point")
def test_no_answer_makes_grading_fail(name, answer):
    given_grade = grade(QUESTIONS[name], answer)
    assert 0.0 <= (given_grade.score or 0.0) <= 1.0
    assert (given_grade.score is None) is (given_grade.why_not_graded is not None)


@PLAIN
@given(NAMES, st.lists(st.one_of(PIECES, st.just("{gold}"), st.just("{other}")), max_size=25))
def test_no_mixture_of_gold_and_cues_makes_grading_fail(name, pieces):
    answer = "".join(pieces).replace("{gold}", QUESTIONS[name].expected_answer).replace("{other}", ROWS[name]["other"])
    assert 0.0 <= (grade(QUESTIONS[name], answer).score or 0.0) <= 1.0


@pytest.mark.parametrize("answer", [None, b"peanuts", b"\xff\xfe", 42, ["peanuts"], {"answer": "peanuts"}])
def test_what_is_no_text_is_graded_all_the_same(answer):
    assert 0.0 <= (grade(QUESTIONS["allergy"], answer).score or 0.0) <= 1.0


@PLAIN
@given(NAMES, st.sampled_from([" ", "  ", "\n", "\t", "\u00a0", "\u200b", "\ufeff", "\u2066"]), st.integers(0, 3))
def test_invisible_signs_around_the_gold_do_not_matter(name, sign, times):
    question = QUESTIONS[name]
    assert grade(question, sign * times + question.expected_answer + sign * times).score == pytest.approx(1.0)


@PLAIN
@given(
    NAMES.filter(lambda name: name != "keywords"),
    st.sampled_from([". ", "\n", ", ", "; ", " and ", " / ", " - ", " (", " or "]),
)
def test_another_claim_beside_the_gold_never_raises_the_score(name, joint):
    question, other = QUESTIONS[name], ROWS[name]["other"]
    alone = grade(question, question.expected_answer).score
    both = grade(question, question.expected_answer + joint + other).score
    assert (both or 0.0) <= (alone or 0.0)


@PLAIN
@given(NAMES, st.text(alphabet="abcdefghij \n.,", min_size=1, max_size=200))
def test_words_beside_the_gold_never_raise_the_score_above_one_and_alone_earn_nothing(name, words):
    question = QUESTIONS[name]
    if question.answer.type in (AnswerType.abstain, AnswerType.yes_no, AnswerType.text):
        return
    assert not grade(question, words).score
    assert (grade(question, f"{question.expected_answer}\n{words}").score or 0.0) <= 1.0


@PLAIN
@given(NAMES)
def test_an_answer_in_json_is_the_answer(name):
    question = QUESTIONS[name]
    assert (grade(question, json.dumps({"answer": question.expected_answer, "confidence": 0.4})).score or 0.0) >= 0.95


@PLAIN
@given(st.integers(1, 10**9), st.sampled_from(["{:,}", "{}", "{} ", "{:,}."]), st.integers(1, 10**9))
def test_a_number_is_itself_however_it_is_written_and_no_other(value, form, other):
    row = dict(ROWS["extension"])
    question = _number(row, value)
    assert grade(question, form.format(value)).score == pytest.approx(1.0)
    if other != value:
        assert grade(question, form.format(other)).score == 0.0


@PLAIN
@given(DAYS, DAYS)
def test_a_day_is_itself_and_no_other(day, other):
    question = _day(day.isoformat())
    assert grade(question, f"{day:%d.%m.%Y}").score == pytest.approx(1.0)
    assert grade(question, f"{day:%B} {day.day}, {day.year}").score == pytest.approx(1.0)
    if other != day:
        assert grade(question, f"{other:%B} {other.day}, {other.year}").score == 0.0


def _number(row, value):
    from assay.memory_eval import Answer, Dimension, Question

    answer = Answer(AnswerType.number, value)
    return Question("q", "c", row["text"], str(value), answer, (1,), (Dimension.factual_accuracy,))


def _day(value):
    from assay.memory_eval import Answer, Dimension, Question

    answer = Answer(AnswerType.date, value)
    return Question("q", "c", "When was it?", value, answer, (1,), (Dimension.factual_accuracy,))
