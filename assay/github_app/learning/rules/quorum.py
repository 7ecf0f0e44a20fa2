"""Start, confirmation and end of a rule: by a maintainer, by a quorum where it is allowed to, or by lost support."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from assay.github_app.rule_matching.negation import polarity_of
from assay.github_app.store import QUORUM, RuleChange, RuleRow, RuleState, SourceRow, Store
from assay.validators import ConfirmedBy, Learning

Place = tuple[int, str]
"""Repository id and rule id."""
QUORUM_SIZE = 2
"""Reviewers who must ask for a rule, and pull requests on which they must, before a quorum confirms it."""
PENDING = timedelta(days=30)
CONFIRMED = timedelta(days=365)
"""Time after which a confirmed rule that no comment repeats expires."""
QUORUM_LOST = "the quorum was lost"


def create_rule(
    store: Store,
    place: Place,
    canonical: Mapping[str, Any],
    at: datetime,
    *,
    by: str,
    aside: str | None,
    is_imported: bool = False,
) -> bool:
    """Create a rule from its normal form: pending, or quarantined with the reason `aside`. False if it exists."""
    return store.rules.put_pending(
        *place,
        canonical["text"],
        canonical,
        at,
        key=canonical["key"],
        polarity=polarity_of(canonical["text"]),
        language=canonical["language"],
        paths=canonical["paths"],
        expires_at=at + PENDING,
        why=aside,
        by=by,
        is_imported=is_imported,
        is_quarantined=aside is not None,
    )


def has_quorum(sources: Iterable[SourceRow]) -> bool:
    """Return whether enough accounts asked for it on enough pull requests.

    Accounts are identified by GitHub's number, so renamed ones count once. Accounts without a number (deleted since) do
    not count.
    """
    votes = [one for one in sources if one.counts and one.reviewer_id is not None]
    reviewers, pulls = {one.reviewer_id for one in votes}, {one.number for one in votes}
    return len(reviewers) >= QUORUM_SIZE and len(pulls) >= QUORUM_SIZE


def update_state(store: Store, place: Place, at: datetime, settings: Learning) -> None:
    """Set the state that a rule's sources imply."""
    with store.together():
        row = store.rules.get(*place)
        if row is None or row.state is RuleState.joined:  # its comments are sources of another rule
            return
        sources = store.rules.sources(*place)
        if not sources and not _stands_alone(store, row):
            store.rules.purge(*place, at, by=None, why="its comments are gone")
        elif row.state is RuleState.confirmed and row.confirmed_by == QUORUM and not has_quorum(sources):
            until = at + PENDING
            store.rules.reopen(*place, at, expires_at=until, why=QUORUM_LOST)
        elif row.state is RuleState.pending:
            if settings.confirmed_by is ConfirmedBy.quorum and has_quorum(sources):
                confirm(store, row, at, by=QUORUM)
        elif row.state is RuleState.confirmed and sources:
            until = max(one.at for one in sources) + CONFIRMED
            store.rules.renew(*place, until)


def confirm(store: Store, row: RuleRow, at: datetime, *, by: str, key: str = "") -> bool:
    """Confirm a rule. False if it was confirmed already."""
    until = at + CONFIRMED
    return store.rules.confirm(row.repository_id, row.rule_id, at, by=by, expires_at=until, key=key)


def _stands_alone(store: Store, row: RuleRow) -> bool:
    """Return whether a rule needs no comment: a maintainer decided about it, or it was imported."""
    decided = row.state is RuleState.rejected or row.confirmed_by not in (None, QUORUM)
    return decided or any(one.what is RuleChange.imported for one in store.rules.audit(row.repository_id, row.rule_id))
