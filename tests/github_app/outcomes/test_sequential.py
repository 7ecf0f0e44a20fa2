"""Tests that may be looked at all the time keep to their error, find what is there, and bound what they say."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.github_app.outcomes.experiments.sequential import (
    PRIORS,
    Randomisation,
    RunningMedian,
    _divergence,
    difference_at_every_look,
)
from tests.examples import sampled

Nature = Callable[[random.Random, bool, int], bool]


def wealth_of(chance: float, seen: Iterable[tuple[bool, bool]]) -> Randomisation:
    """Return the bet after these results (is the variant, ended well), in the order in which they arrived."""
    bet = Randomisation(chance)
    for is_variant, is_good in seen:
        bet.see(is_variant, is_good)
    return bet


def decided(num_runs: int, num_tasks: int, chance: float, nature: Nature, alpha: float, seed: int) -> float:
    """The share of simulated experiments that decide, when somebody looks after every task."""
    rng = random.Random(seed)
    num = 0
    for _ in range(num_runs):
        bet = Randomisation(chance)
        for task in range(num_tasks):
            is_variant = rng.random() < chance
            bet.see(is_variant, nature(rng, is_variant, task))
        num += bet.has_decided(alpha)
    return num / num_runs


def naive(num_runs: int, num_tasks: int, seed: int) -> float:
    """The same with the textbook's z-test at 5 %, looked at after every task from the twentieth."""
    rng = random.Random(seed)
    num = 0
    for _ in range(num_runs):
        hits, of = [0, 0], [0, 0]
        for task in range(num_tasks):
            arm = rng.random() < 0.5
            of[arm] += 1
            hits[arm] += rng.random() < 0.6
            if task >= 20 and all(of):
                pooled = sum(hits) / sum(of)
                error = math.sqrt(max(1e-12, pooled * (1 - pooled) * (1 / of[0] + 1 / of[1])))
                if abs(hits[1] / of[1] - hits[0] / of[0]) > 1.96 * error:
                    num += 1
                    break
    return num / num_runs


A_A: dict[str, Nature] = {
    "the same rate all the time": lambda rng, _v, _t: rng.random() < 0.6,
    "a rare end": lambda rng, _v, _t: rng.random() < 0.03,
    "everything got better half way": lambda rng, _v, task: rng.random() < (0.3 if task < 150 else 0.9),
    "days of bad luck": lambda rng, _v, task: rng.random() < (0.2 if task // 10 % 2 else 0.8),
    "everything ends well": lambda _rng, _v, _t: True,
}


@pytest.mark.parametrize("what", A_A)
@pytest.mark.parametrize("chance", sampled([0.5, 0.2], 1))
def test_two_equal_variants_are_seldom_told_apart_however_often_one_looks(what: str, chance: float):
    assert decided(300, 300, chance, A_A[what], 0.1, seed=len(what)) <= 0.1


def test_who_looks_at_a_plain_test_all_the_time_is_told_news_that_are_none():
    assert naive(300, 300, seed=5) > 0.2


@pytest.mark.soak
@pytest.mark.parametrize("what", A_A)
@pytest.mark.parametrize("alpha", [0.2, 0.05, 0.01])
def test_the_error_is_kept_over_many_experiments(what: str, alpha: float):
    share = decided(4000, 400, 0.5, A_A[what], alpha, seed=11)
    assert share <= alpha + 2 * math.sqrt(alpha * (1 - alpha) / 4000)


def test_a_difference_that_is_there_is_found():
    def nature(rng: random.Random, is_variant: bool, _task: int) -> bool:
        return rng.random() < (0.75 if is_variant else 0.5)

    assert decided(100, 400, 0.5, nature, 0.05, seed=3) > 0.9


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=60), st.floats(0.1, 0.9))
def test_what_was_won_is_the_ratio_of_the_mixture(seen: list[tuple[bool, bool]], chance: float):
    bet = wealth_of(chance, seen)
    bets = []
    for prior in PRIORS:
        won = 0.0
        for end in (True, False):
            group = [is_variant for is_variant, is_good in seen if is_good is end]
            num, all_ = sum(group), len(group)
            a, b = prior * chance, prior * (1 - chance)
            ends = ((a + num, b + all_ - num), (a, b))
            beta = [math.lgamma(x) + math.lgamma(y) - math.lgamma(x + y) for x, y in ends]
            won += beta[0] - beta[1] - num * math.log(chance) - (all_ - num) * math.log(1 - chance)
        bets.append(won)
    assert bet.log_wealth == pytest.approx(math.log(sum(map(math.exp, bets)) / len(bets)), abs=1e-8)
    assert 0 < bet.p_value <= 1


