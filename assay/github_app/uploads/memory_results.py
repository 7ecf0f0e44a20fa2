"""Examinations of memories that a workflow posts: of the repository its token names, once for each run and name.

Told by a trusted workflow (`trusted_jobs`) of the default branch: another branch's memory is not the repository's. What
the report says is still the word of an agent's own code, so it is shown and told of, and decides nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from assay.github.errors import ResultsRefused
from assay.github.external_results.memory_payload import MemoryScores, PostedMemory, read_posted_memory
from assay.github_app.http.oidc import Identity, IdentityTokens
from assay.github_app.http.trusted_jobs import TrustedJobs
from assay.github_app.store import EventKind, MemoryRunRow, Store
from assay.validators import ReportUnreadable

EVENTS = frozenset(("schedule", "workflow_dispatch", "repository_dispatch", "push"))
"""Events whose jobs may post: a run for a pull request examines the memory of a change, not the repository's."""

_log = logging.getLogger(__name__)


class MemoryResults:
    """What is posted, from the token to the row in the store."""

    def __init__(self, tokens: IdentityTokens, trusted: Sequence[str], store: Store) -> None:
        self._jobs = TrustedJobs(tokens, trusted, EVENTS, "examinations of memories")
        self._store = store

    def who(self, authorization: str | None) -> Identity:
        """Whose examination is coming, before any of it is read. Raises `ResultsRefused`."""
        return self._jobs.who(authorization)

    def take(self, identity: Identity, body: bytes, at: datetime) -> MemoryRunRow:
        """Keep what was posted; the row that stands, which may be a later attempt's. Raises `ResultsRefused`."""
        try:
            posted = read_posted_memory(body)
        except ReportUnreadable as error:
            raise ResultsRefused(422, str(error)) from None
        repository = self._store.repositories.get(identity.repository_id)
        if repository is None or not repository.is_given:
            raise ResultsRefused(404, "the App is not installed on this repository")
        if identity.ref != f"refs/heads/{repository.default_branch}":
            raise ResultsRefused(403, "examinations of memories are taken of the default branch alone")
        row = _row(posted, identity, at)
        with self._store.together():
            is_new = self._store.memory_runs.put_posted(row)
            if is_new:
                self._log_posted(row, identity)
        said = "is kept" if is_new else "was known already"
        _log.info("the examination of run %s for %s %s", identity.run_id, identity.repository_id, said)
        return row if is_new else self._store.memory_runs.get(row.repository_id, row.key) or row

    def _log_posted(self, row: MemoryRunRow, identity: Identity) -> None:
        key = f"{row.repository_id}:{row.key}:{row.run_attempt}"
        data = {
            "workflow_run_id": identity.run_id,
            "run_attempt": identity.run_attempt,
            "workflow_ref": identity.job_workflow_ref,
            "name": row.name,
            "overall_score": row.overall_score,
            "regression": row.regression,
        }
        self._store.events.append(EventKind.memory_examined, key, row.at, row.repository_id, data=data)


def row_of(scores: MemoryScores, repository_id: int, key: str, at: datetime, kept_by: str | None) -> MemoryRunRow:
    """The row of an examination, as far as its scores make it."""
    return MemoryRunRow(
        repository_id=repository_id,
        key=key,
        at=at,
        agent=scores.agent,
        grading=scores.grading,
        seed=scores.seed,
        num_turns=scores.num_turns,
        num_questions=scores.num_questions,
        overall_score=scores.overall_score,
        categories=scores.categories,
        baselines=scores.baselines,
        why_invalid=scores.why_invalid,
        kept_by=kept_by,
    )


def _row(posted: PostedMemory, identity: Identity, at: datetime) -> MemoryRunRow:
    key = f"run:{identity.run_id}:{posted.name}"
    row = row_of(posted, identity.repository_id, key, at, f"workflow run {identity.run_id}")
    return replace(
        row,
        name=posted.name,
        run_id=identity.run_id,
        run_attempt=identity.run_attempt,
        regression=posted.regression,
        change=None if posted.change is None else posted.change.model_dump(),
    )
