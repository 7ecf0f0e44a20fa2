"""Mine a repository's past review comments for candidate rules: what was asked for, by whom, and where.

Mining stores nothing and creates no rules; it shows what could have been learned. Well-known advice is found by its
table; a project's own rules only by a model, which words them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from assay.github_app.learning.extract.advice import advice_in, why_of
from assay.github_app.learning.extract.comments import is_command
from assay.github_app.learning.extract.grouping import Group, Groups, text_of
from assay.github_app.learning.extract.past_comments import GHOST, PastComment
from assay.github_app.rule_matching import Nearest, StatedRule, asked_for, stated
from assay.github_app.rule_matching.languages import globs_of, language_of

if TYPE_CHECKING:
    from assay.embedding.embedder import Embedder
    from assay.llm import BatchModel, LanguageModel

NUM_EXAMPLES = 2
_EARLIEST = datetime.min.replace(tzinfo=UTC)
_MOSTLY = 0.8
"""Share of a candidate's comments that must be in one language or folder for the rule to be limited to it."""

NO_RULE = "no rule in it"
NEEDS_MODEL = "no well-known advice; a project's own rules need --model"
OF_AUTHOR = "by the author of the pull request"


@dataclass(frozen=True, slots=True)
class Candidate:
    """Candidate rule in the words of a style guide; comments are oldest first.

    `why` is the reason of well-known advice, "" for a rule of the project's own. `contrary` has comments that ask for
    the opposite.
    """

    rule: StatedRule
    comments: tuple[PastComment, ...]
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
    """Group past comments by their rule: well-known advice by its table, other rules by a model.

    With a model, one call per comment assigns it to a candidate or words a new one; with `batches` the same is done in
    two batches. A comment that is unfit to be learned is never sent to it.

    `progress` is called with the number of comments read and their total. Raises `EmbeddingUnavailable` if comments
    cannot be compared, and `ModelUnavailable` if a batch cannot be sent or collected.
    """
    read, began = in_order(comments)
    left_out: Counter[str] = Counter()
    known: dict[str, Group] = {}
    asking: list[PastComment] = []
    for comment in read:
        why = why_not_mined(comment, began)
        advice = "" if why else advice_in(comment.body, comment.path)
        if advice:
            known.setdefault(advice, Group(stated(advice), [])).comments.append(comment)
        elif why or asked_for(text_of(comment)) is None:
            left_out[why or NO_RULE] += 1
        else:
            asking.append(comment)
    groups = Groups(Nearest(embedder))
    progress = progress or (lambda _done, _num: None)
    if batches is not None:
        groups.add_all(asking, batches, progress)
    elif model is not None:
        for done, comment in enumerate(asking, start=1):
            groups.add(comment, model)
            progress(done, len(asking))
    elif asking:
        left_out[NEEDS_MODEL] += len(asking)
    if model is not None or batches is not None:
        grouped = sum(len(group.comments) for group in groups.found)
        if num_without := len(asking) - grouped - groups.without_model.total():
            left_out[NO_RULE] += num_without
    candidates = sorted(map(_candidate, (*known.values(), *groups.found)), key=_rank)
    without_model = dict(groups.without_model.most_common())
    return MiningResult(tuple(candidates), len(read), dict(left_out.most_common()), without_model)


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


def _candidate(group: Group) -> Candidate:
    comments = tuple(sorted(group.comments, key=lambda one: one.created_at or _EARLIEST))
    language = _mostly(language_of(one.path) if one.path else None for one in comments)
    rule = replace(group.rule, language=language, paths=_paths_of(comments, language))
    return Candidate(rule, comments, why_of(rule.text), tuple(group.contrary))


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


def _rank(candidate: Candidate) -> tuple[int, int, int, str]:
    return (
        -len(candidate.pulls),
        -len(candidate.reviewers),
        -len(candidate.comments),
        candidate.rule.text,
    )
