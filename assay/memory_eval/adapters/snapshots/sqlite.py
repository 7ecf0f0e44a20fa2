"""SQLite databases, read from a private copy; and any of them by a mapping in YAML that names the table and columns.

The copy keeps the original unlocked and unwritten. It includes the write-ahead log, without which the newest rows are
missing, but never `-shm`, which SQLite rebuilds, nor `-journal`, which may name other files to delete.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from assay.escape import visible
from assay.memory_eval.adapters.snapshots.reading import Reader, Reading, candidates, decoded, read_bytes, shown
from assay.memory_eval.adapters.snapshots.snapshot import State, entries_of, moment_of, state_until
from assay.memory_eval.errors import WorldUnreadable
from assay.memory_eval.files import first_wrong

MOST_DATABASE_BYTES = 512 * 2**20
MOST_CELL_BYTES = 16 * 2**20
MOST_SECONDS = 60
"""Of the processor, for reading one database and its entries: a busy machine takes longer."""
MOST_MAPPING_BYTES = 65_536
MAGIC = b"SQLite format 3\0"

_SUFFIXES = (".db", ".db3", ".sqlite", ".sqlite3")
_OPCODES = 10_000
_MOST_ERROR = 200
_MOST_TABLES = 8
_WAL_VERSION = 2
_HEADER_BYTES = 100


class Database:
    """An open copy. `tables` has the columns of each real table: no view, no virtual table, no generated column."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        # A virtual table has no root page; `sqlite_master` works on every version of SQLite.
        named = self.select("SELECT name FROM main.sqlite_master WHERE type = 'table' AND rootpage > 0")
        self.tables: Mapping[str, tuple[str, ...]] = {
            name: tuple(row[1] for row in self.select(f"PRAGMA main.table_xinfo({_quoted(name)})") if row[6] == 0)
            for (name,) in list(named)
            if isinstance(name, str)
        }

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield these columns of a table's rows. WorldUnreadable if the table or a column is missing."""
        present = self.tables.get(table, ())
        for column in columns:
            if column not in present:
                what = f"has no column {column}" if present else "is missing"
                raise WorldUnreadable(f"{shown(self.path)}: table {table} {what}", code="snapshot.unknown-version")
        return self.select(f"SELECT {', '.join(map(_quoted, columns))} FROM main.{_quoted(table)}")  # noqa: S608 - quoted

    def select(self, query: str) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query over tables and columns that are known to be there."""
        yield from self._connection.execute(query)


def databases(path: Path) -> Iterator[Path]:
    """Yield the file itself if it is SQLite, or the SQLite files of a folder by name and content, to detect one."""
    return filter(is_database, candidates(path, _SUFFIXES))


def databases_of(reading: Reading) -> list[Path]:
    """Return the SQLite files to read, in a fixed order; note links."""
    return reading.files(_SUFFIXES, is_database)


def is_database(path: Path) -> bool:
    """Return whether a file begins as an SQLite database."""
    with suppress(WorldUnreadable):
        return read_bytes(path, len(MAGIC)) == MAGIC
    return False


@contextmanager
def open_database(path: Path, reading: Reading | None = None) -> Iterator[Database]:
    """Copy a database to a private folder and open it read-only, for the block.

    Adds its bytes, which have their own limit, and why rows may be missing to `reading`.

    Raises:
        WorldUnreadable: a link, too large, not SQLite, damaged, or changed by another process while copied.
    """
    with tempfile.TemporaryDirectory(prefix="assay-memory-") as folder:
        copy = Path(folder) / "copy.db"
        with _in_one_line(path):
            num_bytes = _copied(path, copy)
            if reading is not None:
                reading.num_bytes += num_bytes
                if note := _note(path, copy):
                    reading.note(note)
            # mode=rw: recovering the log writes `-shm` next to the copy. `query_only` forbids the rest.
            with closing(sqlite3.connect(f"file:{quote(str(copy))}?mode=rw", uri=True, timeout=1)) as connection:
                connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_CELL_BYTES)
                # A schema can hide function calls in views, triggers, indexes and defaults: none is trusted.
                for pragma in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON"):
                    connection.execute(f"PRAGMA {pragma}")
                end = time.thread_time() + MOST_SECONDS
                connection.set_progress_handler(lambda: int(time.thread_time() > end), _OPCODES)
                connection.text_factory = lambda data: data.decode("utf-8", "replace")
                yield Database(path, connection)


def _copied(path: Path, copy: Path) -> int:
    """Copy database and log; return their bytes."""
    logs = [log for log in (path, _with(path, "-wal")) if os.path.lexists(log)]
    before = [_marks(one) for one in logs]
    for one, target in zip(logs, (copy, _with(copy, "-wal")), strict=False):
        if one.is_symlink():
            raise WorldUnreadable(f"{shown(one)}: a link, which is not followed", code="snapshot.link")
        if one.stat().st_size > MOST_DATABASE_BYTES:
            raise WorldUnreadable(
                f"{shown(one)}: larger than {MOST_DATABASE_BYTES >> 20} MB", code="snapshot.too-large"
            )
        shutil.copyfile(one, target)
    if [_marks(one) for one in logs] != before:
        raise WorldUnreadable(f"{shown(path)}: another process changes it; stop the agent or copy the store first")
    return sum(size for size, _ in before)


def _marks(path: Path) -> tuple[int, int]:
    status = path.lstat()
    return status.st_size, status.st_mtime_ns


def _note(path: Path, copy: Path) -> str:
    """Return why rows may be missing, "" if all are there."""
    header = read_bytes(copy, _HEADER_BYTES)
    if os.path.lexists(_with(path, "-journal")) and os.lstat(_with(path, "-journal")).st_size:
        return f"{shown(path)}: may be inconsistent: a transaction was interrupted (-journal is not replayed)"
    if _WAL_VERSION in header[18:20] and not _with(copy, "-wal").exists():
        return f"{shown(path)}: may be incomplete unless it was closed: its -wal file is not here"
    return ""


def _with(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


@contextmanager
def _in_one_line(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WorldUnreadable(f"{shown(path)}: {(error.strerror or 'cannot be read').lower()}") from error
    # Python decodes the message of an error strictly.
    except (sqlite3.Error, UnicodeDecodeError, OverflowError, MemoryError) as error:
        why = visible(str(error), _MOST_ERROR)  # it may quote the schema
        if why == "interrupted":
            raise WorldUnreadable(f"{shown(path)}: takes longer than {MOST_SECONDS} s of processor time") from error
        raise WorldUnreadable(
            f"{shown(path)}: a damaged SQLite database, or one of a newer version ({why})", code="snapshot.damaged"
        ) from error


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# ------------------ mapping


class Columns(BaseModel):
    """Table and column names. A row is history if `deleted` is set in it, or from the time in `valid_to` on."""

    model_config = ConfigDict(extra="forbid", strict=True)

    table: str
    text: str
    id: str | None = None
    created: str | None = None
    updated: str | None = None
    valid_to: str | None = None
    deleted: str | None = None
    about: str | None = None
    speaker: str | None = None


def reader_by(mapping: Path) -> Reader:
    """Return the reader of one SQLite file by a mapping; raises WorldUnreadable if that is not one."""
    columns = _columns_in(mapping)
    return Reader(is_database, lambda reading: _read(reading, columns))


def _read(reading: Reading, columns: Columns) -> str:
    names = columns.model_dump(exclude_none=True, exclude={"table"})
    taken = list(dict.fromkeys(names.values()))
    with open_database(reading.root, reading) as database:
        for number, row in enumerate(database.rows(columns.table, taken), start=1):
            values = dict(zip(taken, row, strict=True))
            _keep(reading, columns.table, number, {name: values[column] for name, column in names.items()})
    return "sqlite"


def _keep(reading: Reading, table: str, number: int, row: Mapping[str, Any]) -> None:
    text = row["text"].decode("utf-8", "replace") if isinstance(row["text"], bytes) else row["text"]
    if not isinstance(text, str):
        reading.leave(reading.root, number, "a row whose text is not a text")
        return
    ended = moment_of(row.get("valid_to"))
    is_over = bool(row.get("deleted") or (row.get("valid_to") and ended is None))
    state: State = "history" if is_over else state_until(ended)
    entry_id = str(row["id"]) if row.get("id") is not None else f"{table}:{number}"
    said = {name: row.get(name) for name in ("about", "speaker", "created", "updated", "valid_to")}
    reading.keep(entries_of(text, entry_id, "row", state=state, ends_by_itself=not is_over, **said))


def _columns_in(path: Path) -> Columns:
    data = read_bytes(path, MOST_MAPPING_BYTES)
    try:
        return Columns.model_validate(yaml.safe_load(decoded(data)))
    except ValidationError as error:
        keys = ", ".join(Columns.model_fields)
        why = f"{visible(first_wrong(error), _MOST_ERROR)}; keys: {keys}"
        raise WorldUnreadable(f"{shown(path)}: {why}", code="snapshot.mapping") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise WorldUnreadable(f"{shown(path)}: not YAML ({type(error).__name__})", code="snapshot.mapping") from error


def _refused(reading: Reading) -> str:
    with open_database(reading.root, reading) as database:
        names = visible(", ".join(sorted(database.tables)[:_MOST_TABLES]) or "none", _MOST_ERROR)
    raise WorldUnreadable(
        f"{shown(reading.root)}: an unknown SQLite database (tables: {names}); add --mapping",
        code="snapshot.unknown-format",
    )


READER = Reader(lambda path: not path.is_dir() and is_database(path), _refused)
