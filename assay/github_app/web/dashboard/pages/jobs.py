"""Page of deliveries and jobs: workers, running jobs, failed jobs."""

from __future__ import annotations

from collections.abc import Mapping

from assay.github_app.web.dashboard.content.blocks import Block, Cell, Fact, Facts, Row, Sheet, Table, columns_of
from assay.github_app.web.dashboard.pages.page import Page, PageRequest, pull_cell

_INTRO = "Retry failed jobs on the machine where Assay runs, with assay jobs retry."


def view(asked: PageRequest) -> Sheet:
    """Show jobs of the user's repositories; only the operator sees workers."""
    mine = {name.lower(): name for name in asked.names.values()}
    blocks: list[Block] = []
    if asked.viewer.is_operator:
        blocks += [_deliveries(asked), _workers(asked)]
    return Sheet("Deliveries and jobs", _INTRO, (*blocks, _runs(asked), _parked(asked, mine)))


def _deliveries(asked: PageRequest) -> Facts:
    counts = asked.store.deliveries.counts()
    oldest = asked.store.deliveries.oldest_waiting()
    age = "" if oldest is None else f"the oldest waits for {int((asked.now - oldest).total_seconds())} s"
    return Facts(
        tuple(
            Fact(str(state).capitalize(), str(num), age if state == "received" else "") for state, num in counts.items()
        )
    )


def _workers(asked: PageRequest) -> Table:
    columns = columns_of("worker", "host", "process", "heard_of=Last heartbeat")
    rows = tuple((row.executor, row.host, row.pid, row.renewed_at) for row in asked.store.leases.all())
    empty = "No worker is running, so nothing is validated: start assay serve or assay worker."
    return Table("workers", "Workers", columns, rows, empty)


def _runs(asked: PageRequest) -> Table:
    columns = columns_of("pull_request", "state", "head", "worker", "since")
    rows: list[Row] = []
    for run in asked.store.runs.unended():
        name = asked.names.get(run.repository_id)
        if name is None:
            continue
        place = pull_cell(name, run.number) if run.number is not None else Cell(f"{name} (merge group)")
        worker = (run.executor or "") if asked.viewer.is_operator else ""
        rows.append((place, str(run.state), Cell(run.head_sha[:9], kind="code"), worker, run.created_at))
    return Table("unended", "Running or waiting", columns, tuple(rows), "No jobs.")


def _parked(asked: PageRequest, mine: Mapping[str, str]) -> Table:
    columns = columns_of("delivery", "event", "place=Where", "tries", "why", "at=When")
    rows: list[Row] = []
    for one in asked.store.deliveries.parked():
        if not asked.viewer.is_operator and (one.repository or "").lower() not in mine:
            continue
        event = f"{one.event}.{one.action}" if one.action else one.event
        place = f"{one.repository or ''}{f'#{one.number}' if one.number else ''}"
        rows.append((Cell(one.id, kind="code"), event, place, one.attempt, one.error or "", one.changed_at))
    return Table("parked", "Failed jobs", columns, tuple(rows), "No failed jobs.")


PAGE = Page("jobs", "/jobs", view, "Deliveries and jobs", "Now")
