"""Percentiles, scores and how well they rank."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.validators.report.model import RiskLevel
from assay.validators.risk.likelihood.evaluate import NUM_STRATA, auc, same_size_auc
from assay.validators.risk.likelihood.model import (
    BINARY,
    COUNTED,
    NAMES,
    WINDOW,
    Scorer,
    Window,
    shipped_model,
)

SMALL = dict(zip(NAMES, (1, 0, 0, 1, 4, 0, 0, 0, 0), strict=True))
LARGE = dict(zip(NAMES, (900, 90, 400, 300, 32, 9, 50, 1, 1), strict=True))


@given(st.lists(st.integers(0, 20), max_size=40), st.integers(0, 20))
def test_a_percentile_counts_what_is_below_and_half_of_what_is_equal(values: list[int], asked: int) -> None:
    window = Window()
    for value in values:
        window.add(value)
    halves = sum((value < asked) + (value <= asked) for value in values)
    assert window.percentile(asked) == pytest.approx(50 * halves / len(values) if values else 50)


def test_a_window_forgets_what_is_older() -> None:
    window = Window()
    for value in range(WINDOW + 10):
        window.add(value)
    assert len(window) == WINDOW
    assert window.percentile(9.5) == 0


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), max_size=30))
def test_auc_is_the_share_of_pairs_in_order(rows: list[tuple[bool, int]]) -> None:
    pairs = [(a, b) for (t, a), (f, b) in product(rows, rows) if t and not f]
    won = sum(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs)
    expected = won / len(pairs) if pairs else 0.5
    assert auc([truth for truth, _ in rows], [float(score) for _, score in rows]) == pytest.approx(expected)


def test_within_equal_sizes_size_is_worth_nothing() -> None:
    sizes = [float(at) for at in range(20 * NUM_STRATA)]
    truth = [at >= 10 * NUM_STRATA for at in range(20 * NUM_STRATA)]
    assert auc(truth, sizes) == 1.0
    assert same_size_auc(truth, [-size for size in sizes], sizes) == 0.5
    mixed = [at % 2 == 0 for at in range(20 * NUM_STRATA)]
    assert same_size_auc(mixed, [float(one) for one in mixed], sizes) == 1.0


def test_the_shipped_model_is_whole() -> None:
    model = shipped_model()
    assert set(model.weights) == {*COUNTED, *BINARY}
    assert all(weight > 0 for weight in model.weights.values())
    rates = [model.rates[level].share for level in RiskLevel]
    assert rates == sorted(rates)
    assert rates[3] > 9 * rates[0]
    assert list(model.quantiles) == sorted(model.quantiles)
    assert len(model.quantiles) == 101
    assert len(model.rollback_rates) == 4
    assert rates[1] < model.average < rates[2]


@pytest.mark.parametrize(
    ("percentile", "level"), [(0, "low"), (49.9, "low"), (50, "medium"), (80, "high"), (95, "critical")]
)
def test_levels_begin_at_their_percentiles(percentile: float, level: str) -> None:
    assert shipped_model().level(percentile) == level


def test_levels_by_size_follow_the_shipped_quantiles() -> None:
    model = shipped_model()
    percentiles = [model.percentile_of_size(added) for added in (0, model.quantiles[50], model.quantiles[80], 1e9)]
    assert [model.level(one) for one in percentiles] == ["low", "medium", "high", "critical"]
    assert percentiles[-1] == 100.0


def test_a_change_in_the_middle_scores_nothing() -> None:
    scorer = Scorer()
    for features in (SMALL, LARGE) * 60:
        scorer.add(scorer.score(features))
    middle = dict(zip(NAMES, (50, 5, 5, 5, 8, 4, 5, 0, 0), strict=True))
    assert scorer.score(middle).score == 0.0
    assert scorer.score(SMALL).score < 0 < scorer.score(LARGE).score


def test_a_score_is_the_sum_of_its_contributions() -> None:
    scorer = Scorer()
    for features in (SMALL, LARGE) * 60:
        scorer.add(scorer.score(features))
    small, large = scorer.score(SMALL), scorer.score(LARGE)
    assert large.score == pytest.approx(math.fsum(large.log_odds.values()))
    assert large.score > small.score
    assert small.percentile < 30 < large.percentile
    assert large.num_compared == 120
    told = [one.contribution for one in large.factors()]
    assert told == sorted(told, reverse=True)
