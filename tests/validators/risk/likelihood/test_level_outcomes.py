"""Outcomes by level: what was known before a change shifts the rate it is given, and nothing else does."""

from __future__ import annotations

import random

import pytest

from assay.validators.report.model import RiskLevel
from assay.validators.risk.likelihood.calibration import SHIFT_FROM, log_odds_of, probability
from assay.validators.risk.likelihood.level_outcomes import LevelOutcome, calibrate_levels
from assay.validators.risk.likelihood.model import shipped_model


def _outcomes(count: int, shift: float, repository: str = "octo/shop", lag: float = 3.0) -> list[LevelOutcome]:
    """Return outcomes, one a second, whose rates are the shipped ones shifted in log-odds."""
    draw, found = random.Random(3), []
    for at in range(count):
        level = draw.choice(list(RiskLevel))
        chance = probability(log_odds_of(shipped_model().rates[level].share) + shift)
        found.append(LevelOutcome(repository, at, at + lag, level, draw.random() < chance))
    return found


def test_rates_that_do_not_fit_are_mended_by_the_outcomes_before() -> None:
    found = calibrate_levels(_outcomes(800, -1.5))
    assert found.error_shipped is not None
    assert found.error_shifted is not None
    assert found.error_shipped > 0.08
    assert found.error_shifted < 0.04
    assert sum(one.shifted.num for one in found.reliability.values()) == 800 - SHIFT_FROM - 2


@pytest.mark.parametrize("lag", [3.0, 1e6])
def test_too_few_outcomes_shift_nothing(lag: float) -> None:
    few = [*_outcomes(SHIFT_FROM, 2.0, lag=lag), *_outcomes(SHIFT_FROM, 2.0, "octo/till", lag=lag)]
    found = calibrate_levels(few)
    assert (found.num, found.most) == (2 * SHIFT_FROM, SHIFT_FROM)
    assert found.reliability == {}
    assert found.error_shifted is None


def test_the_order_they_come_in_is_that_of_time() -> None:
    outcomes = _outcomes(200, -1.0)
    mixed = random.Random(1).sample(outcomes, len(outcomes))
    assert calibrate_levels(mixed).error_shifted == pytest.approx(calibrate_levels(outcomes).error_shifted)
    assert calibrate_levels(mixed).lift == calibrate_levels(outcomes).lift
