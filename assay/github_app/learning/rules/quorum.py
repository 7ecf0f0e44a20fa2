"""How a rule begins; when it holds: enough people said it on enough pull requests, or a maintainer accepted it; and
when no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from assay.github_app.learning.match.comparing import canonical_of, contradicts
from assay.github_app.store import LIVE, QUORUM, RuleChange, RuleRow, RuleState, SourceRow, Store
from assay.validators import Learning

Place = tuple[int, str]
"""(repository id, rule id)."""


def begin(
    store: Store,
    place: Place,
    canonical: Mapping[str, Any],
    at: datetime,
    settings: Learning,
    *,
    by: str,
    smell: str | None,
    is_imported: bool = False,
) -> bool:
    """A new rule by its normal form: it waits, or is put in quarantine for its `smell`. False when it is there."""
    return store.rules.put_pending(
        *place,
        canonical["text"],
        canonical,
        at,
        key=canonical["key"],
        polarity=str(canonical["polarity"]),
        language=canonical["language"],
        paths=canonical["paths"],
        expires_at=at + timedelta(days=settings.pending_days),
        why=f"it smells of {smell}" if smell else None,
        by=by,
        is_imported=is_imported,
        is_quarantined=smell is not None,
    )


def has_quorum(sources: Iterable[SourceRow], settings: Learning) -> bool:
    """Whether enough different accounts said it on enough different pull requests.

    Accounts are told apart by GitHub's number: one that was renamed is still one. One without a number (deleted since)
    counts for nothing.
    """
    votes = [one for one in sources if one.counts and one.reviewer_id is not None]
    reviewers, pulls = {one.reviewer_id for one in votes}, {one.number for one in votes}
    return len(reviewers) >= settings.quorum_reviewers and len(pulls) >= settings.quorum_pulls


def settle(store: Store, place: Place, at: datetime, settings: Learning) -> None:
    """Bring a rule to the state that what it rests on gives it."""
    with store.together():
        row = store.rules.get(*place)
        if row is None:
            return
        sources = store.rules.sources(*place)
        if not sources and not _stands_alone(store, row):
            store.rules.purge(*place, at, by=None, why="nobody says it any more")
        elif row.state is RuleState.confirmed and row.confirmed_by == QUORUM and not has_quorum(sources, settings):
            until = at + timedelta(days=settings.pending_days)
            store.rules.reopen(*place, at, expires_at=until, why="the quorum was taken back")
        elif row.state is RuleState.pending:
            if _wins(store, row, at) and has_quorum(sources, settings):
                confirm(store, row, at, by=QUORUM, settings=settings)
        elif row.state is RuleState.confirmed and sources:
            until = max(one.at for one in sources) + timedelta(days=settings.confirmed_days)
            store.rules.renew(*place, until)


def confirm(store: Store, row: RuleRow, at: datetime, *, by: str, settings: Learning, key: str = "") -> bool:
    """It holds from now on; what says the opposite in its scope is superseded. False when it held already."""
    place = (row.repository_id, row.rule_id)
    until = at + timedelta(days=settings.confirmed_days)
    with store.together():
        if not store.rules.confirm(*place, at, by=by, expires_at=until, key=key):
            return False
        for other in _opposed(store, row):
            store.rules.supersede(other.repository_id, other.rule_id, row.rule_id, at)
        return True


def _stands_alone(store: Store, row: RuleRow) -> bool:
    """Whether it stands without a comment: a person decided about it, or it was brought in from a file."""
    decided = row.state is RuleState.rejected or row.confirmed_by not in (None, QUORUM)
    return decided or any(one.what is RuleChange.imported for one in store.rules.audit(row.repository_id, row.rule_id))


def _wins(store: Store, row: RuleRow, at: datetime) -> bool:
    """Whether a waiting rule is the newest word about its matter; the older of two that wait is superseded.

    An older rule that holds goes on holding until the newer one does: a single comment cannot end it.
    """
    for other in _opposed(store, row):
        if (other.created_at, other.rule_id) > (row.created_at, row.rule_id):
            store.rules.supersede(row.repository_id, row.rule_id, other.rule_id, at)
            return False
        if other.state is RuleState.pending:
            store.rules.supersede(other.repository_id, other.rule_id, row.rule_id, at)
    return True


def _opposed(store: Store, row: RuleRow) -> list[RuleRow]:
    """The living rules that say the opposite in its scope."""
    this = canonical_of(row)
    others = (one for one in store.rules.of(row.repository_id, LIVE) if one.rule_id != row.rule_id)
    return [one for one in others if contradicts(this, canonical_of(one))]
