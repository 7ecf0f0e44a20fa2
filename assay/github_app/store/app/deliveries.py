"""Webhook deliveries, committed before they are acknowledged, and their state."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import Index, Update, and_, func, or_, select, update
from sqlalchemy.orm import Mapped, mapped_column

from assay.github_app.store.database.columns import Big, Choice, Kept, Key, StoredRow, clean, described
from assay.github_app.store.database.database import Tables, insert_new, locked, rows

_HANDLED = ("done", "ignored")
_UNFINISHED = ("received", "started", "failed")
_ENDED = (*_HANDLED, "parked")


class DeliveryState(StrEnum):
    """received -> started -> done | ignored | failed (retried later) | `parked` (dead-letter queue)."""

    received = "received"
    started = "started"
    done = "done"
    ignored = "ignored"
    failed = "failed"
    parked = "parked"


UNHANDLED = tuple(state for state in DeliveryState if state not in _HANDLED)


class Receipt(StrEnum):
    """`new`: stored now. `known`: nothing to do. `again`: failed or dead-lettered before, and retried now."""

    new = "new"
    known = "known"
    again = "again"


class DeliveryRow(StoredRow):
    """One delivery. `attempt` starts at 1; `repository` is a full name such as `owner/repo`.

    `payload` is the body, zlib-compressed; empty once the delivery is handled or ignored.
    """

    __tablename__ = "deliveries"
    __table_args__ = (
        Index(None, "state", "received_at"),
        described("Webhook deliveries; `payload` (zlib) until they are handled.", Kept.keep_days),
    )

    id: Mapped[Key]
    event: Mapped[str]
    action: Mapped[str | None]
    repository: Mapped[str | None]
    number: Mapped[int | None]
    installation_id: Mapped[Big | None]
    payload: Mapped[bytes]
    state: Mapped[DeliveryState] = mapped_column(Choice(DeliveryState))
    attempt: Mapped[int]
    error: Mapped[str | None]
    received_at: Mapped[datetime]
    retry_at: Mapped[datetime | None]
    changed_at: Mapped[datetime]

    @property
    def is_ended(self) -> bool:
        """Whether nothing is left to do unless it is retried."""
        return self.state in _ENDED

    @property
    def body(self) -> bytes:
        """The body as it was received; empty once it is handled."""
        return zlib.decompress(self.payload) if self.payload and self.state not in _HANDLED else b""


class Deliveries(Tables):
    """The table `deliveries`."""

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
        values = {
            "id": delivery_id,
            "event": event,
            "action": action,
            "repository": repository,
            "number": number,
            "installation_id": installation_id,
            "payload": zlib.compress(body, 6),
            "state": DeliveryState.received,
            "attempt": 1,
            "received_at": received_at,
            "changed_at": received_at,
        }
        with self._database.write() as connection:
            if insert_new(connection, DeliveryRow, values):
                return Receipt.new
            failed = DeliveryRow.state.in_((DeliveryState.failed, DeliveryState.parked))
            done = connection.execute(_again(received_at).where(DeliveryRow.id == delivery_id, failed))
            return Receipt.again if done.rowcount else Receipt.known

    def take(
        self, limit: int, now: datetime, stale_s: float, enqueue: Callable[[DeliveryRow], object]
    ) -> tuple[DeliveryRow, ...]:
        """Call `enqueue` with each of the next deliveries, oldest first; hide them from other takers for `stale_s`.

        Returns them as they were before. They are marked as `started` only if every call returned, so a worker that
        dies meanwhile leaves them to be taken at once. `enqueue` may be called again for the same attempt, and its job
        may run before the mark.
        """
        waiting = or_(
            DeliveryRow.state == DeliveryState.received,
            and_(DeliveryRow.state == DeliveryState.failed, DeliveryRow.retry_at <= now),
            and_(
                DeliveryRow.state == DeliveryState.started, DeliveryRow.changed_at <= now - timedelta(seconds=stale_s)
            ),
        )
        wanted = select(DeliveryRow).where(waiting).order_by(DeliveryRow.received_at, DeliveryRow.id).limit(limit)
        with self._database.read() as connection:
            if connection.execute(wanted.with_only_columns(DeliveryRow.id).limit(1)).first() is None:
                return ()
        with self._database.write() as connection:
            taken = rows(connection, wanted.with_for_update(skip_locked=True))
            for row in taken:
                enqueue(row)
            these = update(DeliveryRow).where(DeliveryRow.id.in_([row.id for row in taken]))
            connection.execute(these.values(state=DeliveryState.started, changed_at=now))
            return taken

    def get(self, delivery_id: str) -> DeliveryRow | None:
        """Return the delivery with this id."""
        return self._database.one(select(DeliveryRow).where(DeliveryRow.id == delivery_id))

    def stored(self, delivery_ids: Sequence[str]) -> frozenset[str]:
        """Return which of these deliveries are stored."""
        with self._database.read() as connection:
            wanted = select(DeliveryRow.id).where(DeliveryRow.id.in_(delivery_ids))
            return frozenset(connection.execute(wanted).scalars())

    def done(self, delivery_id: str, at: datetime) -> None:
        """Mark the delivery as handled."""
        self._end(delivery_id, DeliveryState.done, at, None, None)

    def ignored(self, delivery_id: str, at: datetime) -> None:
        """Mark the delivery as not relevant to the App."""
        self._end(delivery_id, DeliveryState.ignored, at, None, None)

    def failed(self, delivery_id: str, error: str, retry_at: datetime, at: datetime) -> None:
        """Record a failure; the next attempt is due at `retry_at`."""
        self._end(delivery_id, DeliveryState.failed, at, error, retry_at)

    def park(self, delivery_id: str, error: str, at: datetime) -> None:
        """Move the delivery to the dead-letter queue until an operator retries it or GitHub redelivers it."""
        self._end(delivery_id, DeliveryState.parked, at, error, None)

    def parked(self, limit: int = 100) -> tuple[DeliveryRow, ...]:
        """Return the deliveries in the dead-letter queue, newest first."""
        wanted = select(DeliveryRow).where(DeliveryRow.state == DeliveryState.parked)
        newest = wanted.order_by(DeliveryRow.changed_at.desc(), DeliveryRow.id).limit(limit)
        return self._database.rows(newest)

    def release(self, delivery_id: str, at: datetime) -> bool:
        """Retry a delivery of the dead-letter queue; return False if it is not there."""
        return self._database.execute(_again(at).filter_by(id=delivery_id, state=DeliveryState.parked)) > 0

    def counts(self, states: Iterable[DeliveryState] = UNHANDLED) -> Mapping[DeliveryState, int]:
        """Return the number of deliveries in each of these states, including empty ones.

        Handled deliveries are millions where many arrive, and take seconds to count.
        """
        wanted = tuple(states)
        counted = select(DeliveryRow.state, func.count()).where(DeliveryRow.state.in_(wanted))
        with self._database.read() as connection:
            found = {row[0]: row[1] for row in connection.execute(counted.group_by(DeliveryRow.state))}
        return {state: found.get(state, 0) for state in wanted}

    def oldest_waiting(self) -> datetime | None:
        """Return when the oldest unfinished delivery was received."""
        # Listed, not excluded: only so does the index on `state` serve.
        waiting = select(func.min(DeliveryRow.received_at)).where(DeliveryRow.state.in_(_UNFINISHED))
        with self._database.read() as connection:
            return connection.execute(waiting).scalar_one()

    def purge(self, before: datetime, handled_before: datetime) -> int:
        """Delete some dead-lettered deliveries that ended earlier, or handled ones; return their number, 0 at the end.

        GitHub redelivers for three days, so handled ones need not stay as long.
        """
        row = DeliveryRow
        for states, at in ((_HANDLED, max(before, handled_before)), ((DeliveryState.parked,), before)):
            # `received_at`, which is earlier, has the index.
            old = (row.state.in_(states), row.received_at < at, row.changed_at < at)
            if num_deleted := self._database.delete_some(row, *old):
                return num_deleted
        return 0

    def _end(
        self, delivery_id: str, state: DeliveryState, at: datetime, error: str | None, retry_at: datetime | None
    ) -> None:
        with self._database.write() as connection:
            row = locked(connection, DeliveryRow, {"id": delivery_id})
            if row is None or row.state in _ENDED:
                return
            # A failure that is recorded twice counts once.
            is_next = state is DeliveryState.failed and row.state != DeliveryState.failed
            values = {
                "state": state,
                "changed_at": at,
                "error": None if error is None else clean(error, 2000),
                "retry_at": retry_at,
                "attempt": row.attempt + is_next,
                "payload": b"" if state in _HANDLED else row.payload,
            }
            connection.execute(update(DeliveryRow).filter_by(id=delivery_id).values(**values))


def _again(at: datetime) -> Update:
    return update(DeliveryRow).values(
        state=DeliveryState.received, attempt=DeliveryRow.attempt + 1, retry_at=None, changed_at=at
    )
