"""Webhook deliveries, committed before they are acknowledged, and their state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import Column, Index, Integer, LargeBinary, Row, Table, Update, and_, delete, func, or_, select, update

from assay.github_app.store.database.columns import BIG, METADATA, UtcTime, Words, clean
from assay.github_app.store.database.database import Database, insert_new, locked

STALE_S = 60.0
"""Seconds after which an unfinished delivery is taken again, with the same attempt number. Jobs are keyed
`delivery:<id>:<attempt>`, so the work starts once."""

_ENDED = ("done", "ignored", "parked")


class DeliveryState(StrEnum):
    """received -> started -> done | ignored | failed (retried later) | `parked` (dead-letter queue)."""

    received = "received"
    started = "started"
    done = "done"
    ignored = "ignored"
    failed = "failed"
    parked = "parked"


class Receipt(StrEnum):
    """`new`: stored now. `known`: nothing to do. `again`: failed or dead-lettered before, and retried now."""

    new = "new"
    known = "known"
    again = "again"


DELIVERIES = Table(
    "deliveries",
    METADATA,
    Column("id", Words, primary_key=True),
    Column("event", Words, nullable=False),
    Column("action", Words),
    Column("repository", Words),
    Column("number", Integer()),
    Column("installation_id", BIG),
    Column("body", LargeBinary, nullable=False),
    Column("state", Words, nullable=False),
    Column("attempt", Integer(), nullable=False),
    Column("error", Words),
    Column("received_at", UtcTime, nullable=False),
    Column("retry_at", UtcTime),
    Column("changed_at", UtcTime, nullable=False),
    Index(None, "state", "received_at"),
    info={"holds": "Raw webhook deliveries, until they are handled and `keep_days` are over."},
)


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """One delivery. `attempt` starts at 1; `repository` is a full name such as `owner/repo`."""

    id: str
    event: str
    action: str | None
    repository: str | None
    number: int | None
    installation_id: int | None
    body: bytes
    state: DeliveryState
    attempt: int
    error: str | None
    received_at: datetime
    retry_at: datetime | None
    changed_at: datetime


class Deliveries:
    """The table `deliveries`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def receive(
        self,
        delivery_id: str,
        event: str,
        action: str | None,
        repository: str | None,
        number: int | None,
        installation_id: int | None,
        body: bytes,
        received_at: datetime,
    ) -> Receipt:
        """Commit a delivery, once. On return, it survives a power failure.

        Raises:
            StoreUnavailable: it is not stored; answer 503.
        """
        with self._database.write() as connection:
            is_new = insert_new(
                connection,
                DELIVERIES,
                {
                    "id": delivery_id,
                    "event": event,
                    "action": action,
                    "repository": repository,
                    "number": number,
                    "installation_id": installation_id,
                    "body": body,
                    "state": DeliveryState.received,
                    "attempt": 1,
                    "received_at": received_at,
                    "changed_at": received_at,
                },
            )
            if is_new:
                return Receipt.new
            failed = DELIVERIES.c.state.in_((DeliveryState.failed, DeliveryState.parked))
            done = connection.execute(_again(received_at).where(DELIVERIES.c.id == delivery_id, failed))
            return Receipt.again if done.rowcount else Receipt.known

    def take(self, limit: int, now: datetime, stale_s: float = STALE_S) -> tuple[DeliveryRow, ...]:
        """Return the next deliveries, oldest first, now `started` and hidden from other takers for `stale_s`."""
        waiting = or_(
            DELIVERIES.c.state == DeliveryState.received,
            and_(DELIVERIES.c.state == DeliveryState.failed, DELIVERIES.c.retry_at <= now),
            and_(
                DELIVERIES.c.state == DeliveryState.started, DELIVERIES.c.changed_at <= now - timedelta(seconds=stale_s)
            ),
        )
        wanted = select(DELIVERIES).where(waiting).order_by(DELIVERIES.c.received_at, DELIVERIES.c.id).limit(limit)
        with self._database.read() as connection:
            if connection.execute(wanted.with_only_columns(DELIVERIES.c.id).limit(1)).first() is None:
                return ()
        with self._database.write() as connection:
            rows = connection.execute(wanted.with_for_update(skip_locked=True)).all()
            if rows:
                connection.execute(
                    update(DELIVERIES)
                    .where(DELIVERIES.c.id.in_([row.id for row in rows]))
                    .values(state=DeliveryState.started, changed_at=now)
                )
            return tuple(_delivery(row, DeliveryState.started) for row in rows)

    def get(self, delivery_id: str) -> DeliveryRow | None:
        """Return the delivery with this id."""
        with self._database.read() as connection:
            row = connection.execute(select(DELIVERIES).where(DELIVERIES.c.id == delivery_id)).one_or_none()
            return None if row is None else _delivery(row)

    def started(self, delivery_id: str, at: datetime) -> None:
        """Mark the delivery as in progress and restart its `stale_s`."""
        self._end(delivery_id, DeliveryState.started, at, None, None)

    def done(self, delivery_id: str, at: datetime) -> None:
        """Mark the delivery as handled."""
        self._end(delivery_id, DeliveryState.done, at, None, None)

    def ignored(self, delivery_id: str, at: datetime, why: str | None = None) -> None:
        """Mark the delivery as not relevant to the App."""
        self._end(delivery_id, DeliveryState.ignored, at, why, None)

    def failed(self, delivery_id: str, error: str, retry_at: datetime, at: datetime) -> None:
        """Record a failure; the next attempt is due at `retry_at`."""
        self._end(delivery_id, DeliveryState.failed, at, error, retry_at)

    def park(self, delivery_id: str, error: str, at: datetime) -> None:
        """Move the delivery to the dead-letter queue until an operator retries it or GitHub redelivers it."""
        self._end(delivery_id, DeliveryState.parked, at, error, None)

    def parked(self, limit: int = 100) -> tuple[DeliveryRow, ...]:
        """Return the deliveries in the dead-letter queue, newest first."""
        wanted = select(DELIVERIES).where(DELIVERIES.c.state == DeliveryState.parked)
        newest = wanted.order_by(DELIVERIES.c.changed_at.desc(), DELIVERIES.c.id).limit(limit)
        with self._database.read() as connection:
            return tuple(_delivery(row) for row in connection.execute(newest))

    def release(self, delivery_id: str, at: datetime) -> bool:
        """Retry a delivery of the dead-letter queue; return False if it is not there."""
        parked = DELIVERIES.c.state == DeliveryState.parked
        with self._database.write() as connection:
            return connection.execute(_again(at).where(DELIVERIES.c.id == delivery_id, parked)).rowcount > 0

    def counts(self) -> Mapping[DeliveryState, int]:
        """Return the number of deliveries in each state, including empty states."""
        counted = select(DELIVERIES.c.state, func.count()).group_by(DELIVERIES.c.state)
        with self._database.read() as connection:
            found = {row[0]: row[1] for row in connection.execute(counted)}
        return {state: found.get(state, 0) for state in DeliveryState}

    def oldest_waiting(self) -> datetime | None:
        """Return when the oldest unfinished delivery was received."""
        waiting = select(func.min(DELIVERIES.c.received_at)).where(DELIVERIES.c.state.not_in(_ENDED))
        with self._database.read() as connection:
            oldest: datetime | None = connection.execute(waiting).scalar_one()
            return oldest

    def purge(self, before: datetime) -> int:
        """Delete deliveries that ended earlier; return their number."""
        old = and_(DELIVERIES.c.state.in_(_ENDED), DELIVERIES.c.changed_at < before)
        with self._database.write() as connection:
            return connection.execute(delete(DELIVERIES).where(old)).rowcount

    def _end(
        self, delivery_id: str, state: DeliveryState, at: datetime, error: str | None, retry_at: datetime | None
    ) -> None:
        with self._database.write() as connection:
            row = locked(connection, DELIVERIES, {"id": delivery_id})
            if row is None or row.state in _ENDED:
                return
            # Only a delivery in progress can fail, so a repeated failure counts once.
            is_next = state is DeliveryState.failed and row.state == DeliveryState.started
            connection.execute(
                update(DELIVERIES)
                .where(DELIVERIES.c.id == delivery_id)
                .values(
                    state=state,
                    changed_at=at,
                    error=None if error is None else clean(error, 2000),
                    retry_at=retry_at,
                    attempt=row.attempt + is_next,
                )
            )


def _again(at: datetime) -> Update:
    return update(DELIVERIES).values(
        state=DeliveryState.received, attempt=DELIVERIES.c.attempt + 1, retry_at=None, changed_at=at
    )


def _delivery(row: Row[tuple[object, ...]], state: DeliveryState | None = None) -> DeliveryRow:
    values = row._asdict()
    return DeliveryRow(**{**values, "state": state or DeliveryState(values["state"])})
