"""Group past comments by the rule they state, with a model: one at a time, or in batches.

In batches a comment cannot see the rules of the comments before it. So the model first says of each comment, without
any known rule, which rule it holds. The rules are grouped by their wordings, and the first comment of each group is
then sent once more with the nearest groups before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.github_app.learning.extract.past_comments import PastComment
from assay.github_app.rule_matching import (
    Assignment,
    CommentText,
    Nearest,
    StatedRule,
    assign,
    assign_all,
    is_nearly_equal,
)
from assay.github_app.rule_matching.extraction import MOST_RULES
from assay.github_app.rule_matching.screen import unfit
from assay.llm import ModelUnavailable

if TYPE_CHECKING:
    from assay.llm import BatchModel, LanguageModel

NOT_SENT = "not_sent"
"""Reason for a comment that is never sent to a model."""


@dataclass(slots=True)
class Group:
    """Comments that ask for one rule, those against it, and the rule in the wording of the model."""

    rule: StatedRule
    comments: list[PastComment]
    contrary: list[PastComment] = field(default_factory=list)


class Groups:
    """Groups of comments, built incrementally.

    `without_model` counts the comments that the model did not answer for, by reason.
    """

    def __init__(self, nearest: Nearest) -> None:
        self.found: list[Group] = []
        self.without_model: Counter[str] = Counter()
        self._nearest = nearest

    def add(self, comment: PastComment, model: LanguageModel) -> None:
        """Ask the model for the rule of a comment, among the nearest groups."""
        if unfit(comment.body) is not None:
            self.without_model[NOT_SENT] += 1
            return
        near = self._near(comment.body, self.found)
        try:
            said = assign(model, text_of(comment), [group.rule for group in near])
        except ModelUnavailable as error:
            self.without_model[error.why] += 1
            return
        self._take(comment, said, near)

    def add_all(self, comments: Sequence[PastComment], model: BatchModel, progress: Callable[[int, int], None]) -> None:
        """Add all comments, with two batches of a model.

        Raises:
            ModelUnavailable: a batch cannot be sent or collected.
        """
        sent = [one for one in comments if unfit(one.body) is None]
        if len(sent) < len(comments):
            self.without_model[NOT_SENT] += len(comments) - len(sent)
        answers = assign_all(model, [(text_of(one), ()) for one in sent])
        worded: list[Group] = []
        for done, (comment, said) in enumerate(zip(sent, answers, strict=True), start=1):
            progress(done, len(sent))
            if isinstance(said, ModelUnavailable):
                self.without_model[said.why] += 1
            elif said.rule is not None:
                self._add_worded(comment, said.rule, worded)
        asked = [(group, self._near(group.rule.text, worded[:place])) for place, group in enumerate(worded)]
        asked = [(group, near) for group, near in asked if near]
        requests = [(text_of(group.comments[0]), [one.rule for one in near]) for group, near in asked]
        joined: dict[int, Group] = {}
        for (group, near), said in zip(asked, assign_all(model, requests), strict=True):
            if isinstance(said, ModelUnavailable):
                self.without_model[said.why] += 1
                continue
            place = said.contrary if said.place is None else said.place
            if place is None:
                continue
            # The groups are in order, so the earlier one has already been joined to its own.
            target = joined.get(id(near[place]), near[place])
            if said.place is None:
                target.contrary.append(group.comments[0])
            else:
                target.comments += group.comments
                joined[id(group)] = target
        self.found += [group for group in worded if id(group) not in joined]

    def _add_worded(self, comment: PastComment, rule: StatedRule, worded: list[Group]) -> None:
        """Add a comment to the group with the same wording, or start one."""
        for group in self._near(rule.text, worded, most=1):
            score = self._nearest.scores(rule.text, [group.rule.text])[0]
            if is_nearly_equal(rule.text, group.rule.text, score):
                group.comments.append(comment)
                return
        worded.append(Group(rule, [comment]))

    def _take(self, comment: PastComment, said: Assignment, near: Sequence[Group]) -> None:
        if said.rule is None:
            return
        if said.contrary is not None:
            near[said.contrary].contrary.append(comment)
        if said.place is not None:
            near[said.place].comments.append(comment)
        else:
            self.found.append(Group(said.rule, [comment]))

    def _near(self, text: str, groups: Sequence[Group], most: int = MOST_RULES) -> list[Group]:
        scores = self._nearest.scores(text, [group.rule.text for group in groups])
        order = sorted(range(len(groups)), key=lambda place: -scores[place])
        return [groups[place] for place in order[:most]]


def text_of(comment: PastComment) -> CommentText:
    """Return a past comment as the model gets it."""
    return CommentText(comment.body, comment.path, comment.diff_hunk)
