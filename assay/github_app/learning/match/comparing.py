"""Find the rule in a comment, and the stored rules that match or contradict it."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.github_app.learning.injection_screen import injection_sign
from assay.github_app.rule_matching import (
    CanonicalRule,
    CommentText,
    Comparer,
    Likeness,
    Polarity,
    RuleIndex,
    asked_for,
    assign,
    rule_from,
    starts_rule,
)
from assay.github_app.rule_matching.phrasebook import known_opposite, known_rule
from assay.github_app.store import CommentRow, RuleRow, RuleState
from assay.llm import ModelUnavailable

if TYPE_CHECKING:
    from assay.embedding.embedder import Embedder
    from assay.llm import LanguageModel

MOST_NEAREST = 10
MOST_SUGGESTED = 3
SUGGESTED = 0.05
"""Least score of a known rule that a comment is said to repeat perhaps."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reader:
    """Reader that extracts and compares rules; `model` words them, if given."""

    embedder: Embedder
    model: LanguageModel | None = None
    comparer: Comparer = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "comparer", Comparer(self.embedder))

    def read(self, comment: CommentRow, known: Sequence[RuleRow], threshold: float | None = None) -> Found:
        """Return the rule in a comment and the known rule it repeats.

        With a model, one call decides; suspected injections are never sent to it. The default `threshold` is the
        calibration. A contradicting rule never matches. A comment like a joined rule repeats the rule that one is
        joined into, which has to be in `known` too. Raises `EmbeddingUnavailable`.
        """
        text = CommentText(comment.body, comment.path, comment.diff_hunk)
        standing = _standing(known)
        known = [row for row in known if row.rule_id in standing]
        rule = asked_for(text)
        near = self._near(rule, known, standing) if rule is not None else []
        if self.model is not None and injection_sign(comment.body) is None:
            try:
                return self._by_model(self.model, text, [row for row, _ in near] or known, standing)
            except ModelUnavailable as error:
                _log.warning("a comment is read without the model: %s", error)
        if rule is None:
            return Found(None)
        near = [(standing[row.rule_id], one) for row, one in near]
        same = [pair for pair in near if (pair[1].same if threshold is None else pair[1].score >= threshold)]
        if same:
            row, likeness = min(same, key=lambda pair: (pair[0].state not in _HOLDING, -pair[1].score))
            return Found(rule, row, likeness.score)
        like: dict[str, float] = {}
        for row, one in near:
            if one.score >= SUGGESTED and row.state in _HOLDING:
                like.setdefault(row.rule_id, one.score)
        if not any(one.likely for _, one in near) and not starts_rule(rule):
            return Found(None)
        return Found(rule, like=tuple(like.items())[:MOST_SUGGESTED])

    def _near(
        self, rule: CanonicalRule, known: Sequence[RuleRow], standing: Mapping[str, RuleRow]
    ) -> list[tuple[RuleRow, Likeness]]:
        """Return the known rules nearest to one, of those that may be the same."""
        normal = {row.rule_id: canonical_of(row) for row in known}
        may_be = {rule_id: _may_be_same(rule, one) for rule_id, one in normal.items()}
        fit = [
            (row, normal[row.rule_id]) for row in known if may_be[row.rule_id] and may_be[standing[row.rule_id].rule_id]
        ]
        found = RuleIndex(self.comparer, [one for _, one in fit]).nearest(rule, MOST_NEAREST)
        return [(fit[place][0], likeness) for place, likeness in found]

    def _by_model(
        self,
        model: LanguageModel,
        text: CommentText,
        rows: Sequence[RuleRow],
        standing: Mapping[str, RuleRow],
    ) -> Found:
        rows = rows[:MOST_NEAREST]
        said = assign(model, text, [canonical_of(row) for row in rows])
        if said.rule is None:
            return Found(None)
        if said.place is None:
            return Found(said.rule)
        return Found(said.rule, standing[rows[said.place].rule_id], 1.0)


@dataclass(frozen=True, slots=True)
class Found:
    """Rule in a comment, None if it holds none, and the known rule that it repeats, with the score.

    `like` has the ids and scores of rules that it may repeat, for a person to decide.
    """

    rule: CanonicalRule | None
    same: RuleRow | None = None
    score: float | None = None
    like: tuple[tuple[str, float], ...] = ()


_HOLDING = (RuleState.confirmed, RuleState.pending)


def _standing(known: Sequence[RuleRow]) -> dict[str, RuleRow]:
    """Map each rule's id to the rule that its repeats count for: itself, or the one it is joined into."""
    rows = {row.rule_id: row for row in known}
    targets = {row.rule_id: row.joined_into or row.rule_id for row in known}
    return {rule_id: rows[target] for rule_id, target in targets.items() if target in rows}


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

    One forbids what the other asks for, each prefers what the other is against, or one is a well-known rule and the
    other its contrary. Only the normal forms decide; rules that merely sound opposed do not count.
    """
    if not _share_a_scope(one, other):
        return False
    if _is_contrary(one, other) or _is_contrary(other, one):
        return True
    objects = (_folded(one.objects), _folded(other.objects))
    if (one.polarity is Polarity.dont) != (other.polarity is Polarity.dont):
        return bool(objects[0]) and objects[0] == objects[1]
    over = (_folded(one.over), _folded(other.over))
    return all(over) and (over[0], over[1]) == (objects[1], objects[0])


def _is_contrary(one: CanonicalRule, other: CanonicalRule) -> bool:
    known = {known_rule(one.said), known_rule(one.text.removeprefix("Rule: "))} - {""}
    return bool(known & {known_opposite(other.said), known_opposite(other.text.removeprefix("Rule: "))})


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
