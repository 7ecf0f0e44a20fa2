"""Access to one database, SQLite or PostgreSQL, safe for concurrent threads and processes.

A write on SQLite begins with `BEGIN IMMEDIATE`: it waits for its turn at the start instead of failing in the middle.
On PostgreSQL rows are locked before they are compared.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    Delete,
    Engine,
    Select,
    Update,
    create_engine,
    delete,
    event,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, NoSuchModuleError, OperationalError
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

from assay.github.errors import SettingsError, StoreUnavailable
from assay.github_app.store.database.columns import StoredRow
from assay.github_app.store.database.sqlite_release import sqlite_problem
from assay.github_app.store.database.turns import Turns

BUSY_TIMEOUT_S = 20
"""Seconds a write on SQLite waits for earlier writers."""
BATCH = 500
"""Maximum rows changed in one transaction of the daily deletion: others wait for it."""

_WRITES = "assay_writes"
R = TypeVar("R", bound=StoredRow)


class Database:
    """Connections to one database. Use `read` and `write`; a `write` inside a `write` joins it."""

    def __init__(self, url: str) -> None:
        self.url = _read(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        if self.is_sqlite and (problem := sqlite_problem()) is not None:
            raise SettingsError(problem)
        self.engine = _engine(self.url)
        self._turns = Turns(_private(Path(self.url.database or "")), BUSY_TIMEOUT_S) if self.is_sqlite else None
        self._open = threading.local()

    def __repr__(self) -> str:
        return f"Database({self.address})"

    @property
    def address(self) -> str:
        """The URL without the password."""
        return self.url.render_as_string(hide_password=True)

    @contextlib.contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a consistent view; inside a `write` it includes the uncommitted changes."""
        joined = self._joined()
        if joined is not None:
            yield joined
            return
        with _explained(), self.engine.connect() as plain:
            # PostgreSQL's default shows each statement what others committed before it.
            connection = plain if self.is_sqlite else plain.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextlib.contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a transaction, committed to disk when the block ends.

        Raises:
            StoreUnavailable: the database cannot be reached, is full, or stayed locked.
        """
        joined = self._joined()
        if joined is not None:
            yield joined
            return
        turn = self._turns.taken() if self._turns else contextlib.nullcontext()
        with _explained(), turn, self.engine.connect() as plain:
            connection = plain.execution_options(**{_WRITES: True})
            with connection.begin():
                self._open.connection = connection
                try:
                    yield connection
                finally:
                    self._open.connection = None

    def rows(self, wanted: Select[R]) -> tuple[R, ...]:
        """Return the selected rows."""
        with self.read() as connection:
            return rows(connection, wanted)

    def one(self, wanted: Select[R]) -> R | None:
        """Return the only selected row, or None."""
        with self.read() as connection:
            return one(connection, wanted)

    def execute(self, change: Update | Delete) -> int:
        """Change rows in a transaction; return their number."""
        with self.write() as connection:
            return connection.execute(change).rowcount

    def delete_some(self, kind: type[StoredRow], *which: ColumnElement[bool], most: int = BATCH) -> int:
        """Delete at most `most` of these rows; return their number. Searching takes no write lock."""
        keys = self._some(kind, which, most)
        return self.execute(delete(kind).where(_are(kind, keys), *which)) if keys else 0

    def update_some(
        self, kind: type[StoredRow], values: Mapping[str, Any], *which: ColumnElement[bool], most: int = BATCH
    ) -> int:
        """Change at most `most` of these rows, so that they are none of these any more; return their number."""
        keys = self._some(kind, which, most)
        return self.execute(update(kind).where(_are(kind, keys), *which).values(**values)) if keys else 0

    def _some(self, kind: type[StoredRow], which: tuple[ColumnElement[bool], ...], most: int) -> list[Any]:
        with self.read() as connection:
            wanted = select(*kind.__table__.primary_key).where(*which).limit(most)
            return [tuple(row) for row in connection.execute(wanted)]

    def _joined(self) -> Connection | None:
        return getattr(self._open, "connection", None)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()
        if self._turns:
            self._turns.close()


class Tables:
    """Group of methods for one or several tables."""

    def __init__(self, database: Database) -> None:
        self._database = database


def _are(kind: type[StoredRow], keys: list[Any]) -> ColumnElement[bool]:
    """Return the condition that a row has one of these primary keys."""
    first, *more = kind.__table__.primary_key
    return tuple_(first, *more).in_(keys) if more else first.in_([key for (key,) in keys])


def rows(connection: Connection, wanted: Select[R]) -> tuple[R, ...]:
    """Return the selected rows."""
    with Session(connection) as session:
        return tuple(session.scalars(wanted))


def one(connection: Connection, wanted: Select[R]) -> R | None:
    """Return the only selected row, or None."""
    with Session(connection) as session:
        return session.scalars(wanted).one_or_none()


def locked(connection: Connection, kind: type[R], key: Mapping[str, Any]) -> R | None:
    """Return the row with this key, locked until the transaction ends, or None."""
    return one(connection, select(kind).filter_by(**key).with_for_update())


def values_of(row: StoredRow) -> dict[str, Any]:
    """Return the columns of a row."""
    return {field.name: getattr(row, field.name) for field in fields(row)}


def insert_new(connection: Connection, kind: type[StoredRow], values: Mapping[str, Any]) -> bool:
    """Insert a row unless one with its key exists; return whether it was inserted."""
    statement = _insert(connection, kind).values(**values).on_conflict_do_nothing()
    # RETURNING, because not every driver reports the number of inserted rows.
    return connection.execute(statement.returning(*kind.__table__.primary_key)).first() is not None


def put(connection: Connection, kind: type[StoredRow], values: Mapping[str, Any]) -> None:
    """Insert the row, or update the given columns of the row with its primary key."""
    keys = {column.name for column in kind.__table__.primary_key}
    statement = _insert(connection, kind).values(**values)
    rest = {name: statement.excluded[name] for name in values if name not in keys}
    connection.execute(statement.on_conflict_do_update(index_elements=sorted(keys), set_=rest))


def _insert(connection: Connection, kind: type[StoredRow]) -> Any:
    """Return the dialect's insert: both support `ON CONFLICT`, by different SQLAlchemy classes."""
    return sqlite.insert(kind) if connection.dialect.name == "sqlite" else postgresql.insert(kind)


