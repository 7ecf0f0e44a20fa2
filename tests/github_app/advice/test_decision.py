"""Same advice or not: the seed's pairs, opposites, and the labelled pairs with their floor."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from assay.github_app.rule_matching import CommentText, canonical_rule, compare, compare_all, cut, nearest
from assay.github_app.rule_matching.features import _antonyms, _contained, _letters, _num_own, _pairs, _signs_opposed
from assay.github_app.rule_matching.weights import weight_of
from tests.github_app.advice.conftest import labelled

SAME = [
    ("don't use any", "please use proper TypeScript types instead of any"),
    ("third copy of this code, DRY it up please", "extract this into a shared helper, it's duplicated"),
    ("magic number, make it a constant", "What's 86400? Give the value a name."),
    (
        "never glue user input into SQL, bind it",
        "Please use placeholders, this concatenation is an injection waiting to happen",
    ),
]
OTHER = [
    ("use early returns", "a function should have a single exit point, no early returns"),
    ("add a comment, this regex is not obvious", "drop the comment, the name of the regex already says so"),
    ("use PUT here, the client sends the whole object", "PATCH not PUT here"),
    ("set a timeout on this HTTP call", "log this HTTP call at debug level"),
    ("prefer f-strings in the log messages", "don't use f-strings for log messages, pass the arguments separately"),
    ("use Frobnicator rather than Gizmo", "use Gizmo rather than Frobnicator"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_the_same_advice_in_other_words_is_the_same(a, b, embedder):
    likeness = compare(CommentText(a), CommentText(b), embedder)
    assert likeness.same, likeness
    assert likeness.score >= cut()
    assert likeness.why.startswith("both: ")


@pytest.mark.parametrize(("a", "b"), OTHER)
def test_opposite_and_other_advice_is_never_the_same(a, b, embedder):
    likeness = compare(CommentText(a), CommentText(b), embedder)
    assert not likeness.same, likeness
    assert likeness.score < cut()


def test_without_a_rule_on_one_side_nothing_is_the_same(embedder):
    likeness = compare(CommentText("nit: this is redundant"), CommentText("nit: this is redundant"), embedder)
    assert (likeness.same, likeness.score, likeness.rule_a, likeness.rule_b) == (False, 0.0, None, None)
    assert "neither comment" in likeness.why
    assert "a does not hold" in compare(CommentText("LGTM"), CommentText("no magic numbers"), embedder).why


def test_a_stored_rule_is_compared_as_its_comment_was(embedder):
    a, b = (CommentText(text) for text in SAME[2])
    rule = canonical_rule(a)
    assert rule is not None
    assert compare(rule, b, embedder) == compare(a, b, embedder)


def test_the_nearest_come_first_and_no_more_than_asked_for(embedder):
    texts = ["sort the imports", "no magic numbers", "use early returns", "every public function needs a docstring"]
    rules = [rule for text in texts if (rule := canonical_rule(CommentText(text)))]
    found = nearest(CommentText("What's 86400? Give the value a name."), rules, embedder, k=2)
    assert len(found) == 2
    assert found[0].rule_b == rules[1]
    assert found[0].same
    assert found[0].score >= found[1].score
    assert nearest(CommentText("LGTM"), rules, embedder) == ()


class Counting:
    """The embedder that ships, with the texts it was asked for."""

    def __init__(self, embedder):
        self.name = embedder.name
        self.asked = []
        self._embedder = embedder

    def embed(self, texts):
        self.asked += texts
        return self._embedder.embed(texts)


def test_a_rule_that_is_held_against_many_is_embedded_once(embedder):
    texts = ["sort the imports", "no magic numbers", "use early returns"]
    rules = [rule for text in texts if (rule := canonical_rule(CommentText(text)))]
    counting = Counting(embedder)
    comment = "What's 86400? Give the value a name."
    found = nearest(CommentText(comment), rules, counting)
    assert found == nearest(CommentText(comment), rules, embedder)
    assert len(found) == 3
    assert counting.asked.count(comment) == 1


@pytest.mark.soak
def test_precision_and_recall_on_the_pairs_to_tune_on_do_not_fall(embedder):
    """The figures of docs/learning/comparing.md, with some air; the pairs to measure on are another test's."""
    rows = labelled("pairs_tuning.jsonl")
    found = compare_all([(CommentText(row["a"]), CommentText(row["b"])) for row in rows], embedder)
    told = [row for row, likeness in zip(rows, found, strict=True) if likeness.same]
    hits = [row for row in told if row["same"]]
    assert len(hits) / len(told) >= 0.90
    assert len(hits) / sum(row["same"] for row in rows) >= 0.50


# ------------------------------------------------------------------ features


def test_letters_are_parts_of_three_to_five():
    assert len(_letters(("sort",))) == 4 + 3 + 2
    assert sum(value * value for value in _letters(("sort", "import")).values()) == pytest.approx(1)


def test_words_that_only_one_text_advises_against_are_opposed():
    assert _signs_opposed({"any": -1, "type": 1}, {"any": 1, "type": 1}) == pytest.approx(
        weight_of("any") / (weight_of("any") + weight_of("type"))
    )
    assert _signs_opposed({"any": -1}, {"any": -1}) == 0
    assert _signs_opposed({"any": 1}, {"type": 1}) == 0


def test_antonyms_say_which_side_is_asked_for():
    place, (one, other) = next((place, pair) for place, pair in enumerate(_pairs()) if all(pair))
    first, second = min(one), min(other)
    assert _antonyms({first: 1})[place] == 1
    assert _antonyms({first: -1})[place] == -1
    assert _antonyms({second: 1})[place] == -1
    assert _antonyms({second: -1})[place] == 1
    assert _antonyms({}) == {}


def test_a_text_contains_another_with_the_same_verbs_and_polarity_only():
    def side(*verbs: str) -> Any:
        return SimpleNamespace(content=dict.fromkeys("abcdef", 1), verbs=frozenset(verbs))

    assert _contained(side("sort"), side("sort", "keep"), (1.0, 1.0), 0.0) == 1
    assert _contained(side(), side("sort"), (1.0, 1.0), 0.0) == 1
    assert _contained(side("sort"), side(), (1.0, 1.0), 0.0) == 1
    assert _contained(side("sort"), side("drop"), (1.0, 1.0), 0.0) == 0
    assert _contained(side("sort"), side("sort"), (1.0, 1.0), 1.0) == 0
    assert _contained(side("sort"), side("sort"), (1.0, 0.0), 0.0) == 0


def test_an_axis_is_a_rules_own_where_it_is_certain_and_the_other_silent():
    def side(**stances: float) -> Any:
        return SimpleNamespace(stances=stances)

    assert _num_own(side(no_any=1.0, logging=-1.5, naming=0.9, tests=2.0), side(tests=-1.0)) == 2
    assert _num_own(side(), side(tests=1.0)) == 0
