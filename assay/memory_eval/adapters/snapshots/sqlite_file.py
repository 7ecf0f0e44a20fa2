"""Untrusted SQLite databases, read from a private copy.

The copy keeps the original unlocked and unwritten. It includes the write-ahead log, without which the newest rows are
missing, but never `-shm`, which SQLite rebuilds, nor `-journal`, which may name other files to delete.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from assay.escape import visible
from assay.memory_eval.adapters.snapshots.reading import (
    MOST_FILES,
    Reading,
    begins_with,
    candidates,
    opened,
    shown,
)
from assay.memory_eval.errors import WorldUnreadable

MOST_DATABASE_BYTES = 512 * 2**20
MOST_CELL_BYTES = 16 * 2**20
MOST_SECONDS = 60
"""Of the processor, for reading one database and its entries: a busy machine takes longer."""
MAGIC = b"SQLite format 3\0"

_SUFFIXES = (".db", ".db3", ".sqlite", ".sqlite3")
_COPY_BYTES = 2**20
_MOST_TRIES = 3
_OPCODES = 10_000
_MOST_ERROR = 200
_WAL_VERSION = 2
_HEADER_BYTES = 100
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: MOST_CELL_BYTES,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 500,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 50,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 5,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
}
_ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ})
_PRAGMAS = frozenset({"table_xinfo"})


class Database:
    """An open copy. `tables` has the columns of each real table: no view, no virtual table, no generated column."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self.tables: Mapping[str, tuple[str, ...]] = self._tables()

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield these columns of a table's rows.

        Raises:
            WorldUnreadable: the table or a column is missing, or the database is damaged.
        """
        present = self.tables.get(table, ())
        for column in columns:
            if column not in present:
                what = f"has no column {column}" if present else "is missing"
                raise WorldUnreadable(f"{shown(self.path)}: table {table} {what}", code="snapshot.unknown-version")
        return self.select(f"SELECT {', '.join(map(_quoted, columns))} FROM main.{_quoted(table)}")  # noqa: S608 - quoted

    def select(self, query: str) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query over tables and columns that are known to be there."""
        with _one_line(self.path):
            yield from self._connection.execute(query)

    def _tables(self) -> dict[str, tuple[str, ...]]:
        with _one_line(self.path):
            # A virtual table has no root page; `sqlite_master` works on every version of SQLite.
            named = self._connection.execute(
                "SELECT name FROM main.sqlite_master WHERE type = 'table' AND rootpage > 0"
            ).fetchall()
            return {
                name: tuple(
                    row[1]
                    for row in self._connection.execute(f"PRAGMA main.table_xinfo({_quoted(name)})")
                    if row[6] == 0
                )
                for (name,) in named
                if isinstance(name, str)
            }


def databases(path: Path) -> Iterator[Path]:
    """Yield the file itself if it is SQLite, or the SQLite files of a folder by name and content, to detect one."""
    return filter(is_database, candidates(path, _SUFFIXES))


def databases_of(reading: Reading) -> Iterator[Path]:
    """Yield the SQLite files to read, in a fixed order; note links."""
    return reading.files(_SUFFIXES, is_database)


def is_database(path: Path) -> bool:
    """Return whether a file begins as an SQLite database."""
    return begins_with(path, MAGIC)


def tables_of(path: Path) -> Mapping[str, tuple[str, ...]]:
    """Return the columns of each table, or nothing for an unreadable database. Cached, as every reader asks."""
    return _tables_of(path, _marks(path, _with(path, "-wal")))


@lru_cache(maxsize=MOST_FILES)
def _tables_of(path: Path, marks: tuple[Any, ...]) -> Mapping[str, tuple[str, ...]]:  # noqa: ARG001 - part of the key
    try:
        with open_database(path) as database:
            return database.tables
    except WorldUnreadable:
        return {}


@contextmanager
def open_database(path: Path, reading: Reading | None = None) -> Iterator[Database]:
    """Copy a database to a private folder and open it read-only, for the block.

    Adds its bytes, which have their own limit, and why rows may be missing to `reading`.

    Raises:
        WorldUnreadable: a link, too large, not SQLite, damaged, or changed by another process while copied.
    """
    with tempfile.TemporaryDirectory(prefix="assay-memory-") as folder:
        copy = Path(folder) / "copy.db"
        num_bytes, note = _copied(path, copy)
        if reading is not None:
            reading.num_bytes += num_bytes
            if note:
                reading.note(note)
        with _one_line(path), closing(_connected(copy)) as connection:
            yield Database(path, connection)


