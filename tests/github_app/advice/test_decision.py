"""Same advice or not: by construction, by score, and never where one asks for the opposite."""

from __future__ import annotations

import pytest

from assay.github_app.rule_matching import CommentText, Comparer, Rarity, RuleIndex, asked_for, canonical_rule, stated
from assay.github_app.rule_matching.canonical import CanonicalRule, rule_of
from assay.github_app.rule_matching.features import _contraries_in, _letters, _pairs, swapped, turned
from assay.github_app.rule_matching.weights import calibration, weight_of
from tests.repeats.measuring import planted

SAME = [
    ("don't use any", "please use proper TypeScript types instead of any"),
    ("third copy of this code, DRY it up please", "extract this into a shared helper, it's duplicated"),
    ("magic number, make it a constant", "What's this number? Give the value a name."),
    ("no print, use the logger", "use logging instead of print()"),
    ("We should be using `FxHashSet` by default.", "Please use `FxHashSet` by default."),
    ("Can you add a comment why we do this?", "This needs a comment."),
]
OTHER = [
    ("add a comment, this regex is not obvious", "drop the comment, the name of the regex already says so"),
    ("use PUT here, the client sends the whole object", "PATCH not PUT here"),
    ("set a timeout on this HTTP call", "log this HTTP call at debug level"),
    ("prefer f-strings in the log messages", "don't use f-strings for log messages, pass the arguments separately"),
    ("use Frobnicator rather than Gizmo", "use Gizmo rather than Frobnicator"),
    ("please use tabs in this file", "please use spaces in this file"),
    ("the docstring is outdated, please update it", "please add a docstring to this function"),
]


@pytest.fixture
def comparer(embedder) -> Comparer:
    return Comparer(embedder)


@pytest.mark.parametrize(("a", "b"), SAME)
def test_the_same_advice_in_other_words_is_the_same(a, b, comparer):
    likeness = comparer.compare(CommentText(a), CommentText(b))
    assert likeness.same, likeness
    assert likeness.score >= calibration()["same"]


@pytest.mark.parametrize(("a", "b"), OTHER)
def test_opposite_and_other_advice_is_never_the_same(a, b, comparer):
    likeness = comparer.compare(CommentText(a), CommentText(b))
    assert not likeness.same, likeness
    assert likeness.score < calibration()["same"]


def test_equal_normal_forms_are_the_same_by_construction(comparer):
    one, other = canonical_rule(CommentText(SAME[3][0])), canonical_rule(CommentText(SAME[3][1]))
    assert one is not None
    assert other is not None
    assert one.key == other.key
    assert comparer.compare(one, other).score == 1


def test_without_a_rule_on_one_side_nothing_is_the_same(comparer):
    likeness = comparer.compare(CommentText("nit: this is redundant"), CommentText("nit: this is redundant"))
    assert (likeness.same, likeness.likely, likeness.score) == (False, False, 0.0)
    assert (likeness.rule_a, likeness.rule_b) == (None, None)
    assert comparer.compare(CommentText("LGTM"), CommentText("no magic numbers")).rule_b is not None


def test_a_stored_rule_is_compared_as_its_comment_was(comparer):
    a, b = (CommentText(text) for text in SAME[2])
    rule = canonical_rule(a)
    assert rule is not None
    assert comparer.compare(rule, b) == comparer.compare(a, b)


class Counting:
    """The embedder that ships, with the texts it was asked for."""

    def __init__(self, embedder):
        self.name = embedder.name
        self.asked = []
        self._embedder = embedder

    def embed(self, texts):
        self.asked += texts
        return self._embedder.embed(texts)


def rules(*texts: str) -> list[CanonicalRule]:
    return [rule for text in texts if (rule := canonical_rule(CommentText(text)))]


