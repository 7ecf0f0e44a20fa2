"""Calibration on outcomes, compared with brute force and with planted truths."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.statistics import interval_of_rate
from assay.validators.risk.likelihood import calibration
from assay.validators.risk.likelihood.calibration import (
    REFIT_FROM,
    RIDGE,
    SHIFT_FROM,
    SHIFT_LAST,
    Bin,
    Fit,
    Outcome,
    calibration_error,
    lifts,
    log_odds_of,
    probability,
    refit,
    reliability,
    shift_of,
)
from assay.validators.risk.likelihood.ranking import auc

OUTCOMES = st.lists(st.tuples(st.floats(-6, 6), st.booleans()), max_size=60)


def _loss(outcomes: Sequence[Outcome], shift: float, spread: float) -> float:
    chances = [(probability(log_odds + shift), fixed) for log_odds, fixed in outcomes]
    return shift**2 / (2 * spread**2) - sum(math.log(chance if fixed else 1 - chance) for chance, fixed in chances)


@given(st.lists(st.tuples(st.floats(-4, 4), st.booleans()), min_size=SHIFT_FROM, max_size=120), st.floats(0.3, 2))
@settings(max_examples=25)
def test_the_shift_is_the_most_probable_one(outcomes: list[Outcome], spread: float) -> None:
    shift, newest = shift_of(outcomes, spread), outcomes[-SHIFT_LAST:]
    least = _loss(newest, shift, spread)
    assert all(least <= _loss(newest, at / 10, spread) + 1e-9 for at in range(-50, 51))
    assert least <= min(_loss(newest, shift + step, spread) for step in (-1e-3, 1e-3))


@given(st.lists(st.tuples(st.floats(-6, 6), st.booleans()), max_size=SHIFT_FROM - 1))
def test_too_few_outcomes_shift_nothing(outcomes: list[Outcome]) -> None:
    assert shift_of(outcomes, 0.6) == 0.0


@given(OUTCOMES)
def test_bins_hold_every_outcome_once_in_order(outcomes: list[Outcome]) -> None:
    bins = reliability(outcomes)
    assert sum(one.num for one in bins) == len(outcomes)
    assert sum(one.hits for one in bins) == sum(fixed for _, fixed in outcomes)
    assert max((one.num for one in bins), default=0) - min((one.num for one in bins), default=0) <= 1
    total = math.fsum(one.num * one.predicted for one in bins)
    assert total == pytest.approx(math.fsum(probability(log_odds) for log_odds, _ in outcomes))
    assert [one.predicted for one in bins] == sorted(one.predicted for one in bins) or len(bins) < 2
    for one in bins:
        assert one.interval == interval_of_rate(one.hits, one.num)


@given(st.lists(st.tuples(st.integers(1, 50), st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=10))
def test_the_calibration_error_is_the_mean_distance_over_changes(rows: list[tuple[int, float, float]]) -> None:
    bins = [Bin(num, predicted, round(num * share)) for num, predicted, share in rows]
    distances = [abs(one.predicted - one.observed) for one in bins for _ in range(one.num)]
    assert calibration_error(bins) == pytest.approx(sum(distances) / len(distances))


def test_no_outcomes_have_no_calibration_error() -> None:
    assert calibration_error(reliability([])) is None


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=40))
def test_a_lift_is_a_share_divided_by_the_average(outcomes: list[tuple[str, bool]]) -> None:
    found, num_fixed = lifts(outcomes, "abcd"), sum(fixed for _, fixed in outcomes)
    assert found["d"].value is None
    for group in "abc":
        own = [fixed for name, fixed in outcomes if name == group]
        assert (found[group].num, found[group].hits) == (len(own), sum(own))
        if not own or not num_fixed:
            assert found[group].value is None
            continue
        value, between = found[group].value, found[group].interval
        assert value is not None
        assert between is not None
        assert value == pytest.approx(sum(own) / len(own) / (num_fixed / len(outcomes)))
        assert between.low <= value + 1e-12
        assert value <= between.high + 1e-12


@given(st.floats(-25, 25))
def test_log_odds_of_a_probability_are_its_inverse(log_odds: float) -> None:
    assert log_odds_of(probability(log_odds)) == pytest.approx(log_odds, abs=1e-3)


def test_a_wrong_intercept_is_mended_by_the_shift() -> None:
    draw, outcomes, shipped, shifted = random.Random(5), list[Outcome](), list[Outcome](), list[Outcome]()
    for _ in range(1500):
        log_odds = draw.gauss(-2, 1)
        fixed = draw.random() < probability(log_odds + 1.2)
        if len(outcomes) >= SHIFT_FROM:
            shipped.append((log_odds, fixed))
            shifted.append((log_odds + shift_of(outcomes, 0.6), fixed))
        outcomes.append((log_odds, fixed))
    before, after = (calibration_error(reliability(some)) for some in (shipped, shifted))
    assert before is not None
    assert after is not None
    assert before > 0.12
    assert after < 0.05


def _planted(count: int, seed: int) -> list[tuple[tuple[float, ...], bool]]:
    """Return changes of three inputs, of which the second alone decides; shipped weights know only the first."""
    draw, rows = random.Random(seed), list[tuple[tuple[float, ...], bool]]()
    for _ in range(count):
        inputs = (draw.random() - 0.5, draw.random() - 0.5, float(draw.random() < 0.2))
        rows.append((inputs, draw.random() < probability(3 * inputs[1] - 0.5)))
    return rows


SHIPPED = Fit(-1.5, (1.0, 0.0, 0.3))


def test_a_refit_finds_a_planted_feature() -> None:
    found = refit(_planted(2000, 1), SHIPPED, 0.6)
    assert found is not None
    assert found.weights[1] > 1.0
    assert found.intercept > SHIPPED.intercept
    fresh = _planted(1000, 2)
    truth = [fixed for _, fixed in fresh]
    shipped, fitted = (auc(truth, [fit.log_odds(inputs) for inputs, _ in fresh]) for fit in (SHIPPED, found))
    assert fitted > shipped + 0.1


@pytest.mark.parametrize("start", [None, Fit(4.0, (-9.0, 9.0, 9.0))])
def test_a_refit_is_the_optimum_wherever_it_starts(start: Fit | None) -> None:
    rows = _planted(1000, 3)
    found = refit(rows, SHIPPED, 0.6, start)
    assert found is not None
    # At the optimum the slope of likelihood and ridge is zero in every direction.
    errors = [fixed - probability(found.log_odds(inputs)) for inputs, fixed in rows]
    for at, (weight, shipped) in enumerate(zip(found.weights, SHIPPED.weights, strict=True)):
        slope = sum(error * inputs[at] for error, (inputs, _) in zip(errors, rows, strict=True))
        assert slope == pytest.approx(RIDGE * (weight - shipped), abs=1e-4)
    assert sum(errors) == pytest.approx((found.intercept - SHIPPED.intercept) / 0.6**2, abs=1e-4)


def test_too_few_fixed_changes_keep_the_shipped_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [((0.1, 0.2, 0.0), at < REFIT_FROM - 1) for at in range(1000)]
    assert refit(rows, SHIPPED, 0.6) is None
    monkeypatch.setattr(calibration, "REFIT_FROM", REFIT_FROM - 1)
    assert refit(rows, SHIPPED, 0.6) is not None
