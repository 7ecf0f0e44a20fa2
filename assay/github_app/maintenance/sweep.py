"""Sweep: find lost webhooks, heads without a run, runs without a job, and jobs that crash workers.

Each turn is one job, so one of many workers does it. A check that fails (GitHub unavailable) is logged and repeated in
the next turn; the others still run.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from datetime import timedelta
from itertools import islice

from assay.github.client import Repo
from assay.github.errors import GithubAppError, GithubRefused
from assay.github.events.model import About, PullRequestEvent, RepositoryFacts
from assay.github_app.learning.handout.instruction_files import blocks_due
from assay.github_app.learning.match.alerting import take_back_replies
from assay.github_app.maintenance.missed import missed_deliveries
from assay.github_app.maintenance.task_branches import branches_due
from assay.github_app.ops import observability
from assay.github_app.outcomes import record, see_pull
from assay.github_app.runtime.context import Context, publishing_job
from assay.github_app.runtime.queues import Job, Queue
from assay.github_app.runtime.retries import after_refusal, was_refused
from assay.github_app.store import RunState

_log = logging.getLogger(__name__)

MOST_ENDS = 1_000
"""Maximum pull requests read per repository and turn to find the ends of those that are open only in the store."""
MOST_REFUSED_RUNS = 24
"""Maximum runs of a head that GitHub refuses, about a day of hourly readings."""
WHOLE_ROUND_S = 3600
"""Seconds in which every repository's open pull requests are read once."""
FORGOTTEN_AFTER = timedelta(minutes=2)
"""Age without progress at which a run without a job is enqueued again."""


def sweep_job(turn: int) -> Job:
    """Return the job of one turn; turns are numbered by the clock, so all workers get the same id."""
    return Job("sweep", f"sweep:{turn}", Queue.chores, (turn,))


def open_pulls_job(repository_id: int, key: str, attempt: int = 1, delay_s: float = 0.0) -> Job:
    """Return the job that reads a repository's open pull requests, caused by the delivery `key`."""
    return Job("read_pulls", f"pulls:{repository_id}:{key}", Queue.chores, (repository_id, key, attempt), None, delay_s)


def sweep(context: Context, turn: int) -> str:
    """Run all checks of one turn; return a summary."""
    checks: tuple[tuple[str, Callable[[Context, int], int]], ...] = (
        ("redeliveries requested", missed_deliveries),
        ("pull requests without a run", heads_without_run),
        ("runs for open pull requests", open_pulls),
        ("runs past their wait", runs_past_wait),
        ("runs enqueued again", forgotten_runs),
        ("crashing jobs ended", poisonous_jobs),
        ("branches of ended tasks read", branches_due),
        ("replies of purged rules deleted", take_back_replies),
        ("instruction files checked", lambda context, _: blocks_due(context, f"{context.clock():%Y-%m-%d}")),
    )
    found = []
    for what, check in checks:
        try:
            number = check(context, turn)
        except GithubAppError as error:
            _log.warning("sweep: %s: %s", what, error)
            found.append(f"{what}: failed, {type(error).__name__}")
            continue
        if number:
            found.append(f"{what}: {number}")
    return "; ".join(found)[:1000]


def heads_without_run(context: Context, _turn: int) -> int:
    """Request runs for stored heads without one."""
    rows = context.store.pulls.open_without_run()
    for row in rows:
        context.ask_validation(row.repository_id, row.number, row.head_sha, "sweep")
    return len(rows)


