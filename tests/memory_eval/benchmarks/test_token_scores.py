"""LoCoMo's F1: its normalization, its stems, and what holds for any two texts."""

from __future__ import annotations

import pytest

from assay.memory_eval.benchmarks.benchmark import contains_share, normalized, token_f1, token_f1_of_parts


def test_normalization_drops_punctuation_articles_and_and():
    assert normalized("The  cat, and a DOG's tail!") == "cat dogs tail"


def test_the_score_is_that_of_shared_stems():
    assert token_f1("She adopted two dogs", "adopting dogs") == pytest.approx(2 * (2 / 4) * 1 / (2 / 4 + 1))
    assert token_f1("7 May, 2023", "7 May 2023") == 1.0
    assert token_f1("the", "the") == 0.0


def test_each_part_of_a_gold_is_compared_with_its_best_part():
    assert token_f1_of_parts("swimming, pottery", "pottery, swimming") == 1.0
    assert token_f1_of_parts("pottery", "pottery, swimming") == 0.5


def test_a_part_of_a_word_is_not_contained():
    assert contains_share("It was 120.", ["12"]) == 0.0
    assert contains_share("It was the 12.", ["12", "thirteen"]) == 0.5
