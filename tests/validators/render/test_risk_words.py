"""What the report says of the likelihood, and what would lower it."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from assay.validators.render import markdown, terminal
from assay.validators.report.likelihood import LikelihoodFactor, ObservedRate, Rollback, RollbackFlag
from assay.validators.report.model import Likelihood, RiskAssessment, RiskFactor, RiskLevel
from assay.validators.risk.level import levelled
from tests.validators.render import sample


def _likely(level: RiskLevel = RiskLevel.high, percentile: float = 90.0, **parts: Any) -> str:
    """Return the report on a change whose level is its likelihood's."""
    likelihood = Likelihood(level, percentile, "model", parts.pop("num_compared", 500), **parts)
    risk = levelled(RiskAssessment(likelihood=likelihood))
    return markdown.render(dataclasses.replace(sample.sample(), risk=risk))


def test_a_change_without_source_is_compared_with_nothing():
    text = _likely(RiskLevel.low, 0.0, num_compared=0, note="changes no source code")
    assert "- Level set by: nothing, since no source code changed\n" in text
    assert "0 %" not in text
    assert "Why low" not in text


def test_the_level_of_a_part_is_given_unless_it_set_the_level():
    assert "- Level set by: likelihood (its score is above that of 90 % of" in _likely()
    floor = RiskFactor("guards", RiskLevel.critical, "critical because x")
    likelihood = Likelihood(RiskLevel.high, 90.0, "model", 500)
    risk = levelled(RiskAssessment(factors=(floor,), likelihood=likelihood))
    text = markdown.render(dataclasses.replace(sample.sample(), risk=risk))
    assert "- Level set by: policy (likelihood high: its score is above that of 90 % of" in text


@pytest.mark.parametrize(
    ("percentile", "place"),
    [
        (0.0, "below that of 99 %"),
        (11.4, "below that of 88 %"),
        (50.0, "above that of 50 %"),
        (100.0, "above that of 99 %"),
    ],
)
def test_the_place_of_a_change_says_what_is_above_what(percentile, place):
    assert f"its score is {place} of the last 500 source changes" in _likely(percentile=percentile)


def test_the_largest_four_contributions_are_listed():
    contributions = (0.1, -0.6, 0.5, 0.2, -0.3, 0.4)
    factors = tuple(LikelihoodFactor("calls", 1.0, 9.0, one, f"is f{one}") for one in contributions)
    listed = [line for line in _likely(factors=factors).splitlines() if " because it is f" in line]
    assert listed == [
        *("- lower because it is f-0.6", "- higher because it is f0.5"),
        *("- higher because it is f0.4", "- lower because it is f-0.3"),
    ]


@pytest.mark.parametrize(
    ("lines", "of_size", "of_history", "is_advised"),
    [
        *((50, 0.9, 0.1, True), (50, 0.1, 0.9, True), (50, -0.2, 0.9, False), (50, 0.0, 0.9, False)),
        (49, 0.9, 0.1, False),
    ],
)
def test_smaller_changes_are_advised_only_where_size_raises_the_level(lines, of_size, of_history, is_advised):
    parts = (("added", of_size), ("fixes", of_history))
    text = _likely(factors=tuple(LikelihoodFactor(name, lines, 9.0, one, "x") for name, one in parts))
    assert ("smaller changes" in text) is is_advised


@pytest.mark.parametrize(
    ("times", "words", "is_reason"),
    [
        (1.6, "1.6 times as often as average here", True),
        (1.04, "about as often as average here", True),
        (0.84, "less often than average here (0.8 times, n = 90)", False),
    ],
)
def test_a_rate_below_the_average_is_no_reason(times, words, is_reason):
    factor = LikelihoodFactor("added", 82.0, 81.0, 0.62, "adds 82 lines of code")
    other = LikelihoodFactor("fixes", 3.0, 81.0, 0.31, "edits files that fixes changed 3 times")
    text = _likely(factors=(factor, other), rate=ObservedRate(0.1, 90, times, "this repository"))
    assert f"Changes like this one needed a fix within a year {words}" in text
    (row,) = (line for line in text.splitlines() if line.startswith("| 🟠 |"))
    said = "the change adds 82 lines of code; edits files that fixes changed 3 times"
    assert ("needed a fix" in row, said in row) == (is_reason, not is_reason)


@pytest.mark.parametrize(("times", "is_shown"), [(1.22, False), (1.5, True)])
def test_rollback_flags_near_the_average_are_left_out(times, is_shown):
    rollback = Rollback((RollbackFlag("new_author", "by a new author"),), ObservedRate(0.01, 90, times, "x"))
    report = dataclasses.replace(sample.sample(), risk=RiskAssessment(rollback=rollback))
    for text in (terminal.render(report), markdown.render(report)):
        assert ("by a new author" in text) is is_shown