def _connected(copy: Path) -> sqlite3.Connection:
    # mode=rw: recovering the log writes `-shm` next to the copy. `query_only` and the authorizer forbid the rest.
    connection = sqlite3.connect(f"file:{quote(str(copy))}?mode=rw", uri=True, isolation_level=None, timeout=1)
    try:
        for limit, value in _LIMITS.items():
            connection.setlimit(limit, value)
        for pragma in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON", "mmap_size = 0"):
            connection.execute(f"PRAGMA {pragma}")
        end = time.thread_time() + MOST_SECONDS
        connection.set_progress_handler(lambda: int(time.thread_time() > end), _OPCODES)
        connection.set_authorizer(_authorized)
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
    except BaseException:
        connection.close()
        raise
    return connection


def _authorized(action: int, name: str | None, *_: Any) -> int:
    """Allow reading alone: a schema can hide function calls in views, triggers, indexes and defaults."""
    is_allowed = action in _ALLOWED or (action == sqlite3.SQLITE_PRAGMA and name in _PRAGMAS)
    return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY


def _copied(path: Path, copy: Path) -> tuple[int, str]:
    """Copy database and log; return (bytes, note)."""
    log = _with(path, "-wal")
    for _ in range(_MOST_TRIES):
        before = _marks(path, log)
        num_bytes = _copied_file(path, copy)
        has_log = os.path.lexists(log)
        if has_log:
            num_bytes += _copied_file(log, _with(copy, "-wal"))
        else:
            _with(copy, "-wal").unlink(missing_ok=True)
        if _marks(path, log) == before:
            return num_bytes, _note(path, copy, has_log=has_log)
    raise WorldUnreadable(f"{shown(path)}: another process changes it; stop the agent or copy the store first")


def _copied_file(source: Path, target: Path) -> int:
    """Copy a plain file and return its size; raise WorldUnreadable for links and what is too large."""
    with opened(source) as reading, target.open("wb") as writing:
        size = os.fstat(reading.fileno()).st_size
        if size > MOST_DATABASE_BYTES:
            raise WorldUnreadable(
                f"{shown(source)}: larger than {MOST_DATABASE_BYTES >> 20} MB", code="snapshot.too-large"
            )
        left = size  # the file may grow meanwhile
        while left > 0 and (data := reading.read(min(left, _COPY_BYTES))):
            writing.write(data)
            left -= len(data)
    return size


def _note(path: Path, copy: Path, *, has_log: bool) -> str:
    with copy.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    if len(header) < _HEADER_BYTES or not header.startswith(MAGIC):
        raise WorldUnreadable(f"{shown(path)}: not an SQLite database, or cut off", code="snapshot.damaged")
    if os.path.lexists(_with(path, "-journal")) and os.lstat(_with(path, "-journal")).st_size:
        return f"{shown(path)}: may be inconsistent: a transaction was interrupted (-journal is not replayed)"
    if _WAL_VERSION in header[18:20] and not has_log:
        return f"{shown(path)}: may be incomplete unless it was closed: its -wal file is not here"
    return ""


def _marks(*paths: Path) -> tuple[tuple[int, int, int] | None, ...]:
    """Return what differs after a change of these files."""
    found: list[tuple[int, int, int] | None] = []
    for path in paths:
        try:
            status = path.lstat()
        except (OSError, ValueError):
            found.append(None)
        else:
            found.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(found)


def _with(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


@contextmanager
def _one_line(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        why = visible(str(error), _MOST_ERROR)  # it may quote the schema
        if why == "interrupted":
            raise WorldUnreadable(f"{shown(path)}: takes longer than {MOST_SECONDS} s of processor time") from error
        raise WorldUnreadable(
            f"{shown(path)}: a damaged SQLite database, or one of a newer version ({why})", code="snapshot.damaged"
        ) from error
    except (UnicodeDecodeError, OverflowError, MemoryError) as error:  # Python decodes the message of an error strictly
        raise WorldUnreadable(
            f"{shown(path)}: a damaged SQLite database ({type(error).__name__})", code="snapshot.damaged"
        ) from error


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
