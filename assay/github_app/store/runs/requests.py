"""Requests for validation: the line in front of the workers, shared fairly between repositories.

A request is a job that waits here until a worker has a free slot, and stays until the job ends. Of one pull request one
job at a time is admitted. Repositories take turns by start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996): a
request starts at the repository's own finish time, but not before the time of the line, and the earliest start is
admitted. A repository that was quiet is therefore next, however many requests another one has, and a weight of 2 gets
twice the jobs. Within a repository requests of users come first, then the oldest.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, Index, and_, delete, exists, func, or_, select, update
from sqlalchemy.orm import Mapped, aliased, mapped_column

from assay.github_app.store.app.installations import RepositoryRow
from assay.github_app.store.database.columns import Big, BigKey, Kept, Key, StoredRow, described
from assay.github_app.store.database.database import Tables, insert_new, locked, put, rows, values_of

LINE = 0
"""Key of the row that holds the time of the whole line; no repository has this id."""


class RequestRow(StoredRow):
    """A request for validation. `place` is its pull request; jobs of one place run one after the other."""

    __tablename__ = "validation_requests"
    __table_args__ = (
        Index(None, "admitted_at", "due_at"),
        Index(None, "place", "admitted_at"),
        Index(None, "run_id"),
        described(
            "Jobs of validations that wait for a slot or run (`admitted_at`); deleted when they end.", Kept.until_end
        ),
    )

    job_id: Mapped[Key]
    run_id: Mapped[str]
    repository_id: Mapped[Big]
    place: Mapped[str]
    attempt: Mapped[int]
    first_at: Mapped[datetime]
    is_urgent: Mapped[bool]
    asked_at: Mapped[datetime]
    due_at: Mapped[datetime]
    admitted_at: Mapped[datetime | None] = mapped_column(default=None)


class TurnRow(StoredRow):
    """Time at which a repository's next request may start, in jobs of weight 1; `LINE` has the time of the line."""

    __tablename__ = "validation_turns"
    __table_args__ = described(
        "Turns of the repositories that wait for validation; key 0: the time of the line.", Kept.until_end
    )

    repository_id: Mapped[BigKey]
    starts: Mapped[float]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Request that may be admitted now, and the full name of its repository."""

    row: RequestRow
    repository: str


class Requests(Tables):
    """The tables `validation_requests` and `validation_turns`."""

    def ask(self, row: RequestRow) -> None:
        """Store a request, once."""
        with self._database.write() as connection:
            insert_new(connection, RequestRow, values_of(row))

    def are_waiting(self, now: datetime, stale: timedelta) -> bool:
        """Return whether a request is due, or one was admitted longer than `stale` ago."""
        wanted = or_(_is_due(now), RequestRow.admitted_at <= now - stale)
        with self._database.read() as connection:
            return connection.execute(select(RequestRow.job_id).where(wanted).limit(1)).first() is not None

    def postpone(self, installation_id: int, now: datetime, until: datetime) -> tuple[RequestRow, ...]:
        """Let the due requests of an installation wait until then, except those of users; return them."""
        of_it = select(RepositoryRow.id).where(RepositoryRow.installation_id == installation_id)
        wanted = (_is_due(now), RequestRow.is_urgent.is_(False), RequestRow.repository_id.in_(of_it))
        with self._database.write() as connection:
            found = rows(connection, select(RequestRow).where(*wanted).with_for_update(skip_locked=True))
            if found:
                these = update(RequestRow).where(RequestRow.job_id.in_([row.job_id for row in found]))
                connection.execute(these.values(due_at=until))
            return found

    def admit(self, limit: int, now: datetime, weight: Callable[[str], float]) -> tuple[RequestRow, ...]:
        """Admit at most `limit` requests, in turns; `weight` gives a repository's share by its full name."""
        if limit < 1:
            return ()
        with self._database.write() as connection:
            line = self._locked_line(connection)
            waiting = _candidates(connection, limit, now)
            repositories = {one.row.repository_id for one in waiting}
            known = rows(connection, select(TurnRow).where(TurnRow.repository_id.in_(repositories)))
            starts = {row.repository_id: row.starts for row in known}
            running = select(RequestRow.repository_id).where(RequestRow.admitted_at.is_not(None))
            at_work = Counter(connection.execute(running).scalars())
            chosen, line = choose(waiting, limit, line, starts, at_work, weight)
            for one in chosen:
                connection.execute(update(RequestRow).filter_by(job_id=one.job_id).values(admitted_at=now))
            for repository_id in {one.repository_id for one in chosen}:
                put(connection, TurnRow, {"repository_id": repository_id, "starts": starts[repository_id]})
            if chosen:
                put(connection, TurnRow, {"repository_id": LINE, "starts": line})
                # A repository whose time has passed starts at that of the line, as one without a row.
                past = and_(TurnRow.repository_id != LINE, TurnRow.starts <= line)
                connection.execute(delete(TurnRow).where(past))
            return tuple(replace(one, admitted_at=now) for one in chosen)

    def stale(self, now: datetime, stale: timedelta) -> tuple[RequestRow, ...]:
        """Return the requests admitted longer than `stale` ago, whose jobs may be lost, and restart their time."""
        old = RequestRow.admitted_at <= now - stale
        with self._database.write() as connection:
            found = rows(connection, select(RequestRow).where(old).with_for_update(skip_locked=True))
            these = update(RequestRow).where(RequestRow.job_id.in_([row.job_id for row in found]))
            connection.execute(these.values(admitted_at=now))
            return found

    def end(self, run_id: str, attempt: int) -> None:
        """Delete the admitted request of an attempt whose job ends."""
        this = (RequestRow.run_id == run_id, RequestRow.attempt == attempt, RequestRow.admitted_at.is_not(None))
        self._database.execute(delete(RequestRow).where(*this))

    def end_job(self, job_id: str) -> None:
        """Delete the request of a job that ended or that no worker survived."""
        self._database.execute(delete(RequestRow).where(RequestRow.job_id == job_id))

    def withdraw(self, run_id: str) -> None:
        """Delete the request of a run that never began: it has nothing to conclude."""
        never_begun = (RequestRow.run_id == run_id, RequestRow.attempt == 1, RequestRow.admitted_at.is_(None))
        self._database.execute(delete(RequestRow).where(*never_begun))

    def runs(self) -> frozenset[str]:
        """Return the ids of all runs with a request."""
        with self._database.read() as connection:
            return frozenset(connection.execute(select(RequestRow.run_id)).scalars())

    def _locked_line(self, connection: Connection) -> float:
        """Return the time of the line; other workers wait here until the transaction ends."""
        insert_new(connection, TurnRow, {"repository_id": LINE, "starts": 0.0})
        row = locked(connection, TurnRow, {"repository_id": LINE})
        return 0.0 if row is None else row.starts


