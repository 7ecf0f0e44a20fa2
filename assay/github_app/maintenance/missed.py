"""Webhooks that the App does not have, requested again.

Each turn of the sweep reads the newest part of GitHub's list for those that could not be delivered. After an outage the
list of missed ones is longer than a turn can read: a chain of jobs goes on from there, back to the time when deliveries
arrived. A restored database lacks deliveries that did arrive: an operator starts a chain that requests those too.
GitHub keeps deliveries for three days.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from assay.github.client import DeliveryFacts
from assay.github.events.parse import ACTIONS
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.queues import Job, Queue

MOST_PAGES = 50
"""Maximum pages of GitHub's list, of 100 attempts each, read per turn or job."""
MOST_REDELIVERIES = 200
"""Redeliveries per turn or job; with the pause of a second between two, the sweep runs in between."""
FIRST_LOOK = timedelta(hours=24)
"""Period of a day's first turn."""
KEPT_BY_GITHUB = timedelta(days=3)
PASSING = frozenset({"check_run", "check_suite", "status", "workflow_run", "ping"})
"""Events that a chain leaves out: the state of checks is read when a head is validated. They are most of the list."""


@dataclass(frozen=True, slots=True)
class Walk:
    """Redeliveries requested, and where the list goes on if more of it has to be read."""

    num_requested: int
    cursor: str | None


def older_job(cursor: str, until: datetime, chain: str, part: int = 1) -> Job:
    """Return the job that reads the list on from a page; a `chain` has one job for each part."""
    arguments = (cursor, int(until.timestamp()), chain, part)
    return Job("redeliver", f"redeliver:{chain}:{part}", Queue.chores, arguments)


def missed_deliveries(context: Context, turn: int) -> int:
    """Request redeliveries of webhooks that did not arrive; return their number."""
    sweep_s = context.settings.sweep_s
    is_first = turn % max(1, 86_400 // sweep_s) == 0
    until = context.clock() - (FIRST_LOOK if is_first else timedelta(seconds=3 * sweep_s + 60))
    done = _walk(context, None, until, frozenset(ACTIONS))
    if done.cursor is not None:
        # One chain an hour: each of the first turns after an outage sees its end.
        context.queues.put(older_job(done.cursor, until, str(turn * sweep_s // 3600)))
    return done.num_requested


def redeliver_older(context: Context, cursor: str, until_s: int, chain: str, part: int) -> str:
    """Request redeliveries on from a page of the list, and enqueue the next job; return a summary."""
    until = datetime.fromtimestamp(until_s, UTC)
    done = _walk(context, cursor, until, frozenset(ACTIONS) - PASSING)
    if done.cursor is not None:
        context.queues.put(older_job(done.cursor, until, chain, part + 1))
    return f"{done.num_requested} redeliveries requested{'; goes on' if done.cursor is not None else ''}"


def recovery_job(since: datetime, chain: str, cursor: str | None = None, part: int = 1) -> Job:
    """Return the job that requests what was delivered since then and is not stored; a `chain` has one for each part."""
    return Job("recover", f"recover:{chain}:{part}", Queue.chores, (cursor, int(since.timestamp()), chain, part))


def recover(context: Context, cursor: str | None, since_s: int, chain: str, part: int) -> str:
    """Request redeliveries of what is not stored, on from a page of the list; return a summary."""
    since, num_requested = datetime.fromtimestamp(since_s, UTC), 0
    for _ in range(MOST_PAGES):
        page, cursor = context.github.delivery_page(cursor)
        recent = [
            one for one in page if one.delivered_at >= since and one.event in ACTIONS and one.event not in PASSING
        ]
        stored = context.store.deliveries.stored([one.guid for one in recent])
        newest = {one.guid: one.id for one in reversed(recent) if one.guid not in stored}
        for number in newest.values():
            context.github.redeliver(number)
        num_requested += len(newest)
        if cursor is None or not page or page[-1].delivered_at < since:
            return f"{num_requested} redeliveries requested"
        if num_requested >= MOST_REDELIVERIES:
            break
    context.queues.put(recovery_job(since, chain, cursor, part + 1))
    return f"{num_requested} redeliveries requested; goes on"


def _walk(context: Context, cursor: str | None, until: datetime, events: frozenset[str]) -> Walk:
    """Read the list from a page on, newest first, back to `until`, and further as long as the oldest did not arrive."""
    arrived: set[str] = set()
    num_requested, is_newest = 0, cursor is None
    for _ in range(MOST_PAGES):
        page, cursor = context.github.delivery_page(cursor)
        arrived.update(one.guid for one in page if one.arrived)
        missed = _missed(context, page, arrived, events, until)
        if is_newest and missed and not arrived:
            # Nothing arrives, so the server is still away: one request finds out when it is back.
            context.github.redeliver(missed[0])
            return Walk(1, None)
        for number in missed:
            context.github.redeliver(number)
        num_requested, is_newest = num_requested + len(missed), False
        if cursor is None or not page or _is_past(page[-1], until, context.clock()):
            return Walk(num_requested, None)
        if num_requested >= MOST_REDELIVERIES:
            break
    return Walk(num_requested, cursor)


def _is_past(oldest: DeliveryFacts, until: datetime, now: datetime) -> bool:
    """Return whether the list is read far enough: an outage goes on in the next page if the oldest attempt failed."""
    return oldest.delivered_at < until and (oldest.arrived or oldest.delivered_at < now - KEPT_BY_GITHUB)


def _missed(
    context: Context, page: Sequence[DeliveryFacts], arrived: set[str], events: frozenset[str], until: datetime
) -> list[int]:
    """Return the newest attempt of each delivery that never arrived, newest first.

    Before `until` they count if nothing older on the page arrived, which is how an outage looks.
    """
    newest_of_outage = max((place for place, one in enumerate(page) if one.arrived), default=-1) + 1
    failed: dict[str, int] = {}
    for place, one in enumerate(page):
        counts = place >= newest_of_outage or one.delivered_at >= until
        if counts and not one.arrived and one.event in events:
            failed.setdefault(one.guid, one.id)
    stored = context.store.deliveries.stored(list(failed))
    return [number for guid, number in failed.items() if guid not in arrived | stored]
