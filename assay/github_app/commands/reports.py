"""The report a command is about: the newest one of the pull request."""

from __future__ import annotations

from datetime import datetime

from assay.github.errors import CommandRefused
from assay.github_app.commands.command import Asked
from assay.github_app.store import RunRow
from assay.validators import ValidationReport, as_code, read_report


def newest_report(asked: Asked) -> tuple[RunRow, ValidationReport]:
    """The run and its report; refused where there is none (any more)."""
    store = asked.context.store
    run = store.runs.newest_reported(*asked.place)
    data = store.runs.report(run.id) if run else None
    if run is None or data is None:
        raise CommandRefused("There is no report on this pull request yet.")
    return run, read_report(data)


def report_of_head(asked: Asked) -> ValidationReport | None:
    """The report on the present head; None while there is none."""
    store = asked.context.store
    run = store.runs.of_head(*asked.place, asked.pull.head_sha)
    data = store.runs.report(run.id) if run else None
    return read_report(data) if data is not None else None


def refresh(asked: Asked) -> None:
    """Have what stands on GitHub for the present head computed anew; a head without a report is not there yet."""
    run = asked.context.store.runs.of_head(*asked.place, asked.pull.head_sha)
    if run is not None and run.reported_at is not None:
        asked.context.ask_refresh(run.id, why="command", delay_s=0)


def open_only(asked: Asked) -> None:
    """Refused on a pull request that is closed."""
    if asked.pull.state != "open":
        raise CommandRefused("This pull request is closed.")


def must_have_seen(asked: Asked, head_sha: str, *since: datetime) -> None:
    """Refuse what was said about a head before it was pushed, or before one of the times `since`.

    A button belongs to a check, and so to a head, itself.
    """
    if asked.said_at is None:
        return
    pushed = [one.pushed_at for one in asked.context.store.pulls.heads(*asked.place) if one.sha == head_sha]
    if any(_whole(when) > _whole(asked.said_at) for when in (*pushed, *since)):
        raise CommandRefused(f"{as_code(head_sha[:12])} came after you wrote this; look at it, and say it again.")


def _whole(when: datetime) -> datetime:
    """GitHub tells whole seconds."""
    return when.replace(microsecond=0)
