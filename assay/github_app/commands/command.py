"""Request of a command, its permission by the rules of `assay.github.authority`, and the reports it refers to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from assay.github.authority import AUTHORITY, Act, makers, own_work, refusal
from assay.github.client import Permission, Repo
from assay.github.errors import CommandRefused
from assay.github.events.model import Person, PullFacts
from assay.github_app.runtime.context import Context
from assay.github_app.store import RunRow
from assay.validators import ValidationReport, as_code, read_report


@dataclass(frozen=True, slots=True)
class CommandRequest:
    """Command of a user, from a comment or a button.

    `text` follows the command's name, unparsed. `key` identifies the line of the comment or the press of the button and
    makes effects idempotent. `pull` is the pull request as GitHub describes it now. `said_at` is the time of the
    comment (None for a button, which belongs to `seen_head`). `made_by` names the makers of the head, for acts that
    exclude them.
    """

    context: Context
    repo: Repo
    repository_id: int
    pull: PullFacts
    by: Person
    permission: Permission
    text: str
    key: str
    at: datetime
    said_at: datetime | None = None
    seen_head: str | None = None
    made_by: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        return self.pull.number

    @property
    def place(self) -> tuple[int, int]:
        """Key of the pull request in the store: (repository id, number)."""
        return self.repository_id, self.pull.number


@dataclass(frozen=True, slots=True)
class Command:
    """Row of the table of commands, idempotent per key.

    `name` is the word after `/assay`, `usage` the name with its arguments and `about` a line of Markdown, for
    `/assay help`. `carry_out` returns the reply as Markdown, or raises `CommandRefused` with the reply if it cannot.
    """

    name: str
    usage: str
    about: str
    carry_out: Callable[[CommandRequest], str]


def permitted(act: Act, request: CommandRequest) -> CommandRequest:
    """Check the permission; return the request with the makers of the head, for acts that exclude them.

    Raises:
        CommandRefused: the user may not, with the reason.
    """
    why = refusal(act, request.permission, is_author=is_author(request))
    if why is not None:
        raise CommandRefused(why)
    if not AUTHORITY[act].bars_makers:
        return request
    made = _made(request)
    own = own_work(request.by, made)
    if own is not None:
        raise CommandRefused(
            f"Another user has to do this: {own}. Nothing was done.", code="command.needs-another-user"
        )
    return replace(request, made_by=tuple(sorted(made)))


def may(act: Act, request: CommandRequest) -> bool:
    """Return whether the user may do another act, so that replies suggest only commands the user may give."""
    try:
        permitted(act, request)
    except CommandRefused:
        return False
    return True


def is_author(request: CommandRequest) -> bool:
    """Return whether the user opened the pull request, by id: a login can move to another account."""
    author = request.pull.author
    return author.id is not None and author.id == request.by.id


def _made(request: CommandRequest) -> Mapping[str, str]:
    log = request.context.store.events.of(*request.place)
    return makers(request.pull, request.repo.commits_of(request.number), log)


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
