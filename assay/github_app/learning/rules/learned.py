"""Update the stored rules from the current text of a comment.

Idempotent for the same text. An edited comment withdraws what its old text taught, a deleted one withdraws everything,
so neither the number nor the order of deliveries matters.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from assay.github.client import Permission
from assay.github_app.learning.extract.comments import all_comments, thread_of, why_not
from assay.github_app.learning.match.comparing import Found, Reader
from assay.github_app.learning.match.repeats import note_repeats
from assay.github_app.learning.rules.quorum import PENDING, create_rule, update_state
from assay.github_app.rule_matching import StatedRule
from assay.github_app.rule_matching.screen import unfit
from assay.github_app.store import CommentRow, PullRow, RuleState, SourceRow, Store
from assay.validators import Learning

_COMPARED = (RuleState.pending, RuleState.confirmed, RuleState.expired, RuleState.rejected, RuleState.joined)
"""States that a new comment is compared with. A repeated expired rule becomes pending, a rejected one stays rejected.

A comment like a joined rule counts for the rule that one is joined into. Quarantined rules are not compared: a comment
with the same advice starts a separate rule.
"""
REJECTED = "a maintainer rejected this rule"
PURGED = "its rule was purged"


@dataclass(frozen=True, slots=True)
class LearningResult:
    """Result for a comment: its rule; None, with the reason in `why`.

    `is_new`: the comment started the rule. `is_repeat`: its thread repeats earlier pull requests.
    """

    rule_id: str | None
    is_new: bool = False
    is_repeat: bool = False
    why: str | None = None


def learn_from(
    comment: CommentRow,
    pull: PullRow,
    permission: Permission,
    store: Store,
    reader: Reader,
    at: datetime,
    *,
    settings: Learning,
) -> LearningResult:
    """Learn from the current text of a comment. `permission` is its author's, at `at`.

    Raises `EmbeddingUnavailable` if comments cannot be compared now; nothing has changed then.
    """
    refused = why_not(comment, pull, permission)
    place = (comment.repository_id, f"{comment.kind}:{comment.comment_id}")
    if refused is None and store.rules.is_forgotten(*place):
        refused = PURGED
    # Rules that expired before this comment no longer hold, even if no job has expired them yet.
    store.rules.expire_due(comment.created_at or comment.seen_at)
    known = store.rules.of(comment.repository_id, _COMPARED) if refused is None else ()
    found = reader.read(comment, known, settings.threshold) if refused is None else Found(None)
    if found.rule is None:
        _take_back(store, comment, at, settings)
        return LearningResult(None, why=refused or "it contains no rule")
    with store.together():
        return _written(store, comment, permission, found.rule, found, at, settings)


def _written(
    store: Store,
    comment: CommentRow,
    permission: Permission,
    rule: StatedRule,
    found: Found,
    at: datetime,
    settings: Learning,
) -> LearningResult:
    # Rules change while a comment is compared, and its own first rule may have been joined.
    same_id = found.same.rule_id if found.same is not None else _id_for(comment, rule)
    known = store.rules.standing(comment.repository_id, same_id)
    aside = unfit(comment.body, rule.text)
    if known is not None and known.state is RuleState.rejected:
        _take_back(store, comment, at, settings)
        return LearningResult(known.rule_id, why=REJECTED)
    rule_id = known.rule_id if known is not None else _id_for(comment, rule)
    _take_back(store, comment, at, settings, but=rule_id)
    said_at = comment.created_at or comment.seen_at
    is_new = known is None and create_rule(
        store,
        (comment.repository_id, rule_id),
        _canonical(rule, found),
        said_at,
        by=comment.author,
        aside=aside,
    )
    if known is not None and known.state is RuleState.expired:
        # Earlier comments remain as sources of the expired rule but no longer count as votes.
        store.rules.stop_counting(comment.repository_id, rule_id)
        lives_until = at + PENDING
        store.rules.reopen(comment.repository_id, rule_id, at, expires_at=lives_until, why="repeated")
    store.rules.add_source(
        SourceRow(
            repository_id=comment.repository_id,
            comment_kind=comment.kind,
            comment_id=comment.comment_id,
            rule_id=rule_id,
            number=comment.number,
            thread=thread_of(comment),
            reviewer=comment.author,
            reviewer_id=comment.author_id,
            permission=str(permission),
            counts=aside is None,
            score=found.score,
            at=said_at,
        )
    )
    update_state(store, (comment.repository_id, rule_id), at, settings)
    matches = note_repeats(store, (comment.repository_id, rule_id), at)
    is_repeat = any(one.thread == thread_of(comment) for one in matches)
    return LearningResult(rule_id, is_new, is_repeat, aside)


def _take_back(store: Store, comment: CommentRow, at: datetime, settings: Learning, *, but: str | None = None) -> None:
    """Withdraw what the comment taught before; a rule without other sources is removed."""
    place = (comment.repository_id, comment.kind, comment.comment_id)
    with store.together():
        known = store.rules.source_of(*place)
        if known is None or known.rule_id == but:
            return
        store.rules.drop_source(*place, at)
        update_state(store, (comment.repository_id, known.rule_id), at, settings)
        note_repeats(store, (comment.repository_id, known.rule_id), at)


def _canonical(rule: StatedRule, found: Found) -> dict[str, Any]:
    """Return the normal form of a new rule, with the rules that it may repeat."""
    return {**rule.as_mapping(), "like": [{"rule_id": rule_id, "score": score} for rule_id, score in found.like]}


def _id_for(comment: CommentRow, rule: StatedRule) -> str:
    """Return 12 hex digits, stable for the same text of the same comment."""
    said = f"{comment.repository_id}:{comment.kind}:{comment.comment_id}:{rule.key}"
    return hashlib.sha256(said.encode("utf-8", "surrogateescape")).hexdigest()[:12]


def learn_past(
    store: Store,
    repository_id: int,
    permission_of: Callable[[str], Permission],
    reader: Reader,
    *,
    settings: Learning,
) -> int:
    """Learn from all comments of a repository not yet used, in order; return how many hold a rule.

    Each comment is learned as of the time it was written, but with its author's current permission, because GitHub
    keeps no history of permissions. Permissions are requested once per author. No replies or notices are sent.
    """
    known = {one.comment for one in store.rules.sources_in(repository_id)}
    asked: dict[str, Permission] = {}
    num_taught = 0
    for comment in all_comments(store, repository_id):
        pull = store.pulls.get(repository_id, comment.number)
        if pull is None or f"{comment.kind}:{comment.comment_id}" in known:
            continue
        if why_not(comment, pull, Permission.admin) is not None:  # excluded whatever the permission is
            continue
        if comment.author not in asked:
            asked[comment.author] = permission_of(comment.author)
        at = comment.created_at or comment.seen_at
        permission = asked[comment.author]
        done = learn_from(comment, pull, permission, store, reader, at, settings=settings)
        num_taught += done.rule_id is not None
    return num_taught
