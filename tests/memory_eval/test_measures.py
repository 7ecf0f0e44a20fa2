"""Time, length and calibration, against figures worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from assay.llm.prices import Price
from assay.memory_eval import EvalResult
from assay.memory_eval.report.measures import brier, expected_calibration_error, measured


def result(number: int, accuracy: float | None = 1.0, **more) -> EvalResult:
    given_ = {"answer_time_s": float(number), "confidence": None, **more}
    return EvalResult(f"q{number}", "c", accuracy, {"factual_accuracy": accuracy}, "", "", "", "", **given_)


def test_brier_is_the_mean_squared_distance():
    assert brier([]) is None
    assert brier([(1.0, True), (0.0, False)]) == 0
    assert brier([(0.8, True), (0.6, False)]) == pytest.approx((0.04 + 0.36) / 2)


def test_the_calibration_error_weighs_each_bin_by_what_fell_into_it():
    assert expected_calibration_error([]) is None
    # 0.95 said four times and right three times; 0.15 said once and wrong: (|3 - 3.8| + |0 - 0.15|) / 5
    pairs = [(0.95, True), (0.95, True), (0.95, True), (0.95, False), (0.15, False)]
    assert expected_calibration_error(pairs) == pytest.approx(0.19)


def test_the_edges_of_confidence_fall_into_the_outer_bins():
    assert expected_calibration_error([(0.0, False), (1.0, True), (0.1, True)]) == pytest.approx(0.9 / 3)


@given(some.lists(some.tuples(some.floats(0, 1), some.booleans()), min_size=1))
def test_calibration_is_between_nothing_and_one(pairs):
    for figure in (expected_calibration_error(pairs), brier(pairs)):
        assert figure is not None
        assert 0 <= figure <= 1 + 1e-9


def test_only_answers_that_came_are_measured():
    results = [
        result(1, confidence=0.9, tokens_in=10, tokens_out=1),
        result(2, accuracy=0.0, confidence=0.2, tokens_in=5),
        result(3, accuracy=None, confidence=0.7),
        result(60, accuracy=0.0, error="no answer in 60 s"),
        result(4, answer_time_s=None),
    ]
    found = measured(results, {"q1": 4, "q2": 8, "q3": 6}, [0.1, 0.3], {"bytes": 512, "entries": True, "other": 1})
    assert found["answer_p50_s"] == 2.0
    assert found["learn_p50_s"] == pytest.approx(0.2)
    assert (found["answer_words_mean"], found["tokens_in"], found["tokens_out"]) == (6.0, 15, 1)
    assert (found["store_bytes"], found["store_entries"]) == (512, None)
    assert found["num_with_confidence"] == 2
    assert found["brier"] == pytest.approx((0.01 + 0.04) / 2)
    assert found["num_failed_calls"] == 1


def test_tokens_and_cost_are_counted_for_each_correct_answer():
    results = [
        result(1, tokens_in=1000, tokens_out=100, context_tokens=800),
        result(2, accuracy=0.5, tokens_in=2000, tokens_out=100, context_tokens=1000),
        result(3, accuracy=0.4, tokens_in=3000, context_tokens=1800),
        result(4, accuracy=0.0, error="it broke", tokens_in=9000),
    ]
    price = Price(input=1.0, output=10.0, above_tokens=5000, above=Price(input=99.0, output=99.0))
    found = measured(results, {}, [0.1] * 4, {"bytes": 4096}, [0.2, 0.4, 0.6], price)
    assert (found["num_correct"], found["tokens_per_correct"]) == (2, 6200 / 2)
    assert found["cost_usd"] == pytest.approx((6000 * 1 + 200 * 10) / 1e6)
    assert found["cost_per_correct_usd"] == pytest.approx(0.004)
    assert (found["context_tokens_mean"], found["search_p50_s"], found["store_bytes_per_turn"]) == (1200.0, 0.4, 1024.0)
    none_right = measured([result(1, accuracy=0.0, tokens_in=5)], {}, [], {}, (), price)
    assert (none_right["tokens_per_correct"], none_right["cost_per_correct_usd"]) == (None, None)
    assert measured(results, {}, [], {})["cost_usd"] is None


def test_nothing_measured_is_none_and_not_zero():
    found = measured([], {}, [], {})
    counts = {"num_with_confidence", "num_failed_calls", "num_correct"}
    assert {name for name, value in found.items() if value is not None} == counts
