"""Rows of derived data kept between runs, by key, in SQLite files of the user's cache folder.

A file that is locked, damaged, of another version, or on a full disk costs time and nothing else. `ASSAY_NO_CACHE=1`
disables all of them.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WAIT_S = 0.5
"""Seconds to wait for another process's lock before running without the cache."""
_AT_ONCE = 900
"""Keys of one question: SQLite takes 999 variables."""

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Table with these columns next to the key; beyond `most` rows the oldest third is deleted."""

    name: str
    columns: tuple[str, ...]
    most: int


def cache_file(name: str) -> Path | None:
    """Return the path of a cache file; None if `ASSAY_NO_CACHE` is set or there is no cache folder."""
    if os.environ.get("ASSAY_NO_CACHE", "") not in ("", "0"):
        return None
    home = os.environ.get("XDG_CACHE_HOME", "")
    try:
        folder = Path(home) if os.path.isabs(home) else Path.home() / ".cache"
    except RuntimeError:
        return None
    return folder / "assay" / name


class RowCache:
    """Tables of one file, which may not exist yet. A file of another `version` or of other tables is emptied."""

    def __init__(self, path: Path, version: int, *tables: Table) -> None:
        self.path = path
        # The width of SQLite's `user_version`.
        self._version = (version ^ zlib.crc32(repr(tables).encode())) & 0x7FFF_FFFF
        self._tables = tables

    def load(self, table: Table, keys: Collection[str]) -> dict[str, Row]:
        """Return the rows of these keys, without the key; empty if the file cannot be read."""
        found: dict[str, Row] = {}
        wanted = list(keys)
        select = f"SELECT key, {','.join(table.columns)} FROM {table.name} WHERE key IN"  # noqa: S608
        with self._open() as database:
            if database is None:
                return found
            for begin in range(0, len(wanted), _AT_ONCE):
                part = wanted[begin : begin + _AT_ONCE]
                rows = database.execute(f"{select} ({','.join('?' * len(part))})", part)
                found.update((key, row) for key, *row in rows)
        return found

    def save(self, table: Table, rows: Mapping[str, Row]) -> None:
        """Add rows by key, if the file can be written."""
        if not rows:
            return
        insert = f"INSERT OR IGNORE INTO {table.name} VALUES (?{',?' * len(table.columns)})"  # noqa: S608
        oldest = f"SELECT rowid FROM {table.name} ORDER BY rowid LIMIT ?"  # noqa: S608
        with self._open() as database:
            if database is None:
                return
            with database:
                database.executemany(insert, [(key, *row) for key, row in rows.items()])
                (count,) = database.execute(f"SELECT count(*) FROM {table.name}").fetchone()  # noqa: S608
                if count > table.most:
                    surplus = count - table.most * 2 // 3
                    database.execute(f"DELETE FROM {table.name} WHERE rowid IN ({oldest})", (surplus,))  # noqa: S608

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection | None]:
        """Yield the database, or None if unavailable; an error in it only ends the block."""
        database = self._connected()
        if database is None:
            yield None
            return
        with contextlib.closing(database):
            try:
                yield database
            except sqlite3.Error as error:
                self._give_up(error)

    def _connected(self) -> sqlite3.Connection | None:
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            database = sqlite3.connect(self.path, timeout=WAIT_S)
            database.execute("PRAGMA synchronous=OFF")
            self._empty_of_others(database)
            for table in self._tables:
                columns = ",".join(("key TEXT PRIMARY KEY", *table.columns))
                database.execute(f"CREATE TABLE IF NOT EXISTS {table.name} ({columns})")
        except (OSError, sqlite3.Error) as error:
            self._give_up(error)
            return None
        return database

    def _empty_of_others(self, database: sqlite3.Connection) -> None:
        """Delete the rows of another version of Assay, which may differ."""
        if database.execute("PRAGMA user_version").fetchone() == (self._version,):
            return
        with database:
            database.execute("BEGIN IMMEDIATE")
            for table in self._tables:
                database.execute(f"DROP TABLE IF EXISTS {table.name}")
            database.execute(f"PRAGMA user_version={self._version}")

    def _give_up(self, error: Exception) -> None:
        """Remove a damaged file, so that the next run starts a new one; leave a busy file alone."""
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            with contextlib.suppress(OSError):
                self.path.unlink()


def version_of(*folders: str) -> int:
    """Return a number of 32 bits that changes with every change of the code in these folders."""
    found = hashlib.sha256()
    for folder in folders:
        for file in sorted(Path(folder).rglob("*.py")):
            found.update(file.read_bytes())
    return int.from_bytes(found.digest()[:4], "big")