def _read(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise SettingsError(
            "ASSAY_DATABASE_URL: not a SQLAlchemy URL such as sqlite:////var/lib/assay.sqlite"
        ) from None
    backend = parsed.get_backend_name()
    if backend == "postgresql":
        return parsed.set(drivername="postgresql+psycopg")
    if backend != "sqlite":
        raise SettingsError(f"ASSAY_DATABASE_URL: {backend} is not supported; use sqlite:/// or postgresql://")
    if not parsed.database or parsed.database.startswith((":memory:", "file:")):
        raise SettingsError("ASSAY_DATABASE_URL: SQLite needs a plain file that workers share: sqlite:////path/to/file")
    return parsed


def _private(file: Path) -> Path:
    """Return the database file, created readable only by its owner: it contains users' comments."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise StoreUnavailable(f"{file} cannot be opened: {error.strerror}") from None
    return file


def _engine(url: URL) -> Engine:
    try:
        if url.get_backend_name() != "sqlite":
            engine = create_engine(url, pool_pre_ping=True, pool_recycle=1800, connect_args={"connect_timeout": 10})
            # Before SQLAlchemy's own first query, which fails on bytes in a database without an encoding.
            event.listen(engine, "connect", _require_utf8, insert=True)
            return engine
        engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_S, "check_same_thread": False})
    except (ArgumentError, NoSuchModuleError) as error:
        raise SettingsError(f"ASSAY_DATABASE_URL: {error}") from None
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _require_utf8(connection: Any, _entry: ConnectionPoolEntry) -> None:
    """Refuse a PostgreSQL database that cannot hold every text, such as SQL_ASCII of a cluster made with LANG=C."""
    if (encoding := connection.info.parameter_status("server_encoding")) != "UTF8":
        fix = "create it by `createdb --encoding=UTF8 --template=template0`"
        raise SettingsError(f"ASSAY_DATABASE_URL: the database's encoding is {encoding}, not UTF8; {fix}")


def _prepare(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    # The driver's own transactions begin late and without a lock, so they are off; `_begin` starts them.
    connection.isolation_level = None
    cursor = connection.cursor()
    try:
        _into_wal(cursor)
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.execute("PRAGMA foreign_keys=ON")
    finally:
        cursor.close()


def _into_wal(cursor: Any) -> None:
    """Switch to WAL, where readers do not wait for writers. The first switch needs exclusive access."""
    deadline = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            if cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                cursor.execute("PRAGMA journal_mode=WAL")
            return
        except Exception:
            # SQLite does not wait here by itself; a permanent error is raised after the time limit.
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get(_WRITES) else "BEGIN")


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    """Raise database errors as `StoreUnavailable`, without the statement: its values may be private."""
    try:
        yield
    except (OperationalError, InterfaceError) as error:
        raise StoreUnavailable(_said(error)) from None


def _said(error: DBAPIError) -> str:
    lines = str(error.orig).strip().splitlines()
    return lines[0][:300] if lines else type(error.orig).__name__
