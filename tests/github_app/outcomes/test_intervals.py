"""Intervals are those of the papers they come from, and hold what they should as often as they say."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.github_app.outcomes.metrics import intervals

rates = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    # Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_a_rate_s_interval_is_wilson_s(hits: int, n: int, low: float, high: float):
    found = intervals.of_rate(hits, n)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


def test_a_rate_of_nothing_has_no_interval():
    assert intervals.of_rate(0, 0) is None


@given(rates)
def test_a_rate_lies_in_its_interval_and_that_in_0_to_1(rate: tuple[int, int]):
    found = intervals.of_rate(*rate)
    assert found is not None
    assert 0 <= found.low <= rate[0] / rate[1] <= found.high <= 1


@pytest.mark.parametrize(
    ("after", "before", "low", "high"),
    # Newcombe 1998, "Interval estimation for the difference", table II, method 10: 56/70 - 48/80, and so on.
    [((56, 70), (48, 80), 0.0524, 0.3339), ((9, 10), (3, 10), 0.1705, 0.8090), ((10, 10), (0, 20), 0.6791, 1.0)],
)
def test_a_difference_s_interval_is_newcombe_s(
    after: tuple[int, int], before: tuple[int, int], low: float, high: float
):
    found = intervals.of_difference_of_rates(*before, *after)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


@given(rates, rates)
def test_a_difference_turned_round_has_its_interval_turned_round(one: tuple[int, int], other: tuple[int, int]):
    there, back = intervals.of_difference_of_rates(*one, *other), intervals.of_difference_of_rates(*other, *one)
    assert there is not None
    assert back is not None
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))


def test_a_lift_is_katz_s_and_stands_where_a_cell_is_empty():
    found = intervals.of_lift(30, 100, 10, 100)
    assert found is not None
    # exp(ln 3 -+ 1.96 * 0.33665), the root of 1/30 - 1/100 + 1/10 - 1/100.
    assert (found.low, found.high) == pytest.approx((1.5508, 5.8033), abs=5e-5)
    empty = intervals.of_lift(0, 30, 5, 30)
    assert empty is not None
    assert 0 < empty.low < empty.high
    assert intervals.of_lift(0, 30, 0, 30) is None
    assert intervals.of_lift(1, 1, 0, 0) is None


def test_a_mean_s_interval_is_the_same_in_any_order_and_every_time():
    chance = random.Random(1)
    values = [chance.expovariate(1 / 300) for _ in range(60)]
    again = values.copy()
    chance.shuffle(again)
    assert intervals.of_mean(values) == intervals.of_mean(again) is not None


def test_a_mean_s_interval_holds_the_truth_about_as_often_as_it_says():
    chance, held = random.Random(2), 0
    for _ in range(300):
        found = intervals.of_mean([chance.gauss(10, 3) for _ in range(40)])
        held += found is not None and found.low <= 10 <= found.high
    assert 0.90 <= held / 300 <= 0.98


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0, 3.0, 4.0], [7.0] * 30])
def test_few_values_and_values_all_the_same_have_no_interval(values: list[float]):
    assert intervals.of_mean(values) is None


def test_nothing_counted_at_all_is_poisson_s_three_and_a_bit():
    found = intervals.of_mean([0.0] * 30)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.0, 3.6889 / 30), abs=1e-5)


def test_a_ratio_draws_what_belongs_together_together():
    found = intervals.of_ratio([1, 2, 3, 4, 50], [10, 20, 30, 40, 5])
    assert found is not None
    assert found.low <= 60 / 105 <= found.high
    assert intervals.of_ratio([1, 2, 3, 4, 5], [10, 20, 30, 40, 50]) is None, "the same ratio everywhere"


def test_two_groups_that_differ_are_told_apart():
    before, after = [(float(n % 5), 1.0) for n in range(60)], [(float(n % 5) + 3, 1.0) for n in range(60)]
    found = intervals.of_difference_of_ratios(before, after)
    assert found is not None
    assert 2 < found.low < 3 < found.high < 4
    times = intervals.of_quotient_of_ratios(after, before)
    assert times is not None
    assert times.low < 2.5 < times.high
    assert intervals.of_difference_of_ratios(before[:4], after) is None
