"""Find the rule in a comment, and the stored rules that it repeats or may repeat."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.github_app.learning.checks.linter_table import meant_by
from assay.github_app.rule_matching import CommentText, Nearest, StatedRule, asked_for, assign, is_nearly_equal, stated
from assay.github_app.rule_matching.comment_text import prose
from assay.github_app.rule_matching.negation import are_opposite
from assay.github_app.rule_matching.screen import unfit
from assay.github_app.store import CommentRow, RuleRow, RuleState
from assay.llm import ModelUnavailable

if TYPE_CHECKING:
    from assay.embedding.embedder import Embedder
    from assay.llm import LanguageModel

MOST_NEAREST = 10
MOST_SUGGESTED = 3
SUGGESTED = 0.1
"""Least similarity of a known rule that a comment is said to repeat perhaps; a person decides."""
_HOLDING = (RuleState.confirmed, RuleState.pending)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Found:
    """Rule in a comment, None if it holds none, and the known rule that it repeats, with the score.

    `like` has the ids and scores of rules that it may repeat, for a person to decide.
    """

    rule: StatedRule | None
    same: RuleRow | None = None
    score: float | None = None
    like: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Reader:
    """Reader that finds rules in comments; `model` words and assigns them, if given."""

    embedder: Embedder
    model: LanguageModel | None = None
    nearest: Nearest = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "nearest", Nearest(self.embedder))

    def read(self, comment: CommentRow, known: Sequence[RuleRow], threshold: float | None = None) -> Found:
        """Return the rule in a comment and the known rule it repeats.

        A comment repeats a rule if a model says so, if the texts are nearly equal or mean the same rule of a linter, or
        from `threshold` on. One like a
        joined rule repeats the rule that one is joined into, which has to be in `known` too. Raises
        `EmbeddingUnavailable`.
        """
        text = CommentText(comment.body, comment.path, comment.diff_hunk)
        standing = _standing(known)
        rule = asked_for(text)
        near = self._near(rule or stated(prose(comment.body)), [row for row in known if row.rule_id in standing])
        if self.model is not None and unfit(comment.body) is None:
            try:
                return self._by_model(self.model, text, [row for row, _ in near], standing)
            except ModelUnavailable as error:
                _log.warning("a comment is read without the model: %s", error)
        if rule is None:
            return Found(None)
        same = [pair for pair in near if _is_same(rule, *pair, threshold)]
        if same:
            row, score = min(same, key=lambda pair: (standing[pair[0].rule_id].state not in _HOLDING, -pair[1]))
            return Found(rule, standing[row.rule_id], score)
        like: dict[str, float] = {}
        for row, score in near:
            if score >= SUGGESTED and standing[row.rule_id].state in _HOLDING:
                like.setdefault(standing[row.rule_id].rule_id, round(score, 3))
        return Found(rule, like=tuple(like.items())[:MOST_SUGGESTED])

    def _near(self, rule: StatedRule, known: Sequence[RuleRow]) -> list[tuple[RuleRow, float]]:
        """Return the known rules nearest to one, of those for its language, best first."""
        fit = [row for row in known if row.language is None or rule.language in (None, row.language)]
        scores = zip(fit, self.nearest.scores(rule.said or rule.text, [row.text for row in fit]), strict=True)
        return sorted(scores, key=lambda pair: -pair[1])[:MOST_NEAREST]

    def _by_model(
        self, model: LanguageModel, text: CommentText, rows: Sequence[RuleRow], standing: Mapping[str, RuleRow]
    ) -> Found:
        said = assign(model, text, [rule_of_row(row) for row in rows])
        if said.rule is None or said.place is None:
            return Found(said.rule)
        return Found(said.rule, standing[rows[said.place].rule_id], 1.0)


def rule_of_row(row: RuleRow) -> StatedRule:
    """Return a stored rule as text."""
    return StatedRule(row.text, row.language, row.scope_paths, row.key, str(row.canonical.get("said", "")))


def _is_same(rule: StatedRule, row: RuleRow, score: float, threshold: float | None) -> bool:
    texts = (row.text, str(row.canonical.get("said", "")))
    said = rule.said or rule.text
    if any(is_nearly_equal(said, text, score) for text in texts if text):
        return True
    meant = None if rule.language is None else meant_by(said, rule.language)
    if meant is not None and meant == meant_by(row.text, rule.language):
        return not are_opposite(said, row.text)
    return threshold is not None and score >= threshold


def _standing(known: Sequence[RuleRow]) -> dict[str, RuleRow]:
    """Map each rule's id to the rule that its repeats count for: itself, or the one it is joined into."""
    rows = {row.rule_id: row for row in known}
    targets = {row.rule_id: row.joined_into or row.rule_id for row in known}
    return {rule_id: rows[target] for rule_id, target in targets.items() if target in rows}
