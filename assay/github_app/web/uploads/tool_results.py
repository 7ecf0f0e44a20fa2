"""Tier 1 results uploaded by trusted workflows.

The job's identity token proves the repository, the run and the workflow file (`trusted_jobs`). The head comes from
GitHub's API, since a `pull_request` token names a merge commit. Uploads are idempotent.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol

from assay.github.client import WorkflowRunFacts
from assay.github.errors import GithubRefused, GithubUnavailable, ResultsRefused
from assay.github.external_results.tools_payload import MOST_BODY_BYTES, PostedTools, kept, read_posted
from assay.github_app.store import EventKind, PostedResults, Store
from assay.github_app.web.http.oidc import Identity, IdentityTokens
from assay.github_app.web.http.trusted_jobs import TrustedJobs
from assay.validators import ReportUnreadable

EVENTS = frozenset(("pull_request", "push", "merge_group", "workflow_run"))
"""Events whose jobs may upload. Runs of `pull_request_target` belong to the base commit, not to the change's head."""

_log = logging.getLogger(__name__)
_MERGE_REF = re.compile(r"refs/pull/([1-9][0-9]{0,9})/merge")
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class Runs(Protocol):
    """Repository that returns its workflow runs."""

    def workflow_run(self, run_id: int) -> WorkflowRunFacts:
        """Return the run with this id. Raises `GithubRefused` (404) if it does not exist."""


OpenRuns = Callable[[int], AbstractContextManager[Runs]]
"""Map a repository id to its `Runs`; raises `GithubRefused` if the App is not installed on it."""


class Results(TrustedJobs):
    """Upload of Tier 1 results, from token check to stored row."""

    path = "/api/v1/results"
    most_bytes = MOST_BODY_BYTES

    def __init__(self, tokens: IdentityTokens, trusted: Sequence[str], open_runs: OpenRuns, store: Store) -> None:
        super().__init__(tokens, trusted, EVENTS, "results")
        self._open_runs = open_runs
        self._store = store

    def take(self, identity: Identity, body: bytes, at: datetime) -> PostedResults:
        """Verify the run with GitHub and store the results. Raises `ResultsRefused`."""
        try:
            posted = read_posted(body)
        except ReportUnreadable as error:
            raise ResultsRefused(422, str(error)) from None
        row = self._store.repositories.get(identity.repository_id)
        if row is None or not row.is_given:
            raise ResultsRefused(404, "the App is not installed on this repository")
        run = self._run(identity, posted)
        results = PostedResults(
            repository_id=identity.repository_id,
            head_sha=run.head_sha,
            workflow_run_id=run.id,
            job=posted.job,
            run_attempt=run.run_attempt if run.id != identity.run_id else identity.run_attempt,
            workflow_ref=identity.job_workflow_ref,
            event_name=run.trigger,
            tools=kept(posted),
            posted_at=at,
            number=_number(identity, run),
        )
        with self._store.together():
            is_new = self._store.checks.put_results(results)
            if is_new:
                self._log_posted(results)
        _log.info(
            "results of run %s for %s: %s",
            run.id,
            identity.repository_id,
            "stored" if is_new else "already stored",
        )
        return results

    def answer(self, kept: PostedResults) -> dict[str, Any]:
        """Return the response to the job."""
        return {"head_sha": kept.head_sha, "run_id": kept.workflow_run_id}

    def _log_posted(self, results: PostedResults) -> None:
        key = f"{results.repository_id}:{results.workflow_run_id}:{results.run_attempt}:{results.job}"
        data = {
            "head_sha": results.head_sha,
            "workflow_run_id": results.workflow_run_id,
            "run_attempt": results.run_attempt,
            "job": results.job,
            "workflow_ref": results.workflow_ref,
        }
        place = (results.repository_id, results.number)
        self._store.events.append(EventKind.results_posted, key, results.posted_at, *place, data=data)

    def _run(self, identity: Identity, posted: PostedTools) -> WorkflowRunFacts:
        """Return the run the results belong to: the uploading run, or the run a second stage names."""
        run_id = identity.run_id if posted.run_id is None else posted.run_id
        if run_id != identity.run_id and identity.event_name != "workflow_run":
            raise ResultsRefused(403, "only a job of `workflow_run` may upload the results of another run")
        if run_id == identity.run_id and identity.event_name == "workflow_run":
            raise ResultsRefused(422, "set `run_id` to the run that produced these results")
        try:
            with self._open_runs(identity.repository_id) as runs:
                run = runs.workflow_run(run_id)
        except GithubUnavailable as error:
            raise ResultsRefused(503, f"GitHub could not return the run: {error}") from None
        except GithubRefused as error:
            raise ResultsRefused(404, f"GitHub refused to return the run: {error}") from None
        expected = "pull_request" if run_id != identity.run_id else identity.event_name
        if run.id != run_id or run.trigger != expected or not _SHA.fullmatch(run.head_sha):
            raise ResultsRefused(409, "the identity token does not match the run on GitHub")
        return run


def _number(identity: Identity, run: WorkflowRunFacts) -> int | None:
    match = _MERGE_REF.fullmatch(identity.ref)
    if match is not None and identity.event_name == "pull_request":
        return int(match[1])
    return run.pull_numbers[0] if len(run.pull_numbers) == 1 else None
