"""Results of Tier 1 that a workflow posts: who says so is proved by the job's identity token, which head by GitHub.

The token tells the repository, the run and the workflow file the job runs (`trusted_jobs`). The head is what GitHub's
API says of the run, since a token of `pull_request` names a merge commit. The same results twice are the same once.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

from assay.github.client import WorkflowRunFacts
from assay.github.errors import GithubRefused, GithubUnavailable, ResultsRefused
from assay.github.external_results.tools_payload import PostedTools, kept, read_posted
from assay.github_app.http.oidc import Identity, IdentityTokens
from assay.github_app.http.trusted_jobs import TrustedJobs
from assay.github_app.store import EventKind, PostedResults, Store
from assay.validators import ReportUnreadable

EVENTS = frozenset(("pull_request", "push", "merge_group", "workflow_run"))
"""Events whose jobs may post. A job of `pull_request_target` runs for the base: its run has not the change's head."""

_log = logging.getLogger(__name__)
_MERGE_REF = re.compile(r"refs/pull/([1-9][0-9]{0,9})/merge")
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class Runs(Protocol):
    """A repository, as far as its workflow runs are concerned."""

    def workflow_run(self, run_id: int) -> WorkflowRunFacts:
        """The run with this id. Raises `GithubRefused` (404) where the repository has none."""


OpenRuns = Callable[[int], AbstractContextManager[Runs]]
"""Repository id -> a way to ask about its runs; raises `GithubRefused` where the App was not given the repository."""


class Results:
    """What is posted, from the token to the row in the store."""

    def __init__(self, tokens: IdentityTokens, trusted: Sequence[str], open_runs: OpenRuns, store: Store) -> None:
        self._jobs = TrustedJobs(tokens, trusted, EVENTS, "results")
        self._open_runs = open_runs
        self._store = store

    def who(self, authorization: str | None) -> Identity:
        """Whose results are coming, before any of them is read. Raises `ResultsRefused`."""
        return self._jobs.who(authorization)

    def take(self, identity: Identity, body: bytes, at: datetime) -> PostedResults:
        """Believe and keep what was posted. Raises `ResultsRefused`."""
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
            "results of run %s for %s %s",
            run.id,
            identity.repository_id,
            "are kept" if is_new else "were known already",
        )
        return results

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
        """The run whose results these are: the posting one, or for a second stage the one it names."""
        run_id = identity.run_id if posted.run_id is None else posted.run_id
        if run_id != identity.run_id and identity.event_name != "workflow_run":
            raise ResultsRefused(403, "only a job of `workflow_run` may post the results of another run")
        if run_id == identity.run_id and identity.event_name == "workflow_run":
            raise ResultsRefused(422, "say in `run_id` which run's results these are")
        try:
            with self._open_runs(identity.repository_id) as runs:
                run = runs.workflow_run(run_id)
        except GithubUnavailable as error:
            raise ResultsRefused(503, f"the run cannot be looked up now: {error}") from None
        except GithubRefused as error:
            raise ResultsRefused(404, f"the run cannot be looked up: {error}") from None
        expected = "pull_request" if run_id != identity.run_id else identity.event_name
        if run.id != run_id or run.trigger != expected or not _SHA.fullmatch(run.head_sha):
            raise ResultsRefused(409, "GitHub tells something else of this run than the token")
        return run


def _number(identity: Identity, run: WorkflowRunFacts) -> int | None:
    match = _MERGE_REF.fullmatch(identity.ref)
    if match is not None and identity.event_name == "pull_request":
        return int(match[1])
    return run.pull_numbers[0] if len(run.pull_numbers) == 1 else None
