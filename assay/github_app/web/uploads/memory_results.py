"""Memory evaluation results uploaded by trusted workflows.

Results are stored per repository, workflow run and name. Only runs on the default branch count, because other branches
may hold another memory. The scores come from the code under test, so they are shown and recorded but never decide a
verdict.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from assay.github.errors import ResultsRefused
from assay.github.external_results.memory_payload import MOST_BODY_BYTES, MemoryScores, PostedMemory, read_posted_memory
from assay.github_app.store import EventKind, MemoryRunRow, Store
from assay.github_app.web.http.oidc import Identity, IdentityTokens
from assay.github_app.web.http.trusted_jobs import TrustedJobs
from assay.validators import ReportUnreadable

EVENTS = frozenset(("schedule", "workflow_dispatch", "repository_dispatch", "push"))
"""Events whose jobs may upload. Runs for pull requests evaluate the memory of the change, not of the repository."""

_log = logging.getLogger(__name__)


class MemoryResults(TrustedJobs):
    """Upload of memory evaluation results, from token check to stored row."""

    path = "/api/v1/memory-results"
    most_bytes = MOST_BODY_BYTES

    def __init__(self, tokens: IdentityTokens, trusted: Sequence[str], store: Store) -> None:
        super().__init__(tokens, trusted, EVENTS, "memory evaluations")
        self._store = store

    def take(self, identity: Identity, body: bytes, at: datetime) -> MemoryRunRow:
        """Store the results and return the stored row, or that of a later attempt. Raises `ResultsRefused`."""
        try:
            posted = read_posted_memory(body)
        except ReportUnreadable as error:
            raise ResultsRefused(422, str(error)) from None
        repository = self._store.repositories.get(identity.repository_id)
        if repository is None or not repository.is_given:
            raise ResultsRefused(404, "the App is not installed on this repository")
        if identity.ref != f"refs/heads/{repository.default_branch}":
            raise ResultsRefused(403, "memory evaluations are accepted from the default branch only")
        row = _row(posted, identity, at)
        with self._store.together():
            is_new = self._store.memory_runs.put_posted(row)
            if is_new:
                self._log_posted(row, identity)
        said = "stored" if is_new else "already stored"
        _log.info("memory evaluation of run %s for %s: %s", identity.run_id, identity.repository_id, said)
        return row if is_new else self._store.memory_runs.get(row.repository_id, row.key) or row

    def answer(self, kept: MemoryRunRow) -> dict[str, Any]:
        """Return the response to the job."""
        return {"run_id": kept.run_id, "name": kept.name}

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
    """Build the stored row from the scores."""
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
        fact_recall=scores.fact_recall,
        comparable=scores.comparable,
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
