"""The labelled comments are what they are said to be."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations

import pytest

from tests.repeats.labelled import FOLDER, OTHER_KINDS, SAME_KINDS, Split, comments_of, pairs_of
from tests.tables import read_yaml

EVERY = [pair for split in Split for pair in pairs_of(split)]


def test_there_are_enough_pairs_and_half_of_them_say_the_same():
    assert len(EVERY) >= 400
    for split in Split:
        assert 0.45 <= sum(pair.same for pair in pairs_of(split)) / len(pairs_of(split)) <= 0.55


def test_no_topic_stands_in_tuning_and_test_and_no_comment_in_two_sets():
    topics = [{pair.topic for pair in pairs_of(split)} for split in (Split.tuning, Split.test)]
    texts = [{text.lower() for pair in pairs_of(split) for text in (pair.a, pair.b)} for split in Split]
    assert topics[0] & topics[1] == set()
    assert [one & other for one, other in combinations(texts, 2) if one & other] == []


def test_no_planted_repeat_was_fitted_to():
    texts = [
        {text for one in read_yaml(FOLDER / f"{name}_repeats.yaml") for text in (one["rule"], *one["comments"])}
        for name in ("planted", "written")
    ]
    assert len(texts[0]) == 250
    assert texts[0] & texts[1] == set()


def test_the_kind_of_a_pair_goes_with_its_label():
    assert [pair for pair in EVERY if pair.kind not in (SAME_KINDS if pair.same else OTHER_KINDS)] == []


def test_no_pair_stands_twice_and_none_is_the_same_text():
    counts = Counter(frozenset((pair.a, pair.b)) for pair in EVERY)
    assert [pair for pair, num in counts.items() if num > 1 or len(pair) == 1] == []


def test_links_lead_to_public_threads():
    links = [pair.link for pair in EVERY if pair.link is not None]
    assert len(links) >= 80
    assert [
        link for link in links if not re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/(pull|issues)/\d+", link)
    ] == []


@pytest.mark.parametrize("split", Split)
def test_there_are_enough_comments_with_a_rule_and_without(split: Split):
    assert sum(not comment.holds_rule for comment in comments_of(split)) >= 60
    assert sum(comment.holds_rule for comment in comments_of(split)) >= 30
