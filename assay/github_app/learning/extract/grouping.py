"""Group past comments by the rule they state: by their words, by a model one at a time, or by a model in batches.

In batches a comment cannot see the rules of the comments before it. So the model first says of each comment, without
any known rule, which rule it holds. The rules are grouped by their wordings, and the first comment of each group is
then sent once more with the nearest groups before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from assay.github_app.learning.extract.past_comments import PastComment
from assay.github_app.learning.injection_screen import injection_sign
from assay.github_app.rule_matching import (
    Assignment,
    CanonicalRule,
    CommentText,
    Comparer,
    Likeness,
    RuleIndex,
    assign,
    assign_all,
    starts_rule,
    stated,
)
from assay.github_app.rule_matching.canonical import rule_of
from assay.github_app.rule_matching.extraction import MOST_RULES
from assay.github_app.rule_matching.phrasebook import entries
from assay.llm import ModelUnavailable

if TYPE_CHECKING:
    from assay.llm import BatchModel, LanguageModel

JOINED = 0.5
"""Score from which a comment joins a candidate. A person reads candidates, so it is below the cut for alarms."""

MERGED = 0.55
"""Score from which two candidates have the same wording."""

_MEANT = 0.7
"""Score from which a comment means an entry of the phrasebook."""

SUSPECTED = "suspected_injection"
"""Reason for a comment that is never sent to a model."""

Said: TypeAlias = tuple[PastComment, CanonicalRule]
_Worded: TypeAlias = "tuple[Group, list[Group]]"
"""Group worded by a model, and the nearest groups before it."""


@dataclass(slots=True)
class Group:
    """Comments with their rules; `worded` is the wording of a model, which stands."""

    said: list[Said]
    contrary: list[PastComment] = field(default_factory=list)
    worded: str = ""

    def take(self, other: Group) -> None:
        """Take over the comments of another group."""
        self.said += other.said
        self.contrary += other.contrary


class Groups:
    """Groups of comments, built incrementally.

    `known` has the groups of well-known advice by its wording. `without_model` counts the comments that the model did
    not answer for, by reason.
    """

    def __init__(self, comparer: Comparer, model: LanguageModel | None = None) -> None:
        self.comparer = comparer
        self.without_model: Counter[str] = Counter()
        self._model = model
        self._index = RuleIndex(comparer)
        self._groups: list[Group] = []
        self.known: dict[str, Group] = {}

    @cached_property
    def _phrasings(self) -> RuleIndex:
        phrasings = [
            replace(stated(said), text=entry.rule) for entry in entries() for said in (entry.rule, *entry.said)
        ]
        return RuleIndex(self.comparer, phrasings)

    @property
    def found(self) -> list[Group]:
        """Other groups with comments."""
        return [group for group in self._groups if group.said]

    def add(self, comment: PastComment, rule: CanonicalRule) -> bool:
        """Add a comment to the group of its rule, or start one; False if it holds no rule."""
        if self._model is None:
            return self._add_by_words(comment, rule)
        if injection_sign(comment.body) is not None:
            self.without_model[SUSPECTED] += 1
            return self._add_by_words(comment, rule)
        near = self._index.nearest(rule, k=MOST_RULES)
        known = [self._groups[place].said[0][1] for place, _ in near]
        try:
            said = assign(self._model, _text_of(comment), known)
        except ModelUnavailable as error:
            self.without_model[error.why] += 1
            return self._add_by_words(comment, rule)
        if said.rule is None:
            return False
        if said.contrary is not None:
            self._groups[near[said.contrary][0]].contrary.append(comment)
        if said.place is not None:
            self._groups[near[said.place][0]].said.append((comment, said.rule))
        else:
            self._begin(comment, said.rule, worded=said.rule.text)
        return True

    def add_all(self, comments: Sequence[Said], model: BatchModel, progress: Callable[[int, int], None]) -> int:
        """Add all comments, with two batches of a model; return the number that hold no rule.

        Raises:
            ModelUnavailable: a batch cannot be sent or collected.
        """
        sent = [one for one in comments if injection_sign(one[0].body) is None]
        answers = dict(zip(map(id, sent), assign_all(model, [(_text_of(one), ()) for one, _ in sent]), strict=True))
        wordings, worded = RuleIndex(self.comparer), list[_Worded]()
        num_without_rule = 0
        for done, one in enumerate(comments, start=1):
            answer = answers.get(id(one))
            if isinstance(answer, Assignment):
                if answer.rule is None:
                    num_without_rule += 1
                else:
                    self._add_worded(one[0], answer.rule, wordings, worded)
            else:
                self.without_model[SUSPECTED if answer is None else answer.why] += 1
                num_without_rule += not self._add_by_words(*one)
            progress(done, len(comments))
        self._join(worded, model)
        return num_without_rule

    def _add_worded(
        self, comment: PastComment, rule: CanonicalRule, wordings: RuleIndex, worded: list[_Worded]
    ) -> None:
        """Add a comment to the group with the same wording by a model, or start one at the end of `worded`."""
        said = stated(rule.text)
        like = wordings.nearest(said, k=1)
        if like and is_same_wording(like[0][1]):
            worded[like[0][0]][0].said.append((comment, rule))
            return
        near = [self._groups[place] for place, _ in self._index.nearest(rule, k=MOST_RULES)]
        self._begin(comment, rule, worded=rule.text)
        worded.append((self._groups[-1], near))
        wordings.add([said])

    def _join(self, worded: Sequence[_Worded], model: BatchModel) -> None:
        """Join the groups worded by a model that it calls the same, each to an earlier one."""
        asked = [
            (group, near, _text_of(group.said[0][0]), [other.said[0][1] for other in near])
            for group, near in worded
            if near
        ]
        answers = assign_all(model, [(text, known) for _, _, text, known in asked])
        joined: dict[int, Group] = {}
        for (group, near, _, _), said in zip(asked, answers, strict=True):
            if isinstance(said, ModelUnavailable):
                self.without_model[said.why] += 1
                continue
            place = said.contrary if said.place is None else said.place
            if place is None:
                continue
            # The groups are in order, so the earlier one has already been joined to its own.
            target = joined.get(id(near[place]), near[place])
            if said.place is None:
                target.contrary.append(group.said[0][0])
                continue
            target.take(group)
            group.said, group.contrary = [], []
            joined[id(group)] = target

    def _add_by_words(self, comment: PastComment, rule: CanonicalRule) -> bool:
        if not starts_rule(rule):
            return False
        meant = self._phrasings.nearest(rule, k=1)
        if meant and meant[0][1].score >= _MEANT and meant[0][1].rule_b is not None:
            self.add_known(comment, meant[0][1].rule_b.text.rstrip("."))
            return True
        nearest = self._index.nearest(rule, k=3)
        if nearest and nearest[0][1].score >= JOINED:
            self._groups[nearest[0][0]].said.append((comment, rule))
            return True
        for place, likeness in nearest:
            if likeness.opposed:
                self._groups[place].contrary.append(comment)
        self._begin(comment, rule)
        return True

    def add_known(self, comment: PastComment, known: str) -> None:
        """Add a comment to the group of a rule of `advice` or the phrasebook."""
        rule = rule_of(known, comment.path, f"Rule: {known}")
        self.known.setdefault(known, Group([], worded=known)).said.append((comment, rule))

    def _begin(self, comment: PastComment, rule: CanonicalRule, worded: str = "") -> None:
        self._groups.append(Group([(comment, rule)], worded=worded))
        self._index.add([rule])


def is_same_wording(likeness: Likeness) -> bool:
    """Return whether two wordings are so similar that they are one candidate; opposed ones never are."""
    return likeness.score >= MERGED and not likeness.opposed


def _text_of(comment: PastComment) -> CommentText:
    return CommentText(comment.body, comment.path, comment.diff_hunk)
