"""Daily deletion of what is older than its retention, in small batches, so that nothing waits for it long.

A job deletes for `MOST_S` seconds at most, then enqueues the next one, so that the other maintenance jobs run in
between. What a job that was killed has deleted stays deleted; the next one goes on.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

from assay.github_app.maintenance.daily_review import look_back
from assay.github_app.outcomes import note_abandoned
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.queues import Job, Queue

MOST_S = 30.0
"""Seconds after which a job leaves the rest to the next one; a batch takes a fraction of a second."""
HANDLED_DAYS = 14
"""Days to keep handled deliveries and finished jobs. GitHub redelivers for three days, and a job's id keeps it from
being run twice."""
_NAMES = ("deliveries", "reports", "results and texts of checks", "traces", "pull requests", "tasks", "jobs")


def purge_job(day: str, part: int = 1) -> Job:
    """Return the job of one day, such as `2026-11-22`, or one of its later parts."""
    name = day if part == 1 else f"{day}:{part}"
    return Job("purge", f"purge:{name}", Queue.chores, (name,))


def purge(context: Context, name: str, *, most_s: float = MOST_S) -> str:
    """Mark quiet pull requests as abandoned, expire rules, review outcomes, and delete old data; return a summary.

    `name` is a day, or with a part (`2026-11-22:2`), which only deletes.
    """
    day, _, part = name.partition(":")
    found: list[str] = []
    if not part:
        note_abandoned(context.store, context.clock())
        found.append(f"{len(context.store.rules.expire_due(context.clock()))} rules expired")
        found.append(look_back(context))
    deleted, is_done = delete_old(context, time.monotonic() + most_s)
    if not is_done:
        context.queues.put(purge_job(day, int(part or 1) + 1))
        found.append("goes on")
    counts = ", ".join(f"{deleted[name]} {name}" for name in (*_NAMES, "others"))
    return "; ".join((f"{name}: deleted {counts}", *found))


def delete_old(context: Context, deadline: float) -> tuple[Counter[str], bool]:
    """Delete batch by batch until nothing is left or the deadline passes; return the numbers, and whether it is done.

    `deadline` is a time of the monotonic clock; each kind has one batch at least.
    """
    store, now, settings = context.store, context.clock(), context.settings
    before, handled = now - timedelta(days=settings.keep_days), now - timedelta(days=HANDLED_DAYS)
    history = now - timedelta(days=settings.history_days)
    kept = store.retention
    steps: tuple[tuple[str, Callable[[], int]], ...] = (
        (_NAMES[0], lambda: store.deliveries.purge(before, handled)),
        (_NAMES[1], lambda: store.runs.purge_reports(before)),
        (_NAMES[2], lambda: store.checks.purge(before)),
        (_NAMES[3], lambda: store.traces.purge(before)),
        (_NAMES[4], lambda: kept.delete_pulls(history)),
        (_NAMES[5], lambda: kept.delete_tasks(history)),
        (_NAMES[6], lambda: context.queues.purge(max(before, handled))),
        ("others", lambda: kept.delete_unplaced(history)),
        ("others", lambda: kept.delete_rules(history)),
        ("others", lambda: kept.delete_insights(history)),
        ("others", lambda: kept.delete_rest(history, now)),
    )
    deleted: Counter[str] = Counter()
    is_done = True
    for name, step in steps:
        is_left = True
        while is_left and (number := step()):
            deleted[name] += number
            is_left = time.monotonic() < deadline
        is_done = is_done and is_left
    return deleted, is_done
