"""Decide whether two comments or rules give the same advice: a fitted score, and a verifier with a veto.

The score is a probability on pairs like those it was fitted on (docs/learning/comparing.md): the nearest comments of a
repository. Two rules are the same if it reaches `same`, and perhaps the same if it reaches `likely`.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.embedding.embedder import Embedder
from assay.github_app.rule_matching.canonical import CanonicalRule, canonical_rule
from assay.github_app.rule_matching.comment_text import CommentText
from assay.github_app.rule_matching.features import FEATURES, Side, features, opposed, sides_of, swapped
from assay.github_app.rule_matching.weights import calibration, weight_of

MOST_KEPT = 20_000
"""Maximum rules kept prepared: embedding services charge per text."""

OPPOSITE = "one advises against what the other asks for"
CONTRARY = "they name contraries"
SWAPPED = "the same words, swapped"
APART = "they ask to do different things"
_DISTINCT = frozenset(("add", "remove", "rename", "move", "update"))
_TURNED = 0.4
"""Share of the common words, by weight, from which advice for and against them is opposite."""

REFUSED = 0.9
"""Maximum score of a refused pair, as a share of the cut that it must not reach."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """Similarity of two rules: `same` and `likely` exactly if `score` (0..1) reaches their cuts.

    `rule_a` and `rule_b` are None if a comment holds no reusable rule; then both are false and `score` is 0. `opposed`
    is true if they name the same and ask for the opposite.
    """

    same: bool
    likely: bool
    score: float
    rule_a: CanonicalRule | None
    rule_b: CanonicalRule | None
    why: str
    opposed: bool = False


@dataclass(slots=True)
class Comparer:
    """Comparer of comments and rules, which keeps what it has prepared."""

    embedder: Embedder
    _kept: OrderedDict[tuple[str, str], Side] = field(default_factory=OrderedDict)

    def compare(self, a: CommentText | CanonicalRule, b: CommentText | CanonicalRule) -> Likeness:
        """Compare two comments or rules. Raises `EmbeddingUnavailable` if the embedder returns no answer."""
        return self.compare_all([(a, b)])[0]

    def compare_all(
        self, pairs: Sequence[tuple[CommentText | CanonicalRule, CommentText | CanonicalRule]]
    ) -> list[Likeness]:
        """Compare many pairs with a single call of the embedder."""
        rules = [(_rule_of(a), _rule_of(b)) for a, b in pairs]
        sides = iter(self.sides([rule for pair in rules for rule in pair if rule is not None]))
        prepared = [tuple(None if rule is None else next(sides) for rule in pair) for pair in rules]
        return [
            _none(*rules[place]) if a is None or b is None else likeness(a, b) for place, (a, b) in enumerate(prepared)
        ]

    def sides(self, rules: Sequence[CanonicalRule]) -> list[Side]:
        """Prepare rules, with a single call of the embedder for all that are not kept."""
        new = {_name(rule): rule for rule in rules if _name(rule) not in self._kept}
        if new:
            self._kept.update(zip(new, sides_of(list(new.values()), self.embedder), strict=True))
        found = [self._kept[_name(rule)] for rule in rules]
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return [
            side if side.rule == rule else replace(side, rule=rule) for side, rule in zip(found, rules, strict=True)
        ]


def likeness(a: Side, b: Side, weigh: Callable[[str], float] = weight_of) -> Likeness:
    """Return the similarity of two prepared rules, with the weights of words in their repository."""
    table = calibration()
    if _equal(a, b):
        return Likeness(True, True, 1.0, a.rule, b.rule, "the same advice in normal form")
    numbers = dict(zip(FEATURES, features(a, b, weigh), strict=True))
    score, refusal = score_of(numbers), refused(a, b, numbers)
    is_opposed = refusal in (OPPOSITE, CONTRARY, SWAPPED) and score >= table["likely"]
    if refusal:
        # Words that seem opposed can be a complaint: a person decides.
        score = min(score, REFUSED * table["same" if refusal in (OPPOSITE, APART) else "likely"])
    score = round(score, 4)
    is_same, is_likely = score >= table["same"], score >= table["likely"]
    return Likeness(is_same, is_likely, score, a.rule, b.rule, refusal or _why(a, b), is_opposed)


def score_of(numbers: Mapping[str, float]) -> float:
    """Return the score of a pair's features, by the fitted weights."""
    table = calibration()
    total = math.fsum([table["intercept"], *(table["weights"][name] * numbers[name] for name in FEATURES)])
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def refused(a: Side, b: Side, numbers: Mapping[str, float]) -> str:
    """Return why the verifier refuses the pair; "" if it does not."""
    if not numbers["shared"]:
        return "they share no object"
    if opposed(a, b):
        return CONTRARY
    if any(swapped(one.content, other.content) >= 0.3 for one in a.views for other in b.views):
        return SWAPPED
    if numbers["turned"] >= _TURNED:
        return OPPOSITE
    if (a.known and a.known == b.known_opposite) or (b.known and b.known == a.known_opposite):
        return OPPOSITE
    if a.known and b.known and a.known != b.known:
        return "they are different well-known rules"
    if all(_act_apart(one.actions, other.actions) for one in a.views for other in b.views):
        return APART
    return ""


def _act_apart(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two texts ask to do different things: one to add and the other to update something."""
    mine, theirs = one & _DISTINCT, other & _DISTINCT
    return bool(mine and theirs) and not mine & theirs


def _equal(a: Side, b: Side) -> bool:
    """Return whether two rules are equal in normal form: the same words, key or entry of the phrasebook."""
    if _plain(a.rule) == _plain(b.rule) or (a.known and a.known == b.known):
        return True
    return a.rule.key == b.rule.key and bool(a.rule.objects) and a.rule.polarity == b.rule.polarity


def _rule_of(one: CommentText | CanonicalRule) -> CanonicalRule | None:
    return one if isinstance(one, CanonicalRule) else canonical_rule(one)


def _name(rule: CanonicalRule) -> tuple[str, str]:
    return rule.text, rule.said


def _none(a: CanonicalRule | None, b: CanonicalRule | None) -> Likeness:
    which = "neither comment holds" if a is b else f"{'a' if a is None else 'b'} does not hold"
    return Likeness(False, False, 0.0, a, b, f"{which} a reusable rule")


def _why(a: Side, b: Side) -> str:
    words = {word for one in a.views for other in b.views for word in one.content.keys() & other.content.keys()}
    told = sorted(words, key=lambda word: (-weight_of(word), word))[:4]
    return f"both name {', '.join(told)}"


def _plain(rule: CanonicalRule) -> str:
    return " ".join((rule.said or rule.text).lower().split())
