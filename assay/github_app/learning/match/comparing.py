"""Find the rule in a comment, and the stored rules that match or contradict it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.github_app.learning.injection_screen import injection_sign
from assay.github_app.rule_matching import (
    CanonicalRule,
    CommentText,
    Likeness,
    Polarity,
    canonical_rule,
    canonical_rule_by,
    nearest,
    rule_from,
)
from assay.github_app.rule_matching.lexicon import lexicon
from assay.github_app.rule_matching.stances import read
from assay.github_app.store import CommentRow, RuleRow, RuleState

if TYPE_CHECKING:
    from assay.embedding.embedder import Embedder
    from assay.llm import LanguageModel

MOST_NEAREST = 5


@dataclass(frozen=True, slots=True)
class Reader:
    """Reader that extracts and compares rules; `model` words them, if given."""

    embedder: Embedder
    model: LanguageModel | None = None

    def rule_in(self, comment: CommentRow) -> CanonicalRule | None:
        """Return the rule in a comment, or None. Suspected injections are never sent to a model."""
        text = CommentText(comment.body, comment.path, comment.diff_hunk)
        if self.model is None or injection_sign(comment.body) is not None:
            return canonical_rule(text)
        return canonical_rule_by(self.model, text)

    def same_as(
        self, rule: CanonicalRule, known: Sequence[RuleRow], threshold: float | None = None
    ) -> tuple[RuleRow, Likeness] | None:
        """Return the known rule with the same advice: most similar first, confirmed before others.

        The default `threshold` is the embedder's calibration. A contradicting rule never matches.
        """
        fit = [(row, one) for row in known if _may_be_same(rule, one := canonical_of(row))]
        if not fit:
            return None
        likest = nearest(rule, [one for _, one in fit], self.embedder, k=MOST_NEAREST)
        same = [one for one in likest if (one.same if threshold is None else one.score >= threshold)]
        pairs = [(row, one) for one in same for row, canonical in fit if canonical == one.rule_b]
        return min(pairs, key=lambda pair: (pair[0].state not in _HOLDING, -pair[1].score), default=None)


_HOLDING = (RuleState.confirmed, RuleState.pending)


def canonical_of(row: RuleRow) -> CanonicalRule:
    """Return the normal form of a stored rule, as far as it is known."""
    known = {"action": "", "objects": (), "over": (), **row.canonical}
    sure = {
        "text": row.text,
        "polarity": row.polarity,
        "language": row.language,
        "paths": row.scope_paths,
        "key": row.key,
    }
    return rule_from({**known, **sure})


def contradicts(one: CanonicalRule, other: CanonicalRule) -> bool:
    """Return whether two rules cannot both hold in one place.

    They take opposite sides of an axis, one forbids what the other asks for, or each prefers what the other is against.
    Only the normal forms decide; rules that merely sound opposed do not count.
    """
    if not _share_a_scope(one, other):
        return False
    if one.axis and one.axis.removeprefix("-") == other.axis.removeprefix("-"):
        return one.axis != other.axis
    if _take_opposite_sides(one, other):
        return True
    if one.axis and other.axis:
        return False
    objects = (_folded(one.objects), _folded(other.objects))
    if (one.polarity is Polarity.dont) != (other.polarity is Polarity.dont):
        return bool(objects[0]) and objects[0] == objects[1]
    over = (_folded(one.over), _folded(other.over))
    return all(over) and (over[0], over[1]) == (objects[1], objects[0])


def _take_opposite_sides(one: CanonicalRule, other: CanonicalRule) -> bool:
    """Return whether two comments take opposite sides of an axis in the lexicon and agree on none."""
    mine, theirs = (read(rule.said or rule.text).stances for rule in (one, other))
    products = {
        axis: mine[axis] * theirs[axis] for axis in mine.keys() & theirs.keys() if lexicon().axes[axis].opposite
    }
    sure = [side for axis, side in products.items() if min(abs(mine[axis]), abs(theirs[axis])) >= 1]
    return any(side < 0 for side in sure) and not any(side > 0 for side in sure)


def _may_be_same(one: CanonicalRule, other: CanonicalRule) -> bool:
    languages = {one.language, other.language} - {None}
    return len(languages) < 2 and not contradicts(one, other)


def _share_a_scope(one: CanonicalRule, other: CanonicalRule) -> bool:
    languages = {one.language, other.language} - {None}
    if len(languages) > 1:
        return False
    return not one.paths or not other.paths or bool(set(one.paths) & set(other.paths))


def _folded(words: Iterable[str]) -> frozenset[str]:
    return frozenset(" ".join(word.lower().split()) for word in words if word.strip())