def open_pulls(context: Context, turn: int) -> int:
    """Read the open pull requests of this turn's share of the repositories, and request missing runs."""
    num_turns = max(1, WHOLE_ROUND_S // context.settings.sweep_s)
    mine = [row for row in context.store.repositories.active() if row.id % num_turns == turn % num_turns]
    num_asked = 0
    for row in mine:
        try:
            num_asked += request_runs(context, row.id)
        except GithubRefused as refused:
            _log.warning("sweep: open pull requests of %s: %s", row.full_name, refused)
    return num_asked


def read_pulls(context: Context, repository_id: int, key: str = "", attempt: int = 1) -> str:
    """Request missing runs of a repository; return a summary."""
    try:
        return f"{request_runs(context, repository_id)} runs requested"
    except GithubRefused:
        if (wait := after_refusal(attempt)) is None:
            raise
        context.queues.put(open_pulls_job(repository_id, f"{key}:again", attempt + 1, wait.total_seconds()))
        return "refused; is retried"


def request_runs(context: Context, repository_id: int) -> int:
    """Request a run for every open pull request of a repository whose head has none; return their number.

    A head whose runs GitHub refused gets another one, up to `MOST_REFUSED_RUNS`.
    """
    row = context.store.repositories.get(repository_id)
    if row is None or not row.is_given:
        return 0
    facts = row.facts
    num_asked, listed = 0, set()
    with context.repo(row.id) as repo:
        for pull in repo.open_pulls():
            listed.add(pull.number)
            known = see_pull(context.store, facts, pull, context.clock(), web_url=context.settings.github_url)
            runs = [run for run in context.store.runs.of_pull(row.id, pull.number) if run.head_sha == pull.head_sha]
            refused = [run for run in runs if run.state is RunState.failed and was_refused(run.error)]
            is_missing = len(runs) == len(refused) < MOST_REFUSED_RUNS
            if is_missing and not known.is_paused and known.state == "open" and known.head_sha == pull.head_sha:
                context.ask_validation(row.id, pull.number, pull.head_sha, "sweep")
                num_asked += 1
        record_ends(context, repo, facts, listed)
    return num_asked


def record_ends(context: Context, repo: Repo, facts: RepositoryFacts, open_numbers: Collection[int]) -> None:
    """Record the ends of pull requests that are open only in the store, and of others on the way.

    Their webhooks were missed. One page of the list has a hundred, so a request or two serve a day.
    """
    lost = {one.number: one for one in context.store.pulls.open_in(facts.id) if one.number not in open_numbers}
    if not lost:
        return
    since = min(one.updated_at or one.seen_at for one in lost.values())
    for pull in islice(repo.pulls_since(since), MOST_ENDS):
        known = lost.pop(pull.number, None) or context.store.pulls.get(facts.id, pull.number)
        if pull.state == "closed" and (known is None or known.state != "closed"):
            about = About("pull_request", "closed", "sweep", facts, None, None)
            record(PullRequestEvent(about, pull), context.store, context.clock(), web_url=context.settings.github_url)
        if not lost:
            return


def runs_past_wait(context: Context, turn: int) -> int:
    """Publish runs whose wait for the repository's own checks is over."""
    runs = context.store.runs.waiting_past(context.clock())
    for run in runs:
        context.queues.put(publishing_job(run, f"waited:{turn}", 1, context.clock()))
    return len(runs)


def forgotten_runs(context: Context, turn: int) -> int:
    """Enqueue runs that have no job, because the jobs' database was lost or the job was cancelled."""
    old = context.clock() - FORGOTTEN_AFTER
    silent = [run for run in context.store.runs.unended() if run.number is not None and run.changed_at < old]
    if not silent:
        return 0
    at_work = {_run_of(job.id) for job in context.queues.unended()} | context.store.requests.runs()
    forgotten = [run for run in silent if run.id not in at_work and run.state is not RunState.waiting]
    for run in forgotten:
        context.request_attempt(run, 1, context.clock(), key=f"sweep{turn}")
    return len(forgotten)


def poisonous_jobs(context: Context, _turn: int) -> int:
    """Move deliveries and runs whose jobs crashed their worker every time to the dead-letter queue."""
    jobs = context.queues.poisonous()
    at = context.clock()
    for job in jobs:
        why = f"its worker crashed on each of {job.attempts} attempts"
        if job.name == "handle_delivery":
            context.store.deliveries.park(job.id.split(":")[1], why, at)
            observability.DEAD_LETTERED.labels("delivery").inc()
        run = context.store.runs.get(_run_of(job.id) or "")
        if run is not None and context.store.runs.advance(run.id, RunState.failed, at, error=why):
            observability.RUNS.labels(str(RunState.failed)).inc()
            observability.DEAD_LETTERED.labels("run").inc()
            context.queues.put(publishing_job(run, "failed", 1, at))
        context.store.requests.end_job(job.id)
        context.queues.discard(job)
    return len(jobs)


def _run_of(job_id: str) -> str | None:
    """Return the run in a job's id: `validate:run:<repository>:<number>:<sha>:<turn>:<attempt>`."""
    kind, _, rest = job_id.partition(":")
    return ":".join(rest.split(":")[:5]) if kind in ("validate", "publish") else None