@given(st.floats(0.1, 0.9), st.booleans(), st.integers(0, 30), st.integers(0, 30))
def test_a_bet_is_fair_at_every_step(chance: float, is_good: bool, num: int, more: int):
    def after(is_variant: bool) -> float:
        bet = wealth_of(chance, [(True, is_good)] * num + [(False, is_good)] * more)
        before = bet.log_wealth
        bet.see(is_variant, is_good)
        return math.exp(bet.log_wealth - before)

    assert chance * after(True) + (1 - chance) * after(False) == pytest.approx(1)


def test_what_was_decided_stays_decided():
    bet = wealth_of(0.5, [(True, True), (False, False)] * 40)
    assert bet.has_decided(0.01)
    assert bet.direction == 1
    for _ in range(40):
        bet.see(True, False)
        bet.see(False, True)
    assert bet.log_wealth < 0
    assert bet.has_decided(0.01)
    assert bet.direction == 1


def test_how_many_tasks_it_would_take_is_told_where_something_shows():
    seen = [(True, True)] * 12 + [(False, True)] * 8 + [(True, False)] * 8 + [(False, False)] * 12
    random.Random(5).shuffle(seen)
    needed = wealth_of(0.5, seen).tasks_needed(0.05)
    assert needed is not None
    assert 100 < needed < 1000
    assert wealth_of(0.5, [(True, True), (False, True)] * 20).tasks_needed(0.05) is None
    assert Randomisation(0.5).tasks_needed(0.05) is None


def test_22_of_22_against_15_of_22_is_nearly_decided_and_needs_some_more():
    """Fisher's exact test, for a single look, has .009."""
    seen = [(True, True)] * 22 + [(False, True)] * 15 + [(False, False)] * 7
    random.Random(3).shuffle(seen)
    bet = wealth_of(0.5, seen)
    assert 0.05 < bet.p_value < 0.3
    needed = bet.tasks_needed(0.05)
    assert needed is not None
    assert 44 < needed < 100


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=60))
def test_more_tasks_are_needed_than_there_are_unless_it_is_decided(seen: list[tuple[bool, bool]]):
    bet = wealth_of(0.5, seen)
    needed = bet.tasks_needed(0.05)
    assert needed is None or (needed > len(seen)) is not bet.has_decided(0.05)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_the_bounds_of_a_difference_hold_what_was_seen(a: int, b: int, c: int, d: int):
    low, high = difference_at_every_look((a, c), (a + b, c + d), 0.05)
    assert -1 <= low <= high <= 1
    if a + b and c + d:
        assert low <= c / (c + d) - a / (a + b) <= high
    else:
        assert low < 0 < high


def test_bounds_close_in_and_mirror_each_other():
    wide, close = (difference_at_every_look((5 * n, 8 * n), (10 * n, 10 * n), 0.05) for n in (2, 40))
    assert close[0] > wide[0]
    assert close[1] < wide[1]
    assert close[0] > 0
    low, high = difference_at_every_look((8 * 40, 5 * 40), (400, 400), 0.05)
    assert (low, high) == pytest.approx((-close[1], -close[0]))
    assert difference_at_every_look((10**6, 10**6), (2 * 10**6, 2 * 10**6), 0.05) == pytest.approx((0, 0), abs=0.02)


@given(st.lists(st.integers(0, 9)))
def test_a_value_is_above_the_median_of_those_before_it(values: list[int]):
    median = RunningMedian()
    for i, value in enumerate(values):
        assert median.is_above(value) is (i > 0 and sum(one < value for one in values[:i]) * 2 > i)


def test_the_divergence_is_that_of_kullback_and_leibler():
    assert _divergence(0.5, 0.25) == pytest.approx(0.5 * math.log(2) + 0.5 * math.log(2 / 3))
    assert _divergence(1.0, 0.5) == pytest.approx(math.log(2))
    assert _divergence(0.0, 0.25) == pytest.approx(-math.log(0.75))
    assert _divergence(0.3, 0.3) == 0


def test_a_bet_knows_the_direction_once_both_sides_have_results():
    assert wealth_of(0.5, [(True, True)] * 3)._direction() == 0
    seen = [(True, True)] * 3 + [(True, False)] + [(False, True)] + [(False, False)] * 3
    assert wealth_of(0.5, seen)._direction() == pytest.approx(0.75 - 0.25)
    assert wealth_of(0.5, [(not is_variant, is_good) for is_variant, is_good in seen])._direction() == -0.5
