"""From a comment to a rule: the store is brought to what the comment says now, whatever it said before.

Done again for the same words it changes nothing; for edited words it takes back what the old ones taught; for a deleted
comment it takes back everything. So it does not matter how often GitHub tells of a comment, nor in which order.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta

from assay.github.client import Permission
from assay.github_app.learning.extract.extracting import thread_of, why_not
from assay.github_app.learning.injection_screen import smell_of
from assay.github_app.learning.match.comparing import Reader
from assay.github_app.learning.match.repeats import note_repeats
from assay.github_app.learning.rules.quorum import begin, settle
from assay.github_app.rule_matching import CanonicalRule, Likeness
from assay.github_app.store import CommentRow, PullRow, RuleRow, RuleState, SourceRow, Store
from assay.validators import Learning

_COMPARED = (RuleState.pending, RuleState.confirmed, RuleState.expired, RuleState.rejected)
"""Said again, an expired rule is pending again, and a rejected one teaches nothing; one that was superseded or put in
quarantine is not gone by that, so a comment that says the same begins a rule of its own."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What became of a comment: the rule it says (None: none, for the reason `why`), and how it is like that rule.

    `is_new`: it began the rule. `is_repeat`: its thread says what earlier pull requests were told.
    """

    rule_id: str | None
    is_new: bool = False
    is_repeat: bool = False
    likeness: Likeness | None = None
    why: str | None = None


def learn_from(
    comment: CommentRow,
    pull: PullRow,
    permission: Permission,
    store: Store,
    reader: Reader,
    at: datetime,
    *,
    settings: Learning | None = None,
) -> Learned:
    """Learn what a comment teaches, as it stands now. `permission` is its author's, at `at`.

    Raises `EmbeddingUnavailable` where comments cannot be compared just now; then nothing has changed.
    """
    settings = settings or Learning()
    refused = why_not(comment, pull, permission)
    place = (comment.repository_id, f"{comment.kind}:{comment.comment_id}")
    if refused is None and store.rules.is_forgotten(*place):
        refused = "what it taught was purged"
    rule = reader.rule_in(comment) if refused is None else None
    if rule is None:
        _take_back(store, comment, at, settings)
        return Learned(None, why=refused or "it holds no rule")
    smell = smell_of(comment.body) or smell_of(rule.text)
    # What was out of date when this was said was no rule any more, though nobody has looked since.
    store.rules.expire_due(comment.created_at or comment.seen_at)
    found = reader.same_as(rule, store.rules.of(comment.repository_id, _COMPARED), settings.threshold)
    with store.together():
        return _written(store, comment, permission, rule, smell, found, at, settings)


def _written(
    store: Store,
    comment: CommentRow,
    permission: Permission,
    rule: CanonicalRule,
    smell: str | None,
    found: tuple[RuleRow, Likeness] | None,
    at: datetime,
    settings: Learning,
) -> Learned:
    known, likeness = found or (None, None)
    if known is not None and known.state is RuleState.rejected:
        _take_back(store, comment, at, settings)
        return Learned(known.rule_id, likeness=likeness, why="a maintainer rejected this rule")
    rule_id = known.rule_id if known is not None else _id_for(comment, rule)
    _take_back(store, comment, at, settings, but=rule_id)
    said_at = comment.created_at or comment.seen_at
    is_new = known is None and begin(
        store, (comment.repository_id, rule_id), rule.as_mapping(), said_at, settings, by=comment.author, smell=smell
    )
    if known is not None and known.state is RuleState.expired:
        # What was said before it expired is proof that it was said, and no vote any more.
        store.rules.stop_counting(comment.repository_id, rule_id)
        lives_until = at + timedelta(days=settings.pending_days)
        store.rules.reopen(comment.repository_id, rule_id, at, expires_at=lives_until, why="said again")
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
            counts=smell is None,
            score=likeness.score if likeness else None,
            at=said_at,
        )
    )
    settle(store, (comment.repository_id, rule_id), at, settings)
    matches = note_repeats(store, (comment.repository_id, rule_id), at, settings)
    is_repeat = any(one.thread == thread_of(comment) for one in matches)
    return Learned(rule_id, is_new, is_repeat, likeness, f"it smells of {smell}" if smell else None)


def _take_back(store: Store, comment: CommentRow, at: datetime, settings: Learning, *, but: str | None = None) -> None:
    """What the comment taught when it said something else. A rule that rests on nothing more goes with its words."""
    place = (comment.repository_id, comment.kind, comment.comment_id)
    with store.together():
        known = store.rules.source_of(*place)
        if known is None or known.rule_id == but:
            return
        store.rules.drop_source(*place, at)
        settle(store, (comment.repository_id, known.rule_id), at, settings)
        note_repeats(store, (comment.repository_id, known.rule_id), at, settings)


def _id_for(comment: CommentRow, rule: CanonicalRule) -> str:
    """12 hex digits: the same for the same words of the same comment."""
    said = f"{comment.repository_id}:{comment.kind}:{comment.comment_id}:{rule.key}"
    return hashlib.sha256(said.encode("utf-8", "surrogateescape")).hexdigest()[:12]
