"""The network that ships: what it is for, and that its answers depend on nothing but the comments."""

from __future__ import annotations

import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.embedding.embedder import EmbeddingUnavailable
from assay.github_app.rule_matching import network
from assay.github_app.rule_matching.network import BOUND, alike, holds_rule
from tests.examples import num_examples


@pytest.mark.parametrize(
    ("said", "again", "contrary"),
    [
        ("use early returns", "return early instead of nesting the rest", "one return at the end, no early returns"),
        ("please sort the imports", "imports in alphabetical order", "don't sort the imports, their order matters"),
        ("use early returns", "Please use early returns here", "don't use early returns"),
        ("please use explicit types instead of `any`", "Use explicit types here, not `any`", "`any` is fine, leave it"),
        ("keep this private", "nobody outside needs it, make it private", "make this public, others need it"),
    ],
)
def test_the_contrary_in_the_same_words_is_less_alike_than_the_same_in_others(said, again, contrary):
    assert alike(said, again) > alike(said, contrary)


def test_a_comment_that_asks_for_something_is_told_from_talk():
    talk = ["Thanks, that explains it.", "Restarted the job, the runner had no disk left.", "Fixed in the last push."]
    asking = ["close the file in a `finally`", "Every public function needs a docstring.", "no network in unit tests"]
    assert max(map(holds_rule, talk)) < min(map(holds_rule, asking))


def test_what_else_was_asked_and_which_comes_first_changes_nothing():
    first = alike("use a context manager", "open it in a `with` block")
    network._alike.cache_clear()
    alike("a much longer comment that is read before " * 5, "this one")
    assert alike("open it in a `with` block", "use a context manager") == first


@settings(max_examples=num_examples(15), deadline=None)
@given(st.text(max_size=400), st.text(max_size=400))
def test_any_two_texts_have_an_opinion_within_bounds(a, b):
    assert -BOUND <= alike(a, b) == alike(b, a) <= BOUND


def test_surrogates_and_endless_texts_are_read_as_far_as_they_are():
    began_at_s = time.process_time()
    assert -BOUND <= alike("\ud800 names \x00" + "word " * 200_000, "x" * 1_000_000) <= BOUND
    assert time.process_time() - began_at_s < 5


def test_without_what_runs_it_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    network._session.cache_clear()
    network._alike.cache_clear()
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EmbeddingUnavailable, match="onnxruntime"):
        alike("one", "another")
    network._session.cache_clear()
