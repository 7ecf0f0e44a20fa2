"""Precision, recall and the choice of a cut, by hand."""

from __future__ import annotations

from tests.repeats.figures import Share, best_cut, figures_at, precision_by_recall

SCORES = [0.9, 0.8, 0.7, 0.6, 0.0]
LABELS = [True, False, True, False, True]


def test_figures_at_a_cut():
    found = figures_at(0.7, SCORES, LABELS)
    assert (found.precision.num, found.precision.of, found.recall.num, found.recall.of) == (2, 3, 2, 3)
    assert round(found.f1, 3) == 0.667


def test_nothing_found_has_no_precision_and_no_recall():
    found = figures_at(1.01, SCORES, LABELS)
    assert (found.precision.value, found.recall.value, found.f1) == (None, 0.0, 0.0)


def test_the_best_cut_by_f1_and_by_a_wanted_precision():
    assert best_cut(SCORES, LABELS) == 0.7
    assert best_cut(SCORES, LABELS, precision=0.9) == 0.9
    assert best_cut(SCORES, [False] * 5, precision=0.9) is None


def test_the_curve_gives_the_best_precision_that_still_reaches_a_recall():
    curve = [(one.recall.num, one.precision.num, one.precision.of) for one in precision_by_recall(SCORES, LABELS)]
    assert curve == [(1, 1, 1), (2, 2, 3)]


def test_a_share_is_told_with_wilsons_interval():
    # 8 of 10: Wilson, 1927; the value every calculator gives.
    assert str(Share(8, 10)) == "0.800 (0.49 to 0.94)"
    assert str(Share(0, 0)) == "none"
