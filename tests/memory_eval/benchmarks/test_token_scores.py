"""LoCoMo's F1: its normalization, its stems, and what holds for any two texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.memory_eval.benchmarks.benchmark import contains_share, normalized, token_f1, token_f1_of_parts

texts = st.text(max_size=60) | st.lists(st.sampled_from("the a cats cat dying, news enjoys. 7 May".split())).map(
    " ".join
)


def test_normalization_drops_punctuation_articles_and_and():
    assert normalized("The  cat, and a DOG's tail!") == "cat dogs tail"


def test_the_score_is_that_of_shared_stems():
    assert token_f1("She adopted two dogs", "adopting dogs") == pytest.approx(2 * (2 / 4) * 1 / (2 / 4 + 1))
    assert token_f1("7 May, 2023", "7 May 2023") == 1.0
    assert token_f1("the", "the") == 0.0


def test_each_part_of_a_gold_is_compared_with_its_best_part():
    assert token_f1_of_parts("swimming, pottery", "pottery, swimming") == 1.0
    assert token_f1_of_parts("pottery", "pottery, swimming") == 0.5


@given(texts, texts)
def test_any_two_texts_have_a_score_and_order_does_not_matter(one: str, other: str):
    score = token_f1(one, other)
    assert 0.0 <= score <= 1.0
    assert score == pytest.approx(token_f1(other, one))
    assert 0.0 <= token_f1_of_parts(one, other) <= 1.0


@given(texts)
def test_a_text_agrees_with_itself_if_words_are_left(text: str):
    assert token_f1(text, text) == (1.0 if normalized(text) else 0.0)
    assert token_f1(text, "") == 0.0


@given(texts, st.lists(texts, min_size=1, max_size=4))
def test_what_is_contained_is_a_share(answer: str, golds: list[str]):
    assert 0.0 <= contains_share(answer, golds) <= 1.0
    assert contains_share(f"{' '.join(golds)} end", golds) == 1.0


def test_a_part_of_a_word_is_not_contained():
    assert contains_share("It was 120.", ["12"]) == 0.0
    assert contains_share("It was the 12.", ["12", "thirteen"]) == 0.5
