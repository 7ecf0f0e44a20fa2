"""What was missed, found: webhooks that never arrived, heads nobody judged, runs nobody ends, jobs that kill workers.

Each look is a job of its own turn, so that of many workers one does it. A look that cannot be had (GitHub away) is
logged and comes again next turn; it does not stop the others.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from itertools import islice

from assay.github.errors import GithubAppError
from assay.github.events.model import RepositoryFacts
from assay.github.events.parse import ACTIONS
from assay.github_app import observability
from assay.github_app.learning.handout.keeping_block import blocks_due
from assay.github_app.learning.match.taking_back import take_back_replies
from assay.github_app.maintenance.daily_review import look_back
from assay.github_app.outcomes import note_abandoned, see_pull
from assay.github_app.runtime.context import Context, publishing_job, validation_job
from assay.github_app.runtime.queues import Job, Line
from assay.github_app.store import RunState

_log = logging.getLogger(__name__)

MOST_DELIVERIES = 5_000
"""Deliveries of GitHub's list looked at in one turn."""
MOST_REDELIVERIES = 200
"""Deliveries asked for again in one turn."""
FIRST_LOOK = timedelta(hours=24)
"""How far the first look of a day goes back: GitHub keeps its list for three days."""
WHOLE_ROUND_S = 3600
"""Every repository's open pull requests are read from GitHub once in this time."""
FORGOTTEN_AFTER = timedelta(minutes=2)
"""A run that has not moved for so long and has no job in line is put in line again."""


def sweep_job(turn: int) -> Job:
    """The job of one turn; turns are counted by the clock, so all workers name the same one."""
    return Job("sweep", f"sweep:{turn}", Line.chores, (turn,))


def purge_job(day: str) -> Job:
    """The job of one day, such as `2026-11-22`."""
    return Job("purge", f"purge:{day}", Line.chores, (day,))


def open_pulls_job(repository_id: int, key: str) -> Job:
    """The job that reads a repository's open pull requests at once, because of the delivery `key`."""
    return Job("read_pulls", f"pulls:{repository_id}:{key}", Line.chores, (repository_id,))


def sweep(context: Context, turn: int) -> str:
    """All looks of one turn; what each found, in words."""
    looks: tuple[tuple[str, Callable[[Context, int], int]], ...] = (
        ("deliveries asked for again", missed_deliveries),
        ("pull requests without a run", heads_without_run),
        ("open pull requests read", open_pulls),
        ("runs past their wait", runs_past_wait),
        ("runs put in line again", forgotten_runs),
        ("poisonous jobs", poisonous_jobs),
        ("replies of purged rules taken back", take_back_replies),
        ("blocks of rules looked at", lambda context, _: blocks_due(context, f"{context.clock():%Y-%m-%d}")),
    )
    found = []
    for what, look in looks:
        try:
            number = look(context, turn)
        except GithubAppError as error:
            _log.warning("sweep: %s: %s", what, error)
            found.append(f"{what}: not looked, {type(error).__name__}")
            continue
        if number:
            found.append(f"{what}: {number}")
    return "; ".join(found)[:1000]