def test_the_nearest_come_first_and_no_more_than_asked_for(comparer):
    known = rules("please sort the imports", "no magic numbers please", "use early returns", "needs a docstring")
    index = RuleIndex(comparer, known)
    found = index.nearest(rules("What's this number? Give the value a name.")[0], k=2)
    assert len(index) == 4
    assert len(found) == 2
    assert found[0][1].rule_b == known[found[0][0]] == known[1]
    assert found[0][1].score >= found[1][1].score
    assert RuleIndex(comparer).nearest(known[0]) == []


def test_a_rule_that_is_held_against_many_is_embedded_once(embedder):
    counting = Counting(embedder)
    comparer = Comparer(counting)
    known = rules("please sort the imports", "no magic numbers please", "use early returns")
    asked = rules("do not import inside of functions please")[0]
    for _ in range(2):
        RuleIndex(comparer, known).nearest(asked, k=3)
    assert counting.asked.count(asked.said) == 1


def test_of_many_rules_one_with_a_rare_word_is_found(comparer):
    """Also where a hundred others are nearer in meaning."""
    known = [stated(f"Use `helper_{number}()` to open a file of kind {number}") for number in range(200)]
    known.append(stated("Queries on customers go through `withTenant()`"))
    asked = asked_for(CommentText("this needs `withTenant()`, please"))
    assert asked is not None
    found = RuleIndex(comparer, known).nearest(asked, k=1)
    assert found[0][0] == 200


def test_a_word_that_everybody_says_here_weighs_less_here():
    rarity = Rarity()
    assert rarity.weight_of("tenant") == weight_of("tenant")
    for number in range(400):
        rarity.add(["tenant"] if number % 2 else ["other"])
    assert rarity.weight_of("tenant") < 0.8 * weight_of("tenant")
    assert rarity.weight_of("unheard") > rarity.weight_of("tenant")


def test_planted_repeats_are_answered_for_their_own_rule_or_queued():
    """The figures of docs/learning/repeats.md, with some air."""
    found = planted()
    assert found.num == 200
    assert found.wrong == 0
    assert found.public >= 34
    assert found.queued >= 130
    assert found.contrary_in_public <= 7
    assert found.near_in_public <= 1


# ------------------------------------------------------------------ features


def test_letters_are_parts_of_three_to_five():
    assert len(_letters(("sort",))) == 4 + 3 + 2
    assert sum(value * value for value in _letters(("sort", "import")).values()) == pytest.approx(1)


def test_words_that_one_text_wants_and_the_other_does_not_are_turned():
    assert turned({"any": -1, "type": 1}, {"any": 1, "type": 1}) == pytest.approx(
        weight_of("any") / (weight_of("any") + weight_of("type"))
    )
    assert turned({"any": -1}, {"any": -1}) == 0
    assert turned({"any": -1}, {"any": 0}) == 0
    assert turned({"any": 1}, {"type": 1}) == 0


def test_preferences_are_swapped_where_each_rejects_what_the_other_wants():
    assert swapped({"gizmo": -1, "frobnic": 1}, {"gizmo": 1, "frobnic": -1}) == pytest.approx(1, abs=0.2)
    assert swapped({"gizmo": -1, "frobnic": 1}, {"gizmo": -1, "frobnic": 1}) == 0


def test_contraries_say_which_side_is_asked_for():
    place = next(at for at, (one, _) in enumerate(_pairs()) if "tab" in one)
    assert _contraries_in("use tabs")[place] == 1
    assert _contraries_in("don't use tabs")[place] == -1
    assert _contraries_in("use spaces")[place] == -1
    assert place not in _contraries_in("the tab bar is broken")


def test_a_wording_forbids_what_it_names_as_absent(comparer):
    """ "No `x`" as a rule is against x; "no tests" in a comment asks for them."""
    told = "No `SELECT *` in queries; list the columns"
    assert comparer.sides([stated(told)])[0].views[0].content["select"] == -1
    said = rule_of("no tests for the retry", None, "Rule: Cover new behavior with a test")
    assert comparer.sides([said])[0].views[1].content["test"] == -2