def choose(
    waiting: Iterable[Candidate],
    limit: int,
    line: float,
    starts: dict[int, float],
    at_work: Counter[int],
    weight: Callable[[str], float],
) -> tuple[list[RequestRow], float]:
    """Return the requests to admit, and the new time of the line; `starts` and `at_work` are brought up to date.

    `waiting` has each repository's candidates in their order. Of equal starts the repository with fewer jobs at work
    comes first, then the older request.
    """
    queues: dict[int, deque[Candidate]] = {}
    for one in waiting:
        queues.setdefault(one.row.repository_id, deque()).append(one)
    chosen: list[RequestRow] = []
    while queues and len(chosen) < limit:
        turns = [
            (max(line, starts.get(repository_id, 0.0)), at_work[repository_id], queue[0].row.asked_at, repository_id)
            for repository_id, queue in queues.items()
        ]
        line, _, _, repository_id = min(turns)
        one = queues[repository_id].popleft()
        if not queues[repository_id]:
            del queues[repository_id]
        starts[repository_id] = line + 1 / weight(one.repository)
        at_work[repository_id] += 1
        chosen.append(one.row)
    return chosen, line


def _is_due(now: datetime) -> ColumnElement[bool]:
    return and_(RequestRow.admitted_at.is_(None), RequestRow.due_at <= now)


def _candidates(connection: Connection, limit: int, now: datetime) -> list[Candidate]:
    """Return of each repository the first `limit` requests that are due and whose place is free, in their order."""
    other = aliased(RequestRow)
    is_taken = exists().where(other.place == RequestRow.place, other.admitted_at.is_not(None))
    in_place = func.row_number().over(partition_by=RequestRow.place, order_by=(RequestRow.asked_at, RequestRow.job_id))
    due = (
        select(RequestRow.job_id, RequestRow.repository_id, RequestRow.is_urgent, RequestRow.asked_at)
        .add_columns(in_place.label("in_place"))
        .where(_is_due(now), ~is_taken)
        .subquery()
    )
    order = (due.c.is_urgent.desc(), due.c.asked_at, due.c.job_id)
    rank = func.row_number().over(partition_by=due.c.repository_id, order_by=order)
    first = select(due.c.job_id, rank.label("rank")).where(due.c.in_place == 1).subquery()
    wanted = select(RequestRow).join(first, first.c.job_id == RequestRow.job_id).where(first.c.rank <= limit)
    found = rows(connection, wanted.order_by(first.c.rank, RequestRow.job_id))
    names = select(RepositoryRow.id, RepositoryRow.full_name).where(
        RepositoryRow.id.in_({row.repository_id for row in found})
    )
    name_of = {row.id: row.full_name for row in connection.execute(names)}
    return [Candidate(row, name_of.get(row.repository_id, "")) for row in found]
