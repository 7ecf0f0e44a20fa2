"""Intervals and p-values: right on cases worked out by hand, honest in the long run, the same every time."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.memory_eval.report.statistics import EXACT_UP_TO, deviation, interval_of, mean, permutation_p
from assay.memory_eval.seeded_random import Draws

scores = st.lists(st.floats(0, 1), min_size=5, max_size=40)


def test_means_and_deviations_of_what_is_known():
    assert mean([0.0, 1.0, 1.0, 0.0]) == 0.5
    assert mean([]) is None
    assert deviation([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]) == pytest.approx(2.138, abs=0.001)
    assert deviation([1.0]) is None


@pytest.mark.parametrize("groups", [[[]], [[0.5]], [[0.0, 1.0, 0.5, 0.2]], [[0.0, 1.0], [1.0], [0.0]]])
def test_of_fewer_than_five_values_nothing_is_said(groups: list[list[float]]):
    assert interval_of(groups) is None


@pytest.mark.parametrize(
    ("value", "num", "bounds", "low", "high"),
    [  # Clopper and Pearson's limits for none, or all, of n
        (0.0, 10, (0.0, 1.0), 0.0, 0.3085),
        (1.0, 20, (0.0, 1.0), 0.8316, 1.0),
        (0.0, 20, (-1.0, 1.0), -0.1684, 0.1684),
        (0.5, 20, (0.0, 1.0), 0.5 - 0.0842, 0.5 + 0.0842),
    ],
)
def test_values_that_are_all_the_same_are_not_known_to_the_last_digit(
    value: float, num: int, bounds: tuple[float, float], low: float, high: float
):
    found = interval_of([[value] * num], bounds=bounds)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)


@given(scores.filter(lambda values: min(values) < max(values)))
def test_an_interval_lies_between_the_least_and_the_greatest(values: list[float]):
    found = interval_of([values], num_resamples=50)
    assert found is not None
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9


def test_an_interval_is_as_wide_as_theory_has_it():
    """Of a share p over n questions the standard error is sqrt(p (1 - p) / n); the interval is 1.96 of it each way."""
    found = interval_of([[1.0] * 120 + [0.0] * 80])
    assert found is not None
    assert found.low == pytest.approx(0.6 - 1.96 * (0.24 / 200) ** 0.5, abs=0.015)
    assert found.high == pytest.approx(0.6 + 1.96 * (0.24 / 200) ** 0.5, abs=0.015)


def test_ninety_five_of_a_hundred_intervals_hold_the_truth():
    draws, held = Draws("coverage"), 0
    for _ in range(200):
        sample = [float(draws.chance(70)) for _ in range(60)]
        found = interval_of([sample], num_resamples=200)
        assert found is not None
        held += found.low <= 0.7 <= found.high
    assert 0.88 <= held / 200 <= 0.99


def test_seeds_that_differ_make_the_interval_wider():
    alike = interval_of([[0.0, 1.0] * 25, [0.0, 1.0] * 25, [0.0, 1.0] * 25, [0.0, 1.0] * 25])
    apart = interval_of([[0.0] * 50, [1.0] * 50, [0.0] * 50, [1.0] * 50])
    assert alike is not None
    assert apart is not None
    assert apart.high - apart.low > 3 * (alike.high - alike.low)


def test_the_order_of_questions_and_of_seeds_does_not_matter():
    assert interval_of([[0.0, 1.0, 0.5], [0.2, 0.9]]) == interval_of([[0.9, 0.2], [1.0, 0.5, 0.0]])


def test_the_same_figures_come_every_time():
    values = [[number / 7 % 1 for number in range(50)]]
    assert interval_of(values) == interval_of(values)


def test_few_pairs_are_tested_exactly():
    # All of n differences to one side: of 2^n signs two are as far out.
    assert permutation_p([0.5, 0.5, 0.5, 0.5]) == pytest.approx(2 / 2**4)
    assert permutation_p([1.0, -1.0]) == 1.0
    # Equal differences: the binomial sign test, two-sided.
    two_sided = 2 * sum(comb(10, number) for number in range(2)) / 2**10
    assert permutation_p([1.0] * 9 + [-1.0]) == pytest.approx(two_sided)


def test_without_any_difference_there_is_nothing_to_see():
    assert permutation_p([0.0] * 50) == 1.0
    assert permutation_p([]) is None


def test_many_pairs_are_drawn_and_never_impossible():
    clear = permutation_p([1.0] * 40)
    assert clear is not None
    assert 0 < clear < 0.001
    balanced = permutation_p([1.0, -1.0] * 20)
    assert balanced is not None
    assert balanced > 0.5


def test_drawing_agrees_with_trying_all():
    values = [0.1, 0.4, -0.2, 0.3, 0.25, -0.1, 0.5, 0.2, -0.3, 0.15, 0.05, 0.35]
    assert len(values) == EXACT_UP_TO
    exact = permutation_p(values)
    drawn = permutation_p([*values, 1e-12])
    assert exact is not None
    assert drawn == pytest.approx(exact, abs=0.02)
