"""Page of one pull request: its newest report, holds, and history."""

from __future__ import annotations

import re

from assay.github.publish import held_for
from assay.github_app.store import EventRow, HoldRow, PullRow, RunRow, Store
from assay.github_app.web.dashboard.content.blocks import Block, Cell, Row, Sheet, Table, columns_of
from assay.github_app.web.dashboard.pages.page import Page, PageRequest
from assay.validators import (
    STATEMENT_KINDS,
    ValidationReport,
    ValidatorError,
    first_screen,
    read_report,
    risk_lowering,
    risk_set_by,
)

MOST_VALUES = 6
"""Maximum values shown of an event."""
_NUMBER = re.compile(r"[0-9]{1,12}")


def view(asked: PageRequest) -> Sheet | None:
    """Show a pull request; return None if it is unknown."""
    number, repository = asked.path["number"], asked.repository
    # GitHub's numbers fit the database's integers; a longer one is not a pull request.
    if repository is None or not _NUMBER.fullmatch(number) or not 0 < int(number) < 2**31:
        return None
    pull = asked.store.pulls.get(repository.id, int(number))
    if pull is None:
        return None
    place = (repository.id, pull.number)
    run = asked.store.runs.newest(*place)
    blocks: list[Block] = [_timeline(asked.store.events.of(*place))]
    holds = asked.store.holds.history(*place)
    if holds:
        blocks.insert(0, _holds(holds))
    report = _report(asked.store, run, pull)
    more = {"repository": repository.full_name, "pull": pull, "run": run, "report": report}
    if report is not None:
        more |= {"first": first_screen(report), "labels": STATEMENT_KINDS}
    if report is not None and report.risk is not None:
        more |= {"risk_set_by": risk_set_by(report.risk), "risk_lowering": "; ".join(risk_lowering(report.risk))}
    title = f"{repository.full_name}#{pull.number}"
    return Sheet(title, blocks=tuple(blocks), template="pull.html", more=more)


def _report(store: Store, run: RunRow | None, pull: PullRow) -> ValidationReport | None:
    newest = store.runs.newest_reported(pull.repository_id, pull.number)
    shown = newest if run is None or run.reported_at is None else run
    data = store.runs.report(shown.id) if shown is not None else None
    if data is None:
        return None
    try:
        return read_report(data)
    except ValidatorError:
        # A report of another version cannot be read, so only the row's own values are shown.
        return None


def _holds(holds: tuple[HoldRow, ...]) -> Table:
    columns = columns_of(
        "head", "level=For", "placed_at=Placed", "placed_by=By", "released_at=Released", "released_by=By", "reason=Why"
    )
    rows = tuple(
        (
            Cell(hold.head_sha[:9], kind="code"),
            held_for(hold.level, hold.reasons),
            hold.placed_at,
            hold.placed_by or "the verdict",
            hold.released_at or Cell(None, text="held", kind="chip"),
            hold.released_by or "",
            hold.release_reason or "",
        )
        for hold in holds
    )
    return Table("holds", "Holds", columns, rows, "")


def _timeline(events: tuple[EventRow, ...]) -> Table:
    columns = columns_of("at=When", "kind=What", "data=Details")
    rows: list[Row] = [
        (
            Cell(one.at, text=f"{one.at:%Y-%m-%d %H:%M:%S}"),
            Cell(one.kind, text=one.kind.replace("_", " ")),
            _values(one),
        )
        for one in events
    ]
    return Table("timeline", "History", columns, tuple(rows), "Nothing yet.")


def _values(event: EventRow) -> str:
    plain = [(name, value) for name, value in event.data.items() if isinstance(value, (str, int, float))]
    return " · ".join(f"{name}: {str(value)[:80]}" for name, value in plain[:MOST_VALUES])


PAGE = Page("pull", "/repos/{owner}/{name}/pulls/{number}", view)
