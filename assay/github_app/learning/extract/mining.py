"""Mine a repository's past review comments for candidate rules: what was asked for, by whom, and where.

Mining stores nothing and creates no rules; it shows what could have been learned. Comments are read in chronological
order. Each joins the candidate whose first comment it repeats, by the comparison that also detects repeats, or starts a
new one. Comparing only with the first comment prevents chains of small steps that would put a whole review into one
group.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from assay.github_app.learning.extract.advice import advice_in, why_of
from assay.github_app.learning.extract.comments import is_command
from assay.github_app.learning.extract.grouping import Group, Groups, is_same_wording
from assay.github_app.learning.extract.past_comments import GHOST, PastComment
from assay.github_app.learning.weakening import set_aside
from assay.github_app.rule_matching import (
    CanonicalRule,
    CommentText,
    Comparer,
    RuleIndex,
    asked_for,
    canonical_rule,
    stated,
)
from assay.github_app.rule_matching.intents import content_words, sentences
from assay.github_app.rule_matching.languages import globs_of
from assay.github_app.rule_matching.polarity import read
from assay.github_app.rule_matching.weights import weight_of
from assay.github_app.rule_matching.wording import imperative, is_imperative, stands_alone, style

if TYPE_CHECKING:
    from assay.embedding.embedder import Embedder
    from assay.llm import BatchModel, LanguageModel

NUM_EXAMPLES = 2
_EARLIEST = datetime.min.replace(tzinfo=UTC)
_MOSTLY = 0.8
"""Share of a candidate's comments that must be in one language or folder for the rule to be limited to it."""

_AGREED = 0.6
"""Share of a candidate's comments that must be the same as its wording."""

_SPECIFIC = re.compile(r"`[^`]+`|\b\d[\w.]*|\"[^\"]+\"")
_OWN = 2.0
"""Points of style that each code span, number or quotation costs that only one comment has."""

_SHARED = 3.0
"""Points of style for a wording whose words all occur in several comments."""

NO_RULE = "no rule in it"
OF_AUTHOR = "by the author of the pull request"


