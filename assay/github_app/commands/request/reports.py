"""Reports that commands refer to, and checks that commands share."""

from __future__ import annotations

from datetime import datetime

from assay.github.errors import CommandRefused
from assay.github_app.commands.command import CommandRequest
from assay.github_app.store import RunRow
from assay.validators import ValidationReport, as_code, read_report


def newest_report(request: CommandRequest) -> tuple[RunRow, ValidationReport]:
    """Return the newest run with a report. Raises `CommandRefused` if there is none, or it was deleted."""
    store = request.context.store
    run = store.runs.newest_reported(*request.place)
    data = store.runs.report(run.id) if run else None
    if run is None or data is None:
        raise CommandRefused("There is no report on this pull request yet.", code="command.no-report")
    return run, read_report(data)


def report_of_head(request: CommandRequest) -> ValidationReport | None:
    """Return the report on the current head, if there is one."""
    store = request.context.store
    run = store.runs.of_head(*request.place, request.pull.head_sha)
    data = store.runs.report(run.id) if run else None
    return read_report(data) if data is not None else None


def refresh(request: CommandRequest) -> None:
    """Publish the current head again, if it has a report."""
    run = request.context.store.runs.of_head(*request.place, request.pull.head_sha)
    if run is not None and run.reported_at is not None:
        request.context.ask_refresh(run.id, why="command", delay_s=0)


def open_only(request: CommandRequest) -> None:
    """Raise `CommandRefused` if the pull request is closed."""
    if request.pull.state != "open":
        raise CommandRefused("This pull request is closed.")


def must_have_seen(request: CommandRequest, head_sha: str, *since: datetime) -> None:
    """Refuse a comment written before the head was pushed, or before one of the times `since`.

    Buttons pass: they belong to a check, and so to a head.
    """
    if request.said_at is None:
        return
    pushed = [one.pushed_at for one in request.context.store.pulls.heads(*request.place) if one.sha == head_sha]
    if any(_whole(when) > _whole(request.said_at) for when in (*pushed, *since)):
        raise CommandRefused(
            f"{as_code(head_sha[:12])} came after your comment; check it, then repeat the command.",
            code="command.newer-head",
        )


def _whole(when: datetime) -> datetime:
    """Truncate to seconds, the resolution of GitHub's times."""
    return when.replace(microsecond=0)
