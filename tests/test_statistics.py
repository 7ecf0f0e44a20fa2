"""Intervals, percentiles and p-values: those of the papers they come from, honest in the long run, always the same."""

from __future__ import annotations

import random
from collections.abc import Iterable
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.seeded_random import Draws
from assay.statistics import (
    EXACT_UP_TO,
    exact_test_of_pairs,
    interval_of_lift,
    interval_of_rate,
    interval_of_rate_difference,
    interval_of_ratio,
    interval_of_ratio_difference,
    interval_of_ratio_quotient,
    interval_of_scores,
    mean,
    percentile,
    permutation_p,
)

rates = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
scores = st.lists(st.floats(0, 1), min_size=5, max_size=40)


# ---------------------------------------------------------------- rates and ratios


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    # Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_a_rate_s_interval_is_wilson_s(hits: int, n: int, low: float, high: float):
    found = interval_of_rate(hits, n)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


def test_a_rate_of_nothing_has_no_interval():
    assert interval_of_rate(0, 0) is None


@given(rates)
def test_a_rate_lies_in_its_interval_and_that_in_0_to_1(rate: tuple[int, int]):
    found = interval_of_rate(*rate)
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
    found = interval_of_rate_difference(*before, *after)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


@given(rates, rates)
def test_a_difference_turned_round_has_its_interval_turned_round(one: tuple[int, int], other: tuple[int, int]):
    there, back = interval_of_rate_difference(*one, *other), interval_of_rate_difference(*other, *one)
    assert there is not None
    assert back is not None
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))


def test_a_lift_is_katz_s_and_stands_where_a_cell_is_empty():
    found = interval_of_lift(30, 100, 10, 100)
    assert found is not None
    # exp(ln 3 -+ 1.96 * 0.33665), the root of 1/30 - 1/100 + 1/10 - 1/100.
    assert (found.low, found.high) == pytest.approx((1.5508, 5.8033), abs=5e-5)
    empty = interval_of_lift(0, 30, 5, 30)
    assert empty is not None
    assert 0 < empty.low < empty.high
    assert interval_of_lift(0, 30, 0, 30) is None
    assert interval_of_lift(1, 1, 0, 0) is None


def means(values: Iterable[float]) -> list[tuple[float, float]]:
    """A mean as a ratio."""
    return [(value, 1.0) for value in values]


def test_a_mean_s_interval_is_the_same_in_any_order_and_every_time():
    chance = random.Random(1)
    values = [chance.expovariate(1 / 300) for _ in range(60)]
    again = values.copy()
    chance.shuffle(again)
    assert interval_of_ratio(means(values)) == interval_of_ratio(means(again)) is not None


def test_a_mean_s_interval_holds_the_truth_about_as_often_as_it_says():
    chance, held = random.Random(2), 0
    for _ in range(300):
        found = interval_of_ratio(means(chance.gauss(10, 3) for _ in range(40)))
        held += found is not None and found.low <= 10 <= found.high
    assert 0.90 <= held / 300 <= 0.98


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0, 3.0, 4.0], [7.0] * 30])
def test_few_values_and_values_all_the_same_have_no_interval(values: list[float]):
    assert interval_of_ratio(means(values)) is None


def test_nothing_counted_at_all_is_poisson_s_three_and_a_bit():
    found = interval_of_ratio(means([0.0] * 30))
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.0, 3.6889 / 30), abs=1e-5)


def test_a_ratio_draws_what_belongs_together_together():
    found = interval_of_ratio([(1, 10), (2, 20), (3, 30), (4, 40), (50, 5)])
    assert found is not None
    assert found.low <= 60 / 105 <= found.high
    assert interval_of_ratio([(1, 10), (2, 20), (3, 30), (4, 40), (5, 50)]) is None, "the same ratio everywhere"


def test_two_groups_that_differ_are_told_apart():
    before, after = [(float(n % 5), 1.0) for n in range(60)], [(float(n % 5) + 3, 1.0) for n in range(60)]
    found = interval_of_ratio_difference(before, after)
    assert found is not None
    assert 2 < found.low < 3 < found.high < 4
    times = interval_of_ratio_quotient(after, before)
    assert times is not None
    assert times.low < 2.5 < times.high
    assert interval_of_ratio_difference(before[:4], after) is None