def missed_deliveries(context: Context, turn: int) -> int:
    """Have GitHub send again what did not arrive; the first look of a day goes back further."""
    sweep_s = context.settings.sweep_s
    is_first = turn % max(1, 86_400 // sweep_s) == 0
    since = context.clock() - (FIRST_LOOK if is_first else timedelta(seconds=3 * sweep_s + 60))
    arrived: set[str] = set()
    missed: dict[str, int] = {}
    for one in islice(context.github.deliveries(since), MOST_DELIVERIES):
        if one.arrived:
            arrived.add(one.guid)
        elif one.event in ACTIONS:
            missed.setdefault(one.guid, one.id)
    again = [number for guid, number in missed.items() if guid not in arrived][:MOST_REDELIVERIES]
    for number in again:
        context.github.redeliver(number)
    return len(again)


def heads_without_run(context: Context, _turn: int) -> int:
    """Have heads judged that we know of and that nobody asked for."""
    rows = context.store.pulls.open_without_run()
    for row in rows:
        context.ask_validation(row.repository_id, row.number, row.head_sha, "sweep")
    return len(rows)


def open_pulls(context: Context, turn: int) -> int:
    """Read the open pull requests of this turn's share of the repositories, and have new heads judged."""
    num_turns = max(1, WHOLE_ROUND_S // context.settings.sweep_s)
    mine = [row for row in context.store.repositories.active() if row.id % num_turns == turn % num_turns]
    return sum(read_pulls(context, row.id) for row in mine)


def read_pulls(context: Context, repository_id: int) -> int:
    """Have every open pull request of a repository judged whose head has no run; how many."""
    row = context.store.repositories.get(repository_id)
    if row is None or not row.is_given:
        return 0
    facts = RepositoryFacts(row.id, row.full_name, row.default_branch, row.is_private, row.is_archived)
    num_asked = 0
    with context.repo(row.id) as repo:
        for pull in repo.open_pulls():
            known = see_pull(context.store, facts, pull, context.clock())
            run = context.store.runs.of_head(row.id, pull.number, pull.head_sha)
            if run is None and not known.is_paused and known.state == "open" and known.head_sha == pull.head_sha:
                context.ask_validation(row.id, pull.number, pull.head_sha, "sweep")
                num_asked += 1
    return num_asked


def runs_past_wait(context: Context, turn: int) -> int:
    """Conclude runs that have waited long enough for the repository's own checks."""
    runs = context.store.runs.waiting_past(context.clock())
    for run in runs:
        context.queues.put(publishing_job(run, f"waited:{turn}", 1, context.clock()))
    return len(runs)


def forgotten_runs(context: Context, turn: int) -> int:
    """A run without a job would never end: its database of jobs was lost, or somebody cancelled its job."""
    old = context.clock() - FORGOTTEN_AFTER
    silent = [run for run in context.store.runs.unended() if run.number is not None and run.changed_at < old]
    if not silent:
        return 0
    at_work = {_run_of(job.id) for job in context.queues.unended()}
    forgotten = [run for run in silent if run.id not in at_work and run.state is not RunState.waiting]
    for run in forgotten:
        at = context.clock()
        first = validation_job(run, 1, at)
        context.queues.put(
            Job(first.name, f"validate:{run.id}:sweep{turn}", first.line, first.arguments, first.partition)
        )
    return len(forgotten)


def poisonous_jobs(context: Context, _turn: int) -> int:
    """Jobs that took their worker down each time: give up what they were for, where people see it."""
    jobs = context.queues.poisonous()
    at = context.clock()
    for job in jobs:
        why = f"its worker died {job.attempts} times while doing it"
        if job.name == "handle_delivery":
            context.store.deliveries.park(job.id.split(":")[1], why, at)
            observability.PARKED.labels("delivery").inc()
        run = context.store.runs.get(_run_of(job.id) or "")
        if run is not None and context.store.runs.advance(run.id, RunState.failed, at, error=why):
            observability.PARKED.labels("run").inc()
            context.queues.put(publishing_job(run, "failed", 1, at))
        context.queues.discard(job)
    return len(jobs)


def purge(context: Context) -> str:
    """Once a day: call quiet pull requests abandoned, end rules that are out of date, and forget what is too old."""
    before = context.clock() - timedelta(days=context.settings.keep_days)
    note_abandoned(context.store, context.clock())
    num_rules = len(context.store.rules.expire_due(context.clock()))
    num_deliveries = context.store.deliveries.purge(before)
    num_reports = context.store.runs.purge_reports(before)
    context.store.checks.purge(before)
    context.store.traces.purge(before)
    looked = look_back(context)
    num_jobs = context.queues.purge(before)
    forgot = f"forgot {num_deliveries} deliveries, {num_reports} reports, {num_jobs} jobs; {num_rules} rules expired"
    return f"{forgot}; {looked}"


def _run_of(job_id: str) -> str | None:
    """The run in a job's id: `validate:run:<repository>:<number>:<sha>:<turn>:<attempt>`."""
    kind, _, rest = job_id.partition(":")
    return ":".join(rest.split(":")[:5]) if kind in ("validate", "publish") else None
