"""Cache of scanned source files between runs.

One SQLite file in the user's cache folder. It holds only derived data, so a file that is locked, damaged, of another
version, or on a full disk costs time and nothing else. `ASSAY_NO_CACHE=1` disables it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from assay.validators import languages
from assay.validators.graph.kept_facts import KeptFacts
from assay.validators.languages.language import Import, Scan

MOST_SCANS = 200_000
"""Maximum scans; beyond that the oldest third is deleted. About 40 MB."""

MOST_FACTS = 20_000
"""Maximum files with facts, likewise. About 60 MB."""

WAIT_S = 0.5
"""Seconds to wait for another process's lock before running without the cache."""

Key = tuple[str, str]
"""(dialect, git's object id of the content)."""
_AT_ONCE = 900
_TABLES = (
    "CREATE TABLE IF NOT EXISTS scans (dialect TEXT, blob TEXT, found TEXT NOT NULL, PRIMARY KEY (dialect, blob))",
    "CREATE TABLE IF NOT EXISTS facts (dialect, blob, words, members, packed, PRIMARY KEY (dialect, blob))",
)


def default_cache() -> ScanCache | None:
    """Return the user's cache; None if `ASSAY_NO_CACHE` is set or there is no cache folder."""
    if os.environ.get("ASSAY_NO_CACHE", "") not in ("", "0"):
        return None
    home = os.environ.get("XDG_CACHE_HOME", "")
    try:
        folder = Path(home) if os.path.isabs(home) else Path.home() / ".cache"
    except RuntimeError:
        return None
    return ScanCache(folder / "assay" / "imports.sqlite")


@cache
def fingerprint() -> int:
    """Return a number that changes with every change of the scanning code."""
    found = hashlib.sha256()
    for file in sorted(Path(languages.__path__[0]).rglob("*.py")):
        found.update(file.read_bytes())
    # The width of SQLite's `user_version`.
    return int.from_bytes(found.digest()[:4], "big") >> 1


class ScanCache:
    """Scans by (dialect, object id of the content), in a file that may not exist yet."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def load(self, keys: Collection[Key]) -> dict[Key, Scan]:
        """Return the cached scans of these keys; empty if the file cannot be read."""
        rows = self._rows("SELECT dialect, blob, found FROM scans WHERE blob IN", keys)
        scans = {(dialect, blob): _scan(text) for dialect, blob, text in rows}
        return {key: scan for key in keys if (scan := scans.get(key)) is not None}

    def save(self, scans: Mapping[Key, Scan]) -> None:
        """Add these scans, if the file can be written."""
        self._insert("scans", [(*key, _text(scan)) for key, scan in scans.items()], MOST_SCANS)

    def load_facts(self, keys: Collection[Key]) -> dict[Key, KeptFacts]:
        """Return the cached facts of these keys; empty if the file cannot be read."""
        rows = self._rows("SELECT dialect, blob, words, members, packed FROM facts WHERE blob IN", keys)
        facts = {(dialect, blob): KeptFacts(*found) for dialect, blob, *found in rows}
        return {key: facts[key] for key in keys if key in facts}

    def save_facts(self, facts: Mapping[Key, KeptFacts]) -> None:
        """Add these facts, if the file can be written."""
        self._insert("facts", [(*key, one.words, one.members, one.packed) for key, one in facts.items()], MOST_FACTS)

    def _rows(self, select: str, keys: Collection[Key]) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        blobs: dict[str, None] = dict.fromkeys(blob for _, blob in keys)
        with self._open() as database:
            if database is None:
                return found
            for part in _parts(list(blobs)):
                found += database.execute(f"{select} ({','.join('?' * len(part))})", part)
        return found

    def _insert(self, table: str, rows: Sequence[tuple[Any, ...]], most: int) -> None:
        with self._open() as database:
            if database is not None and rows:
                with database:
                    marks = ",".join("?" * len(rows[0]))
                    database.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", rows)  # noqa: S608
                    (count,) = database.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608
                    if count > most:
                        oldest = f"SELECT rowid FROM {table} ORDER BY rowid LIMIT ?"  # noqa: S608
                        database.execute(f"DELETE FROM {table} WHERE rowid IN ({oldest})", (count - most * 2 // 3,))  # noqa: S608

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
            _emptied_of_others(database)
            for table in _TABLES:
                database.execute(table)
        except (OSError, sqlite3.Error) as error:
            self._give_up(error)
            return None
        return database

    def _give_up(self, error: Exception) -> None:
        """Remove a damaged file, so that the next run starts a new one; leave a busy file alone."""
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            with contextlib.suppress(OSError):
                self.path.unlink()


def _emptied_of_others(database: sqlite3.Connection) -> None:
    """Delete the scans of another version of Assay, which may differ."""
    if database.execute("PRAGMA user_version").fetchone() != (fingerprint(),):
        with database:
            database.execute("BEGIN IMMEDIATE")
            database.execute("DROP TABLE IF EXISTS scans")
            database.execute("DROP TABLE IF EXISTS facts")
            database.execute(f"PRAGMA user_version={fingerprint()}")


def _parts(blobs: list[str]) -> Iterator[list[str]]:
    for begin in range(0, len(blobs), _AT_ONCE):
        yield blobs[begin : begin + _AT_ONCE]


def _text(scan: Scan) -> str:
    imports = [[i.line, i.target, i.names, i.alias, i.kind, i.is_top] for i in scan.imports]
    return json.dumps([scan.is_script, scan.moves_path, imports], separators=(",", ":"))


def _scan(text: object) -> Scan | None:
    """Return a scan from its cached text; None if the text is invalid."""
    try:
        is_script, moves_path, rows = json.loads(str(text))
        imports = []
        for line, target, names, alias, kind, is_top in rows:
            pairs = tuple((str(name), str(local)) for name, local in names)
            imports.append(Import(int(line), str(target), pairs, str(alias), str(kind), bool(is_top)))
    except (ValueError, TypeError, RecursionError):
        return None
    return Scan(tuple(imports), bool(is_script), bool(moves_path))
