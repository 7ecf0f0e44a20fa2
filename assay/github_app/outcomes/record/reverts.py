"""Detect reverts of merged changes, by a commit on the default branch or by a pull request.

The revert may arrive before the merge it reverts, so its references are stored and looked up from both sides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from assay.github.events.model import PullFacts, PushEvent
from assay.github_app.outcomes.record.outcome_log import log_outcome
from assay.github_app.store import OutcomeKind, PullRow, Store

MOST_TEXT = 20_000

_COMMIT = re.compile(r"\bThis reverts commit ([0-9a-f]{7,64})\b", re.IGNORECASE)
_NUMBER = re.compile(
    r"^[ \t]*Reverts (?P<place>[\w.-]{1,100}/[\w.-]{1,100})?#(?P<number>\d{1,9})\b", re.IGNORECASE | re.MULTILINE
)
_BRANCH = re.compile(r"revert-(\d{1,9})-")
_TITLE = re.compile(r"^Revert\b", re.IGNORECASE)


def record_push(event: PushEvent, store: Store, at: datetime) -> None:
    """Record reverts among the commits pushed to the default branch."""
    repository = event.about.repository
    if repository is None or event.ref != f"refs/heads/{repository.default_branch}":
        return
    for commit in event.commits:
        for reverted in _named(commit.message, repository.full_name):
            store.reverts.put(repository.id, commit.sha, reverted, at)
            _look_back(store, repository.id, reverted)


def note_merged_revert(store: Store, repository_id: int, pull: PullFacts, at: datetime) -> None:
    """Record the pull request that this merged one reverts, if any."""
    if not is_revert(pull.title, pull.head_ref):
        return
    row = store.repositories.get(repository_id)
    named = set(_named(pull.body, row.full_name if row else ""))
    branch = _BRANCH.match(pull.head_ref)
    if branch:
        named.add(f"#{int(branch[1])}")
    for reverted in sorted(named - {f"#{pull.number}"}):
        store.reverts.put(repository_id, f"#{pull.number}", reverted, at)
        _look_back(store, repository_id, reverted)


def note_reverts_of(store: Store, repository_id: int, number: int) -> None:
    """Record whether a merged pull request was reverted, from the current data."""
    pull = store.pulls.get(repository_id, number)
    if pull is None or not pull.is_merged:
        return
    commits = [sha for sha in (pull.merge_commit_sha, pull.head_sha) if sha]
    for revert in store.reverts.of(repository_id, number, commits):
        detail = {"by": revert.cause}
        kind = OutcomeKind.reverted
        store.outcomes.put(repository_id, number, kind, pull.head_sha, revert.at, cause=revert.cause, detail=detail)
        log_outcome(store, repository_id, number, kind, pull.head_sha, revert.at, cause=revert.cause)


def is_revert(title: str, branch: str) -> bool:
    """Return whether title or branch mark a pull request as a revert."""
    return _TITLE.match(title) is not None or _BRANCH.match(branch) is not None


def _named(text: str, full_name: str) -> Iterator[str]:
    """Yield the references a text reverts: commit ids, and `#number` of this repository."""
    for match in _COMMIT.finditer(text[:MOST_TEXT]):
        yield match[1].lower()
    for match in _NUMBER.finditer(text[:MOST_TEXT]):
        if match["place"] is None or match["place"].lower() == full_name.lower():
            yield f"#{int(match['number'])}"


def _look_back(store: Store, repository_id: int, reverted: str) -> None:
    for pull in _pulls_named(store, repository_id, reverted):
        note_reverts_of(store, repository_id, pull.number)


def _pulls_named(store: Store, repository_id: int, reverted: str) -> tuple[PullRow, ...]:
    if reverted.startswith("#"):
        pull = store.pulls.get(repository_id, int(reverted[1:]))
        return () if pull is None else (pull,)
    return store.pulls.merged_as(repository_id, reverted)