# ---------------------------------------------------------------- scores


def test_a_mean_is_of_what_is_known():
    assert mean([0.0, 1.0, 1.0, 0.0]) == 0.5
    assert mean([]) is None


@pytest.mark.parametrize("groups", [[[]], [[0.5]], [[0.0, 1.0, 0.5, 0.2]], [[0.0, 1.0], [1.0], [0.0]]])
def test_of_fewer_than_five_values_nothing_is_said(groups: list[list[float]]):
    assert interval_of_scores(groups) is None


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
    found = interval_of_scores([[value] * num], bounds=bounds)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)


@given(scores.filter(lambda values: min(values) < max(values)))
def test_an_interval_lies_between_the_least_and_the_greatest(values: list[float]):
    found = interval_of_scores([values], num_resamples=50)
    assert found is not None
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9


def test_an_interval_is_as_wide_as_theory_has_it():
    """Of a share p over n questions the standard error is sqrt(p (1 - p) / n); the interval is 1.96 of it each way."""
    found = interval_of_scores([[1.0] * 120 + [0.0] * 80])
    assert found is not None
    assert found.low == pytest.approx(0.6 - 1.96 * (0.24 / 200) ** 0.5, abs=0.015)
    assert found.high == pytest.approx(0.6 + 1.96 * (0.24 / 200) ** 0.5, abs=0.015)


def test_ninety_five_of_a_hundred_intervals_hold_the_truth():
    draws, held = Draws("coverage"), 0
    for _ in range(200):
        sample = [float(draws.chance(70)) for _ in range(60)]
        found = interval_of_scores([sample], num_resamples=200)
        assert found is not None
        held += found.low <= 0.7 <= found.high
    assert 0.88 <= held / 200 <= 0.99


def test_seeds_that_differ_make_the_interval_wider():
    alike = interval_of_scores([[0.0, 1.0] * 25, [0.0, 1.0] * 25, [0.0, 1.0] * 25, [0.0, 1.0] * 25])
    apart = interval_of_scores([[0.0] * 50, [1.0] * 50, [0.0] * 50, [1.0] * 50])
    assert alike is not None
    assert apart is not None
    assert apart.high - apart.low > 3 * (alike.high - alike.low)


def test_the_order_of_questions_and_of_seeds_does_not_matter():
    assert interval_of_scores([[0.0, 1.0, 0.5], [0.2, 0.9]]) == interval_of_scores([[0.9, 0.2], [1.0, 0.5, 0.0]])


def test_the_same_figures_come_every_time():
    values = [[number / 7 % 1 for number in range(50)]]
    assert interval_of_scores(values) == interval_of_scores(values)


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


@pytest.mark.parametrize(
    ("values", "per_cent", "expected"),
    [([], 50, None), ([3.0], 95, 3.0), ([1.0, 2.0, 3.0, 4.0], 50, 2.5), ([4.0, 1.0, 3.0, 2.0, 5.0], 95, 4.8)],
)
def test_a_percentile_lies_between_its_neighbours(values, per_cent, expected):
    found = percentile(values, per_cent)
    assert found == expected if expected is None else found == pytest.approx(expected)


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0, 100))
def test_a_percentile_is_never_outside_its_values(values, per_cent):
    assert min(values) <= (percentile(values, per_cent) or 0.0) <= max(values) + 1e-6


@pytest.mark.parametrize(
    ("lost", "gained", "p_value"),
    [(0, 0, 1.0), (5, 0, 0.0625), (6, 0, 0.03125), (10, 2, 0.03857421875), (3, 3, 1.0), (2000, 1000, 0.0)],
)
def test_pairs_are_compared_exactly(lost: int, gained: int, p_value: float):
    assert exact_test_of_pairs(lost, gained) == pytest.approx(p_value)
    assert exact_test_of_pairs(gained, lost) == pytest.approx(p_value)
