"""The sentence of a reviewer as a line of a style guide."""

from __future__ import annotations

import pytest

from assay.github_app.rule_matching.phrasebook import entries, known_rule
from assay.github_app.rule_matching.wording import imperative, is_imperative, stands_alone, style


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Hmm, could we please use `let else` here?", "Use `let else`"),
        ("I think we should default to `FxHashMap` here too.", "Default to `FxHashMap`"),
        ("nit: sort these", "Sort these"),
        ("How about using a `SmallVec`?", "Use a `SmallVec`"),
        ("It would be nice if we could avoid the clone.", "Avoid the clone"),
        ("`fs_err` instead of `std::fs` please", "`fs_err` instead of `std::fs`"),
        ("please", "please"),
        ("", ""),
    ],
)
def test_the_request_around_a_sentence_goes(said, text):
    assert imperative(said) == text


def test_a_long_sentence_is_cut_at_a_word():
    cut = imperative("use " + "word " * 100)
    assert len(cut) <= 240
    assert cut.endswith("word…")


def test_an_imperative_begins_with_a_verb_or_forbids():
    assert is_imperative("Use `x`")
    assert is_imperative("Don't log secrets")
    assert not is_imperative("This is wrong")


def test_what_points_elsewhere_does_not_stand_alone():
    assert stands_alone("Use `this.x` for fields")
    assert not stands_alone("Move this below the loop")
    assert style("Use `FxHashMap` for maps") > style("Maybe move this one there?")


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.rule[:40])
def test_each_phrasing_is_known_as_its_own_rule(entry):
    """A phrasing that two rules share, or that says too little, teaches nothing."""
    assert {said: known_rule(said) for said in entry.said} == dict.fromkeys(entry.said, entry.rule)


@pytest.mark.parametrize(
    "said",
    ["this docstring is wrong", "good test case", "why is there a comment", "", "remove the comment about tests"],
)
def test_what_only_mentions_a_thing_is_no_known_rule(said):
    assert known_rule(said) == ""
