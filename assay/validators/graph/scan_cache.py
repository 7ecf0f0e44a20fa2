"""What was found in source files, kept on this machine between runs.

One SQLite file under the user's cache folder. It holds facts that can be found again, so whatever is wrong with it
(locked, damaged, of another version, disk full) costs time and nothing else. `ASSAY_NO_CACHE=1` leaves it alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path

from assay.validators import languages
from assay.validators.languages.language import Import, Scan

MOST_SCANS = 200_000
"""Scans kept; beyond that the oldest third goes. About 40 MB."""

WAIT_S = 0.5
"""How long another process may hold the file before this one does without."""

_Key = tuple[str, str]
_AT_ONCE = 900
_TABLE = "CREATE TABLE IF NOT EXISTS scans (dialect TEXT, blob TEXT, found TEXT NOT NULL, PRIMARY KEY (dialect, blob))"


def default_cache() -> ScanCache | None:
    """The user's cache, None where `ASSAY_NO_CACHE` is set or there is no folder to keep one in."""
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
    """A number for how this Assay reads source: another one for every change of what reads it."""
    found = hashlib.sha256()
    for file in sorted(Path(languages.__path__[0]).rglob("*.py")):
        found.update(file.read_bytes())
    # What SQLite has room for beside a database's own header.
    return int.from_bytes(found.digest()[:4], "big") >> 1


class ScanCache:
    """Scans by (dialect, object id of the content), in a file that need not exist yet."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def load(self, keys: Collection[_Key]) -> dict[_Key, Scan]:
        """What is kept for these keys; nothing where the file cannot be read."""
        found: dict[_Key, Scan] = {}
        blobs: dict[str, None] = dict.fromkeys(blob for _, blob in keys)
        with self._open() as database:
            if database is None:
                return {}
            for part in _parts(list(blobs)):
                marks = ",".join("?" * len(part))
                rows = database.execute(f"SELECT dialect, blob, found FROM scans WHERE blob IN ({marks})", part)  # noqa: S608
                for dialect, blob, text in rows:
                    scan = _scan(text)
                    if scan is not None:
                        found[dialect, blob] = scan
        return {key: found[key] for key in keys if key in found}

    def save(self, scans: Mapping[_Key, Scan]) -> None:
        """Keep these as well, if the file can be written."""
        with self._open() as database:
            if database is not None:
                rows = [(*key, _text(scan)) for key, scan in scans.items()]
                with database:
                    database.executemany("INSERT OR IGNORE INTO scans VALUES (?, ?, ?)", rows)
                    (count,) = database.execute("SELECT count(*) FROM scans").fetchone()
                    if count > MOST_SCANS:
                        oldest = "SELECT rowid FROM scans ORDER BY rowid LIMIT ?"
                        database.execute(f"DELETE FROM scans WHERE rowid IN ({oldest})", (count - MOST_SCANS * 2 // 3,))  # noqa: S608

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection | None]:
        """The database, None where it cannot be had. What goes wrong in it ends the block, and no more."""
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
            database.execute(_TABLE)
        except (OSError, sqlite3.Error) as error:
            self._give_up(error)
            return None
        return database

    def _give_up(self, error: Exception) -> None:
        """Remove a damaged file, so that the next run starts a new one; a file that is merely busy is left alone."""
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            with contextlib.suppress(OSError):
                self.path.unlink()


def _emptied_of_others(database: sqlite3.Connection) -> None:
    """Remove what another version of Assay found, and may have found otherwise."""
    if database.execute("PRAGMA user_version").fetchone() != (fingerprint(),):
        with database:
            database.execute("BEGIN IMMEDIATE")
            database.execute("DROP TABLE IF EXISTS scans")
            database.execute(f"PRAGMA user_version={fingerprint()}")


def _parts(blobs: list[str]) -> Iterator[list[str]]:
    for begin in range(0, len(blobs), _AT_ONCE):
        yield blobs[begin : begin + _AT_ONCE]


def _text(scan: Scan) -> str:
    imports = [[i.line, i.target, i.names, i.alias, i.kind, i.is_top] for i in scan.imports]
    return json.dumps([scan.is_script, scan.moves_path, imports], separators=(",", ":"))


def _scan(text: object) -> Scan | None:
    """A scan from what is kept; None where that is not what was written."""
    try:
        is_script, moves_path, rows = json.loads(str(text))
        imports = []
        for line, target, names, alias, kind, is_top in rows:
            pairs = tuple((str(name), str(local)) for name, local in names)
            imports.append(Import(int(line), str(target), pairs, str(alias), str(kind), bool(is_top)))
    except (ValueError, TypeError, RecursionError):
        return None
    return Scan(tuple(imports), bool(is_script), bool(moves_path))
