"""Strangers' patterns, matched where they can do no harm."""

from __future__ import annotations

import itertools
import re
import sys
import warnings
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.validators.io import process, regex_worker
from assay.validators.io.regex_worker import PatternMatches, PatternQuery, search
from tests.examples import num_examples


@pytest.mark.soak
def test_each_text_is_looked_through_by_itself_with_line_ends():
    [found] = search([PatternQuery(r"^foo(?!bar)$", ["a\nfoo\nfoobar", "foo", "no"])], 10)
    assert found == PatternMatches((((2, 5),), ((0, 3),), ()))


@pytest.mark.parametrize(
    ("pattern", "text", "why"),
    [
        (r"^(a+)+$", "a" * 5000 + "b", "took too long"),
        # Where memory is slow, time is over first.
        pytest.param(r"((a?){3000}){3000}b", "a" * 100_000, "memory|took too long", marks=pytest.mark.soak),
        pytest.param("(" * 5000 + "a" + ")" * 5000, "a", "memory", marks=pytest.mark.soak),
        (r"(", "a", "not a regular expression"),
    ],
)
def test_a_pattern_without_an_end_costs_only_itself(pattern: str, text: str, why: str):
    bad, good = search([PatternQuery(pattern, [text]), PatternQuery("b", ["ab"])], 30)
    assert bad.why_not is not None
    assert re.search(why, bad.why_not)
    assert good.matches == (((1, 2),),)


def test_a_text_without_an_end_costs_only_itself():
    slow = "a" * 60 + "!\n"
    pattern = r"print\(|^(a+)+$"
    [found] = search([PatternQuery(pattern, [slow, "print(1)", slow * 3, "x", "print(2)"])], 60)
    assert found.matches == (None, ((0, 6),), None, (), ((0, 6),))
    assert found.why_not is not None


def test_texts_without_an_end_cost_no_more_than_a_pattern_may(monkeypatch: pytest.MonkeyPatch):
    seconds = itertools.count()
    monkeypatch.setattr("time.process_time", lambda: next(seconds))
    tried: list[float] = []

    def limited(limit_s: float, work: Any) -> tuple[Any, str | None]:
        tried.append(limit_s)
        is_compiling = len(tried) == 1
        return (work(), None) if is_compiling else (None, "slow")

    monkeypatch.setattr(regex_worker, "_limited", limited)
    found = regex_worker._searched("a", ["a"] * 300)
    assert found == {"matches": [None] * 300, "why_not": "slow"}
    assert sum(limit_s > 0 for limit_s in tried[1:]) < regex_worker.SECONDS_PER_PATTERN


@pytest.mark.parametrize("limit_s", [0, -1])
def test_no_text_is_searched_without_time(limit_s: float):
    _, why_not = regex_worker._limited(limit_s, lambda: pytest.fail("it is searched"))
    assert why_not is not None


def test_a_child_that_dies_costs_the_pattern_it_was_at(monkeypatch: pytest.MonkeyPatch):
    dies_at_d = (
        "import os; from assay.validators.io import regex_worker as worker; searched = worker._searched; "
        "worker._searched = lambda pattern, texts: os._exit(1) if pattern == 'd' else searched(pattern, texts); "
        "worker.main()"
    )
    monkeypatch.setattr(process, "own_python", lambda _module: [sys.executable, "-c", dies_at_d])
    found = search([PatternQuery(pattern, ["abcd"]) for pattern in "adbdc"], 30)
    assert [each.matches for each in found] == [(((0, 1),),), (None,), (((1, 2),),), (None,), (((2, 3),),)]
    assert [each.why_not is None for each in found] == [True, False, True, False, True]


@pytest.mark.soak
def test_time_that_is_over_is_said():
    found = search([PatternQuery(r"^(a+)+$", ["a" * 5000 + "b"])] * 3, 1)
    assert all(each.why_not for each in found)


@pytest.mark.soak
def test_texts_that_are_no_unicode_are_searched_too():
    assert search([PatternQuery("b", ["\udcffb"])], 10)[0].matches == (((1, 2),),)


@given(st.text(alphabet="ab.*()[]|^$\n\\", max_size=12), st.lists(st.text(alphabet="ab\n", max_size=20), max_size=3))
@example("[[", [])
@settings(max_examples=num_examples(20), deadline=None)
def test_the_dialect_is_python_s_own(pattern: str, texts: list[str]):
    [found] = search([PatternQuery(pattern, texts)], 10)
    try:
        with warnings.catch_warnings():
            # `[[` and the like compile, with a word on what may become of them.
            warnings.simplefilter("ignore", FutureWarning)
            compiled = re.compile(pattern, re.MULTILINE)
    except re.error:
        assert found.why_not is not None
        return
    assert found.matches == tuple(tuple(match.span() for match in compiled.finditer(text)) for text in texts)
