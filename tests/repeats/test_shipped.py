"""What ships recognises repeats at least as well as docs/learning/repeats.md says."""

from __future__ import annotations

import pytest

from assay.github_app.advice import cut
from tests.repeats.alarms import alarms, rule_read, says_shipped
from tests.repeats.figures import Figures, figures_at
from tests.repeats.labelled import Split, comments_of, pairs_of
from tests.repeats.page import documented
from tests.repeats.peers import embedder, shipped

LEAST_PRECISION = 0.90
MOST_ALARMS = 0.05
ROUNDED = 0.0005
"""The page has three digits."""


def found(split: Split) -> Figures:
    pairs = pairs_of(split)
    return figures_at(cut(embedder().name), shipped(pairs), [pair.same for pair in pairs])


@pytest.mark.parametrize("split", Split)
def test_precision_and_recall_are_not_below_what_the_page_says(split: Split):
    figures, (precision, recall) = found(split), documented(split)
    assert (figures.precision.value or 0.0) >= precision - ROUNDED
    assert (figures.recall.value or 0.0) >= recall - ROUNDED


@pytest.mark.parametrize("split", Split)
def test_nine_of_ten_that_are_called_the_same_are(split: Split):
    assert (found(split).precision.value or 0.0) >= LEAST_PRECISION


@pytest.mark.parametrize("split", Split)
def test_comments_without_a_rule_are_hardly_ever_called_a_repeat(split: Split):
    assert (alarms(comments_of(split), says_shipped).value or 0.0) <= MOST_ALARMS


@pytest.mark.parametrize("split", Split)
def test_hardly_any_rule_is_seen_where_there_is_none(split: Split):
    empty = [comment for comment in comments_of(split) if not comment.holds_rule]
    assert (rule_read(empty).value or 0.0) <= MOST_ALARMS