@dataclass(frozen=True, slots=True)
class Candidate:
    """Candidate rule in the best wording of its comments; comments are oldest first.

    `is_worded` is true if the text reads like a line of a style guide: an imperative that points at nothing outside it.
    `why` is the reason of well-known advice, "" for a rule of the project's own. `contrary` has comments that ask for
    the opposite.
    """

    rule: CanonicalRule
    comments: tuple[PastComment, ...]
    is_worded: bool = False
    why: str = ""
    contrary: tuple[PastComment, ...] = ()

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Reviewers who asked for it, most frequent first; deleted accounts count as one."""
        return tuple(login for login, _ in Counter(comment.author for comment in self.comments).most_common())

    @property
    def pulls(self) -> tuple[int, ...]:
        """Numbers of the pull requests with a comment, in order."""
        return tuple(sorted({comment.pull for comment in self.comments}))

    @property
    def first_at(self) -> datetime | None:
        """Time of the first comment, if any comment has a time."""
        return min((one.created_at for one in self.comments if one.created_at), default=None)

    @property
    def last_at(self) -> datetime | None:
        """Time of the last comment."""
        return max((one.created_at for one in self.comments if one.created_at), default=None)


@dataclass(frozen=True, slots=True)
class MiningResult:
    """All candidates, those on the most pull requests first, and the number of skipped comments by reason.

    `without_model` has the number of comments that the model did not answer for, by reason; their words decided.
    """

    candidates: tuple[Candidate, ...]
    num_read: int
    left_out: Mapping[str, int]
    without_model: Mapping[str, int]


def mine(
    comments: Iterable[PastComment],
    embedder: Embedder,
    progress: Callable[[int, int], None] | None = None,
    model: LanguageModel | None = None,
    batches: BatchModel | None = None,
) -> MiningResult:
    """Group past comments by their rule.

    With a model, one call per comment assigns it to a candidate or words a new one; a comment for which it has no
    answer is read without it. Suspected injections are never sent to it. With `batches` the same is
    done in two batches.

    `progress` is called with the number of comments compared and their total. Raises `EmbeddingUnavailable` if comments
    cannot be compared, and `ModelUnavailable` if a batch cannot be sent or collected.
    """
    read, began = in_order(comments)
    left_out: Counter[str] = Counter()
    kept: list[tuple[PastComment, CanonicalRule]] = []
    groups = Groups(Comparer(embedder), model)
    by_words = model is None and batches is None
    for comment in read:
        why = why_not_mined(comment, began)
        text = CommentText(comment.body, comment.path, comment.diff_hunk)
        known = "" if why or not by_words else advice_in(comment.body, comment.path)
        rule = None if why else (canonical_rule(text) if by_words else asked_for(text))
        if known:
            groups.add_known(comment, known)
        elif rule is not None:
            kept.append((comment, rule))
        else:
            left_out[why or NO_RULE] += 1
    progress = progress or (lambda _done, _num: None)
    if batches is not None:
        num_without_rule = groups.add_all(kept, batches, progress)
    else:
        groups.comparer.sides([rule for _, rule in kept])
        num_without_rule = 0
        for done, one in enumerate(kept, start=1):
            num_without_rule += not groups.add(*one)
            progress(done, len(kept))
    if num_without_rule:
        left_out[NO_RULE] += num_without_rule
    without_model = dict(groups.without_model.most_common())
    return MiningResult(_candidates(groups), len(read), dict(left_out.most_common()), without_model)


def in_order(comments: Iterable[PastComment]) -> tuple[list[PastComment], dict[int, str]]:
    """Return the comments by time, and the author of each that began a thread, by its id."""
    read = sorted(comments, key=lambda one: one.created_at or _EARLIEST)
    return read, {one.id: one.author for one in read if one.id is not None and one.in_reply_to is None}


def why_not_mined(comment: PastComment, began: Mapping[int, str]) -> str | None:
    """Return why a comment is skipped, by the criteria of `comments` as far as past data has them."""
    if not comment.body.strip():
        return "empty"
    if comment.is_by_bot:
        return "by a machine"
    if comment.pull_author is not None and comment.author.lower() == comment.pull_author.lower() != GHOST:
        return OF_AUTHOR
    if is_command(comment.body):
        return "a command"
    if comment.in_reply_to is not None and began.get(comment.in_reply_to) != comment.author:
        return "an answer in another author's thread"
    return None


def _candidates(groups: Groups) -> tuple[Candidate, ...]:
    """Return the groups as candidates, merged where they ended with the same wording."""
    merged: list[tuple[Group, CanonicalRule, bool]] = []
    wordings = RuleIndex(groups.comparer)
    for group in sorted(groups.found, key=lambda one: -len(one.said)):
        rule, is_worded = _worded(group, groups.comparer)
        known = advice_in(rule.text.removeprefix("Rule: "))
        near = wordings.nearest(stated(rule.text), k=1)
        if known in groups.known:
            groups.known[known].take(group)
        elif near and is_same_wording(near[0][1]):
            merged[near[0][0]][0].take(group)
        else:
            merged.append((group, rule, is_worded))
            wordings.add([stated(rule.text)])
    merged += [(group, stated(known), True) for known, group in groups.known.items()]
    return tuple(sorted((_candidate(*one) for one in merged), key=_rank))


def _candidate(group: Group, rule: CanonicalRule, is_worded: bool) -> Candidate:
    comments = tuple(sorted((comment for comment, _ in group.said), key=lambda one: one.created_at or _EARLIEST))
    language = _mostly([one.language for _, one in group.said])
    rule = replace(rule, language=language, paths=_paths_of(comments, language))
    return Candidate(rule, comments, is_worded, why_of(rule.text.removeprefix("Rule: ")), tuple(group.contrary))


def _worded(group: Group, comparer: Comparer) -> tuple[CanonicalRule, bool]:
    """Return the rule of a group in its best wording, and whether that reads like a line of a style guide.

    The best wording is the sentence in the best style that names what others name too; it reads like a line of a style
    guide only if most comments of the group mean it.
    """
    if group.worded:
        return replace(group.said[0][1], text=group.worded), set_aside(group.worded) is None
    named = Counter(word for _, rule in group.said for word in dict(content_words(read(rule.said))))
    wordings: dict[str, CanonicalRule] = {}
    for _, rule in group.said:
        for sentence in sentences(rule.said) or [rule.said]:
            wordings.setdefault(imperative(sentence), rule)

    told = Counter(token for _, rule in group.said for token in set(_SPECIFIC.findall(rule.said)))

    def num_own(text: str) -> int:
        return sum(told[token] < 2 for token in _SPECIFIC.findall(text)) if len(group.said) > 1 else 0

    def points(text: str) -> float:
        words = dict(content_words(read(text)))
        total = sum(map(weight_of, words))
        shared = sum(weight_of(word) for word in words if named[word] > 1)
        return style(text) + (_SHARED * shared / total if total else 0.0) - _OWN * num_own(text)

    best = max(wordings, key=points)
    is_general = is_imperative(best) and stands_alone(best) and not num_own(best) and set_aside(best) is None
    if is_general:
        scores = comparer.compare_all([(rule, stated(best)) for _, rule in group.said])
        is_general = sum(one.same for one in scores) >= _AGREED * len(scores)
    return replace(wordings[best], text=f"Rule: {best}"), is_general


def _mostly(values: Iterable[str | None]) -> str | None:
    counts = Counter(values)
    value, num = counts.most_common(1)[0]
    return value if num >= _MOSTLY * counts.total() else None


def _paths_of(comments: tuple[PastComment, ...], language: str | None) -> tuple[str, ...]:
    """Return where most comments were made: the files of a language, in the deepest folder they share."""
    folders = [PurePosixPath(one.path).parts[:-1] for one in comments if one.path]
    shared: tuple[str, ...] = ()
    for depth in range(1, 4):
        counts = Counter(parts[:depth] for parts in folders if len(parts) >= depth)
        if not counts or counts.most_common(1)[0][1] < _MOSTLY * len(comments):
            break
        shared = counts.most_common(1)[0][0]
    if not shared and language is None:
        return ()
    within = "".join(f"{part}/" for part in shared)
    return tuple(f"{within}**/{glob}" if within and glob != "**" else f"{within}{glob}" for glob in globs_of(language))


def _rank(candidate: Candidate) -> tuple[bool, int, int, int, str]:
    return (
        not candidate.is_worded,
        -len(candidate.pulls),
        -len(candidate.reviewers),
        -len(candidate.comments),
        candidate.rule.text,
    )
