"""Whether two comments, or rules, give the same advice: a calibrated score, and a verifier that can only say no.

The score is a probability on pairs like those it was fitted on (docs/learning/comparing.md). Two pieces of advice are
the same where it reaches the cut; what the verifier refuses stays below the cut, whatever its words have in common.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from assay.embedding import Embedder
from assay.github_app.advice.canonical import CanonicalRule, canonical_rule
from assay.github_app.advice.comment_text import CommentText
from assay.github_app.advice.features import FEATURES, Side, features, sides_of
from assay.github_app.advice.lexicon import lexicon

REFUSED = 0.9
"""What is refused gets at most this share of the cut."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two pieces of advice are: `same` exactly where `score` (0..1) reaches the cut.

    `rule_a` and `rule_b` are None where a comment holds no reusable rule; then `same` is false and `score` 0.
    """

    same: bool
    score: float
    rule_a: CanonicalRule | None
    rule_b: CanonicalRule | None
    why: str


def compare(a: CommentText | CanonicalRule, b: CommentText | CanonicalRule, embedder: Embedder) -> Likeness:
    """How alike two comments or rules are. Raises `EmbeddingUnavailable` where the embedder has no answer."""
    return compare_all([(a, b)], embedder)[0]


def compare_all(
    pairs: Sequence[tuple[CommentText | CanonicalRule, CommentText | CanonicalRule]], embedder: Embedder
) -> list[Likeness]:
    """The same for many pairs, with one call of the embedder for all of them."""
    rules = [(_rule_of(a), _rule_of(b)) for a, b in pairs]
    # One rule may stand in many pairs; a service is paid for every text.
    there = {id(rule): rule for pair in rules for rule in pair if rule is not None}
    sides = dict(zip(there, sides_of(list(there.values()), embedder) if there else (), strict=True))
    return [_likeness(a, b, sides, embedder) for a, b in rules]


def nearest(
    rule: CommentText | CanonicalRule, rules: Sequence[CanonicalRule], embedder: Embedder, k: int = 5
) -> tuple[Likeness, ...]:
    """The `k` rules most like this one, best first; `rule_b` of each is the one it speaks of."""
    mine = _rule_of(rule)
    if mine is None:
        return ()
    found = compare_all([(mine, other) for other in rules], embedder)
    order = sorted(range(len(found)), key=lambda place: (-found[place].score, place))
    return tuple(found[place] for place in order[:k])


def cut(embedder_name: str = "") -> float:
    """From which score on two pieces of advice are the same, for that embedder."""
    table = _calibration()
    return float(table.get("cuts", {}).get(embedder_name, table["cut"]))


def _rule_of(one: CommentText | CanonicalRule) -> CanonicalRule | None:
    return one if isinstance(one, CanonicalRule) else canonical_rule(one)


def _likeness(
    a: CanonicalRule | None, b: CanonicalRule | None, sides: Mapping[int, Side], embedder: Embedder
) -> Likeness:
    if a is None or b is None:
        which = "neither comment holds" if a is b else f"{'a' if a is None else 'b'} does not hold"
        return Likeness(False, 0.0, a, b, f"{which} a reusable rule")
    if _plain(a) == _plain(b) and a.axis == b.axis:
        return Likeness(True, 1.0, a, b, "the same words")
    numbers = dict(zip(FEATURES, features(sides[id(a)], sides[id(b)], embedder), strict=True))
    score, limit = _score(numbers), cut(embedder.name)
    refusal = refused(numbers)
    if refusal:
        score = min(score, REFUSED * limit)
    score = round(score, 4)
    return Likeness(score >= limit, score, a, b, refusal or _why(sides[id(a)], sides[id(b)], numbers))


def refused(numbers: Mapping[str, float]) -> str:
    """Why the verifier says that this is not the same advice, "" where it does not."""
    if numbers["axis_opposed"] >= 1 and numbers["axis_best"] < 1:
        return "they ask for the opposite"
    if numbers["antonyms"]:
        return "they ask for contraries"
    if numbers["turned"] >= 0.3:
        return "the same words, turned round"
    if numbers["signs_opposed"] >= 0.75 and numbers["words_best"] >= 0.5 and numbers["axis_best"] < 1:
        return "one advises against what the other asks for"
    if numbers["scopes_apart"] and numbers["words"] < 0.5:
        return "they are meant for different places"
    return ""


def _score(numbers: Mapping[str, float]) -> float:
    table = _calibration()
    total = math.fsum([table["intercept"], *(table["weights"][name] * numbers[name] for name in FEATURES)])
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def _why(a: Side, b: Side, numbers: Mapping[str, float]) -> str:
    shared = sorted(axis for axis in a.stances.keys() & b.stances.keys() if a.stances[axis] * b.stances[axis] > 0)
    if shared:
        best = max(shared, key=lambda axis: (min(abs(a.stances[axis]), abs(b.stances[axis])), axis))
        axis = lexicon().axes[best]
        return f"both: {axis.rule if a.stances[best] > 0 or not axis.opposite else axis.opposite}"
    if numbers["axis_apart"]:
        return "they ask for different things"
    return "alike in their words" if numbers["words_best"] >= 0.5 else "little in common"


def _plain(rule: CanonicalRule) -> str:
    return " ".join((rule.said or rule.text).lower().split())


@cache
def _calibration() -> Mapping[str, Any]:
    table: Mapping[str, Any] = json.loads(
        files("assay.github_app.advice").joinpath("calibration.json").read_text("utf-8")
    )
    return table
