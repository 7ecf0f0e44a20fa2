"""End of a pull request: which recorded outcome applies, and what followed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from assay.github.events.model import PullFacts
from assay.github_app.outcomes.record.follow_up_fixes import note_follow_ups
from assay.github_app.outcomes.record.outcome_log import log_outcome
from assay.github_app.outcomes.record.reverts import note_merged_revert, note_reverts_of
from assay.github_app.store import OutcomeKind, OutcomeRow, PullRow, Store

ABANDONED_AFTER = timedelta(days=30)
"""Time without news after which an open pull request counts as abandoned, until there is news."""


@dataclass(frozen=True, slots=True)
class Ending:
    """State of a pull request: `kind` is merged, closed or abandoned, and None while it is open."""

    kind: OutcomeKind | None
    at: datetime | None = None
    head_sha: str | None = None
    reverted_at: datetime | None = None
    fixed_by: tuple[int, ...] = ()


def ending(pull: PullRow, outcomes: Iterable[OutcomeRow]) -> Ending:
    """Return the end that applies, from all recorded outcomes; reopening cancels a close, never a merge."""
    known = sorted(outcomes, key=lambda outcome: outcome.at)
    reverts = [outcome.at for outcome in known if outcome.kind is OutcomeKind.reverted]
    fixes = {outcome.detail["number"] for outcome in known if outcome.kind is OutcomeKind.followed_by_fix}
    kind = OutcomeKind.merged if pull.is_merged else OutcomeKind.closed if pull.state == "closed" else None
    if kind is None and pull.updated_at is not None:
        # News after the abandonment cancels it.
        kind = OutcomeKind.abandoned
        known = [one for one in known if one.at >= pull.updated_at + ABANDONED_AFTER]
    ends = [outcome for outcome in known if outcome.kind is kind]
    if kind is OutcomeKind.abandoned and not ends:
        return Ending(None)
    last = ends[-1] if ends else None
    return Ending(
        kind,
        last.at if last else pull.merged_at or pull.closed_at,
        last.head_sha if last else pull.head_sha,
        reverts[0] if reverts else None,
        tuple(sorted(fixes)),
    )


def record_end(store: Store, repository_id: int, pull: PullFacts, at: datetime, task_id: str | None) -> None:
    """Record that a pull request was merged or closed, if its current state is."""
    if pull.state != "closed" and not pull.is_merged:
        return
    kind = OutcomeKind.merged if pull.is_merged else OutcomeKind.closed
    moment = pull.merged_at or pull.closed_at or pull.updated_at or at
    merge: dict[str, Any] = {
        "merge_commit_sha": pull.merge_commit_sha if pull.is_merged else None,
        "merged_by": pull.merged_by.login if pull.merged_by else None,
    }
    detail = {name: value for name, value in merge.items() if value is not None}
    store.outcomes.put(repository_id, pull.number, kind, pull.head_sha, moment, detail=detail)
    log_outcome(store, repository_id, pull.number, kind, pull.head_sha, moment, task_id=task_id)
    if pull.is_merged:
        note_merged_revert(store, repository_id, pull, moment)
        note_reverts_of(store, repository_id, pull.number)
        note_follow_ups(store, repository_id, pull.number)


def note_abandoned(store: Store, now: datetime) -> int:
    """Record newly abandoned pull requests and return their number; run about daily."""
    found = 0
    for pull in store.pulls.quiet_since(now - ABANDONED_AFTER):
        if pull.updated_at is None:
            continue
        moment = pull.updated_at + ABANDONED_AFTER
        kind, place = OutcomeKind.abandoned, (pull.repository_id, pull.number)
        with store.together():
            if store.outcomes.put(*place, kind, pull.head_sha, moment):
                log_outcome(store, *place, kind, pull.head_sha, moment, task_id=pull.task_id)
                found += 1
    return found
