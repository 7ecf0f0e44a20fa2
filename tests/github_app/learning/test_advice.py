"""Comments that give advice which reviewers of any project give are put under it, and others are not."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.github_app.learning.extract.advice import advice, advice_in
from assay.github_app.rule_matching.screen import unfit
from tests.conftest import ROOT
from tests.tables import read_yaml

CASES: dict[str, Any] = read_yaml(ROOT / "tests/cases/learning/advice.yaml")
ASKED = [(rule, body) for rule, bodies in CASES["asks"].items() for body in bodies]


@pytest.mark.parametrize(("rule", "body"), ASKED)
def test_a_comment_is_put_under_the_advice_that_it_gives(rule: str, body: str):
    assert advice_in(body, "src/lib.rs") == rule


@pytest.mark.parametrize("body", CASES["none"])
def test_a_comment_that_only_mentions_the_words_is_put_under_none(body: str):
    assert advice_in(body, "src/lib.rs") == ""


def test_each_advice_of_any_language_has_a_case_and_may_stand_in_a_style_guide():
    assert {one.rule for one in advice() if one.language is None} == set(CASES["asks"])
    assert [one.rule for one in advice() if unfit(one.rule) is not None] == []


def test_advice_for_a_language_is_for_its_files_only():
    said = "nit: could use let-else"
    assert advice_in(said, "src/lib.rs") == "Use `let else` and `if let` instead of `unwrap` and nested `match`"
    assert advice_in(said, "src/lib.py") == ""


@given(st.text(max_size=2_000))
def test_any_text_is_read(body: str):
    assert advice_in(body) in {"", *(one.rule for one in advice())}


@pytest.mark.parametrize("punctuation", ["(", "'.-&!()", "().-", "`", ". "])
def test_no_text_takes_long(punctuation: str):
    """A pattern that can read one text in several ways takes exponential time on it."""
    began = time.process_time()
    advice_in("please add " + (punctuation * 130)[:125])
    assert time.process_time() - began < 2
