"""Decide whether two comments or rules give the same advice: a calibrated score, and a verifier with a veto.

The score is a probability on pairs like those it was fitted on (docs/learning/comparing.md). Two rules are the same if
it reaches the cut; the verifier keeps refused pairs below the cut, whatever words they share.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.embedding.embedder import Embedder
from assay.github_app.rule_matching.canonical import CanonicalRule, canonical_rule
from assay.github_app.rule_matching.comment_text import CommentText
from assay.github_app.rule_matching.features import FEATURES, OPINIONS, Side, features, opinions, sides_of
from assay.github_app.rule_matching.lexicon import lexicon
from assay.github_app.rule_matching.network import HARDLY_MORE, alike
from assay.github_app.rule_matching.weights import calibration

REFUSED = 0.9
"""Maximum score of a refused pair, as a share of the cut."""

MOST_READ = 24
"""Maximum rules the network compares with one rule: those with the highest score without it."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """Similarity of two rules: `same` exactly if `score` (0..1) reaches the cut.

    `rule_a` and `rule_b` are None if a comment holds no reusable rule; then `same` is false and `score` 0.
    """

    same: bool
    score: float
    rule_a: CanonicalRule | None
    rule_b: CanonicalRule | None
    why: str


def compare(a: CommentText | CanonicalRule, b: CommentText | CanonicalRule, embedder: Embedder) -> Likeness:
    """Compare two comments or rules. Raises `EmbeddingUnavailable` if the embedder returns no answer."""
    return compare_all([(a, b)], embedder)[0]


def compare_all(
    pairs: Sequence[tuple[CommentText | CanonicalRule, CommentText | CanonicalRule]], embedder: Embedder
) -> list[Likeness]:
    """Compare many pairs with a single call of the embedder."""
    rules = [(_rule_of(a), _rule_of(b)) for a, b in pairs]
    sides = _sides([rule for pair in rules for rule in pair if rule is not None], embedder)
    return [_likeness(a, b, sides, embedder) for a, b in rules]


def nearest(
    rule: CommentText | CanonicalRule, rules: Sequence[CanonicalRule], embedder: Embedder, k: int = 5
) -> tuple[Likeness, ...]:
    """Return the `k` rules most similar to this one, best first; `rule_b` of each is that rule."""
    mine = _rule_of(rule)
    if mine is None:
        return ()
    sides = _sides([mine, *rules], embedder)
    numbers = [_numbers(sides[id(mine)], sides[id(other)], embedder) for other in rules]
    glances = list(map(_glance, numbers))
    likest = sorted(range(len(rules)), key=lambda place: (-glances[place], place))[: max(k, MOST_READ)]
    limit = cut(embedder.name)
    found = {place: _compare_sides(sides[id(mine)], sides[id(rules[place])], numbers[place], limit) for place in likest}
    return tuple(found[place] for place in sorted(found, key=lambda place: (-found[place].score, place))[:k])


def cut(embedder_name: str = "") -> float:
    """Return the score from which two rules are the same, for that embedder."""
    table = calibration()
    return float(table.get("cuts", {}).get(embedder_name, table["cut"]))


def _rule_of(one: CommentText | CanonicalRule) -> CanonicalRule | None:
    return one if isinstance(one, CanonicalRule) else canonical_rule(one)


def _sides(rules: Sequence[CanonicalRule], embedder: Embedder) -> Mapping[int, Side]:
    """Prepare each rule once, by identity: rules occur in several pairs, and embedding services charge per text."""
    there = {id(rule): rule for rule in rules}
    return dict(zip(there, sides_of(list(there.values()), embedder) if there else (), strict=True))


def _likeness(
    a: CanonicalRule | None, b: CanonicalRule | None, sides: Mapping[int, Side], embedder: Embedder
) -> Likeness:
    if a is None or b is None:
        which = "neither comment holds" if a is b else f"{'a' if a is None else 'b'} does not hold"
        return Likeness(False, 0.0, a, b, f"{which} a reusable rule")
    one, other = sides[id(a)], sides[id(b)]
    return _compare_sides(one, other, _numbers(one, other, embedder), cut(embedder.name))


def _compare_sides(a: Side, b: Side, numbers: Mapping[str, float], limit: float) -> Likeness:
    """Return the similarity of two rules from their features and the cut."""
    if _plain(a.rule) == _plain(b.rule) and a.rule.axis == b.rule.axis:
        return Likeness(True, 1.0, a.rule, b.rule, "the same words")
    score, refusal = _score(a.rule, b.rule, numbers, limit), refused(numbers)
    if refusal:
        score = min(score, REFUSED * limit)
    score = round(score, 4)
    return Likeness(score >= limit, score, a.rule, b.rule, refusal or _why(a, b, numbers))


def refused(numbers: Mapping[str, float]) -> str:
    """Return why the verifier refuses the pair; "" if it does not."""
    if numbers["axis_opposed"] >= 1 and numbers["axis_best"] < 1:
        return "they ask for the opposite"
    if numbers["antonyms"]:
        return "they name antonyms"
    if numbers["turned"] >= 0.3:
        return "the same words, swapped"
    if numbers["signs_opposed"] >= 0.75 and numbers["words_best"] >= 0.5 and numbers["axis_best"] < 1:
        return "one advises against what the other asks for"
    if numbers["scopes_apart"] and numbers["words"] < 0.5:
        return "they apply to different places"
    return ""


def _numbers(a: Side, b: Side, embedder: Embedder) -> Mapping[str, float]:
    return dict(zip(FEATURES, features(a, b, embedder), strict=True))


def _score(a: CanonicalRule, b: CanonicalRule, numbers: Mapping[str, float], limit: float) -> float:
    glance = _glance(numbers)
    # Most rules are unrelated: skip the network where it cannot change the result.
    if _combine(HARDLY_MORE, glance, numbers) < limit:
        return _combine(-HARDLY_MORE, glance, numbers)
    return _combine(alike(a.said or a.text, b.said or b.text), glance, numbers)


def _combine(opinion: float, glance: float, numbers: Mapping[str, float]) -> float:
    """Return the score, including the network's opinion."""
    weights = calibration()["weights"]
    said = zip(OPINIONS, opinions(opinion, numbers), strict=True)
    total = math.fsum([glance, *(weights[name] * number for name, number in said)])
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def _glance(numbers: Mapping[str, float]) -> float:
    """Return the log odds without the network's opinion."""
    table = calibration()
    return math.fsum([table["intercept"], *(table["weights"][name] * numbers[name] for name in FEATURES)])


def _why(a: Side, b: Side, numbers: Mapping[str, float]) -> str:
    shared = sorted(axis for axis in a.stances.keys() & b.stances.keys() if a.stances[axis] * b.stances[axis] > 0)
    if shared:
        best = max(shared, key=lambda axis: (min(abs(a.stances[axis]), abs(b.stances[axis])), axis))
        axis = lexicon().axes[best]
        return f"both: {axis.rule if a.stances[best] > 0 or not axis.opposite else axis.opposite}"
    if numbers["axis_apart"]:
        return "they ask for different things"
    return "similar wording" if numbers["words_best"] >= 0.5 else "little in common"


def _plain(rule: CanonicalRule) -> str:
    return " ".join((rule.said or rule.text).lower().split())
