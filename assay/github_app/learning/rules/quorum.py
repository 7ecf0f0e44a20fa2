"""Start, confirmation and end of a rule: by quorum, by a maintainer, or by lost support."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from assay.github_app.learning.match.comparing import canonical_of, contradicts
from assay.github_app.store import LIVE, QUORUM, RuleChange, RuleRow, RuleState, SourceRow, Store
from assay.validators import Learning

Place = tuple[int, str]
"""Repository id and rule id."""
QUORUM_LOST = "the quorum was lost"


def create_rule(
    store: Store,
    place: Place,
    canonical: Mapping[str, Any],
    at: datetime,
    settings: Learning,
    *,
    by: str,
    sign: str | None,
    is_imported: bool = False,
) -> bool:
    """Create a rule from its normal form, pending or quarantined for its `sign`. False if it exists."""
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
        why=f"injection screen: {sign}" if sign else None,
        by=by,
        is_imported=is_imported,
        is_quarantined=sign is not None,
    )


def has_quorum(sources: Iterable[SourceRow], settings: Learning) -> bool:
    """Return whether enough accounts asked for it on enough pull requests.

    Accounts are identified by GitHub's number, so renamed ones count once. Accounts without a number (deleted since) do
    not count.
    """
    votes = [one for one in sources if one.counts and one.reviewer_id is not None]
    reviewers, pulls = {one.reviewer_id for one in votes}, {one.number for one in votes}
    return len(reviewers) >= settings.quorum_reviewers and len(pulls) >= settings.quorum_pulls


def update_state(store: Store, place: Place, at: datetime, settings: Learning) -> None:
    """Set the state that a rule's sources imply."""
    with store.together():
        row = store.rules.get(*place)
        if row is None:
            return
        sources = store.rules.sources(*place)
        if not sources and not _stands_alone(store, row):
            store.rules.purge(*place, at, by=None, why="its comments are gone")
        elif row.state is RuleState.confirmed and row.confirmed_by == QUORUM and not has_quorum(sources, settings):
            until = at + timedelta(days=settings.pending_days)
            store.rules.reopen(*place, at, expires_at=until, why=QUORUM_LOST)
        elif row.state is RuleState.pending:
            if _wins(store, row, at) and has_quorum(sources, settings):
                confirm(store, row, at, by=QUORUM, settings=settings)
        elif row.state is RuleState.confirmed and sources:
            until = max(one.at for one in sources) + timedelta(days=settings.confirmed_days)
            store.rules.renew(*place, until)


def confirm(store: Store, row: RuleRow, at: datetime, *, by: str, settings: Learning, key: str = "") -> bool:
    """Confirm a rule and supersede contradicting rules in its scope. False if it was confirmed already."""
    place = (row.repository_id, row.rule_id)
    until = at + timedelta(days=settings.confirmed_days)
    with store.together():
        if not store.rules.confirm(*place, at, by=by, expires_at=until, key=key):
            return False
        for other in _opposed(store, row):
            store.rules.supersede(other.repository_id, other.rule_id, row.rule_id, at)
        return True


def _stands_alone(store: Store, row: RuleRow) -> bool:
    """Return whether a rule needs no comment: a maintainer decided about it, or it was imported."""
    decided = row.state is RuleState.rejected or row.confirmed_by not in (None, QUORUM)
    return decided or any(one.what is RuleChange.imported for one in store.rules.audit(row.repository_id, row.rule_id))


def _wins(store: Store, row: RuleRow, at: datetime) -> bool:
    """Return whether a pending rule is the newest on its subject, and supersede older pending ones.

    An older confirmed rule holds until the newer one is confirmed, so a single comment cannot end it.
    """
    for other in _opposed(store, row):
        if (other.created_at, other.rule_id) > (row.created_at, row.rule_id):
            store.rules.supersede(row.repository_id, row.rule_id, other.rule_id, at)
            return False
        if other.state is RuleState.pending:
            store.rules.supersede(other.repository_id, other.rule_id, row.rule_id, at)
    return True


def _opposed(store: Store, row: RuleRow) -> list[RuleRow]:
    """Return the active rules that contradict it in its scope."""
    this = canonical_of(row)
    others = (one for one in store.rules.of(row.repository_id, LIVE) if one.rule_id != row.rule_id)
    return [one for one in others if contradicts(this, canonical_of(one))]
