"""What ships recognises repeats at least as well as docs/learning/repeats.md says."""

from __future__ import annotations

import pytest

from assay.github_app.rule_matching import cut
from tests.repeats.alarms import alarms, rule_read, says_shipped
from tests.repeats.figures import Figures, figures_at
from tests.repeats.labelled import Split, comments_of, pairs_of
from tests.repeats.page import documented, documented_misreadings
from tests.repeats.peers import embedder, shipped

TOLERANCE = 0.02
"""Another machine adds up in another order: that may turn a pair or two."""
LEAST_PRECISION = 0.90
MOST_ALARMS = 0.05


SPLITS = [pytest.param(split, marks=() if split is Split.test else pytest.mark.soak) for split in Split]


def found(split: Split) -> Figures:
    pairs = pairs_of(split)
    return figures_at(cut(embedder().name), shipped(pairs), [pair.same for pair in pairs])


@pytest.mark.soak
@pytest.mark.parametrize("split", SPLITS)
def test_precision_and_recall_are_not_below_what_the_page_says(split: Split):
    figures, (precision, recall) = found(split), documented(split)
    assert (figures.precision.value or 0.0) >= precision - TOLERANCE
    assert (figures.recall.value or 0.0) >= recall - TOLERANCE


@pytest.mark.soak
def test_nine_of_ten_that_are_called_the_same_are_on_the_pairs_it_was_tuned_on():
    assert (found(Split.tuning).precision.value or 0.0) >= LEAST_PRECISION


@pytest.mark.soak
@pytest.mark.parametrize("split", SPLITS)
def test_comments_without_a_rule_are_hardly_ever_called_a_repeat(split: Split):
    assert (alarms(comments_of(split), says_shipped).value or 0.0) <= MOST_ALARMS


@pytest.mark.parametrize("split", SPLITS)
def test_rules_are_seen_where_there_are_none_no_more_often_than_the_page_says(split: Split):
    empty = [comment for comment in comments_of(split) if not comment.holds_rule]
    assert (rule_read(empty).value or 0.0) <= documented_misreadings(split) + TOLERANCE
