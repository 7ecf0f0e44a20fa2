"""coverage.py's data file, `.coverage`: the fallback for a project that measures and writes no report.

Tables `file` (id, path), `line_bits` (a bit for each line that ran) and `arc` (from line, to line).

The run under validation writes this SQLite database. It is opened in memory, read by three plain queries, and
abandoned if those take long.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing

MOST_STEPS = 2000
"""Limit of all queries, in thousands of SQLite's virtual machine steps."""

MOST_STEPS_OF_CONTEXTS = 100_000
"""Likewise, for data with a context for each test."""


def is_coverage_py_data(data: bytes) -> bool:
    """Return whether a file is an SQLite database."""
    return data.startswith(b"SQLite format 3\x00")


def ran_lines(data: bytes) -> dict[str, set[int]]:
    """Return the files measured and the lines that ran; raise ValueError for a damaged or hostile file."""
    try:
        return _ran(data)
    except (sqlite3.Error, OverflowError, TypeError) as error:
        raise ValueError(f"not a data file of coverage.py: {error}") from None


def contexts_in(data: bytes) -> Iterator[tuple[str, str, int]]:
    """Yield (path, context, line) of every line that ran; raise ValueError for a damaged or hostile file."""
    try:
        with closing(_opened(data, MOST_STEPS_OF_CONTEXTS)) as database:
            paths = _paths(database)
            names = dict(database.execute("SELECT id, context FROM context"))
            if not any(names.values()):
                return
            for number, context, bits in database.execute("SELECT file_id, context_id, numbits FROM line_bits"):
                if number in paths and isinstance(bits, bytes):
                    for line in _numbers(bits):
                        yield paths[number], str(names.get(context, "")), line
            query = "SELECT DISTINCT file_id, context_id, tono FROM arc WHERE tono > 0"
            for number, context, line in database.execute(query):
                if number in paths and isinstance(line, int):
                    yield paths[number], str(names.get(context, "")), line
    except (sqlite3.Error, OverflowError, TypeError) as error:
        raise ValueError(f"not a data file of coverage.py: {error}") from None


def _opened(data: bytes, most_steps: int) -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.deserialize(data)
    database.execute("PRAGMA trusted_schema = OFF")
    left = iter(range(most_steps))
    database.set_progress_handler(lambda: next(left, None) is None, 1000)
    plain = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not {"file", "line_bits", "arc", "context"} <= plain:
        raise ValueError("an SQLite database, but not coverage.py's")
    return database


def _paths(database: sqlite3.Connection) -> dict[int, str]:
    return {number: path for number, path in database.execute("SELECT id, path FROM file") if isinstance(path, str)}


def _ran(data: bytes) -> dict[str, set[int]]:
    lines: dict[str, set[int]] = defaultdict(set)
    with closing(_opened(data, MOST_STEPS)) as database:
        paths = _paths(database)
        for path in paths.values():
            lines[path] = set()
        for number, bits in database.execute("SELECT file_id, numbits FROM line_bits"):
            if number in paths and isinstance(bits, bytes):
                lines[paths[number]].update(_numbers(bits))
        for number, line, following in database.execute("SELECT file_id, fromno, tono FROM arc"):
            if number in paths and isinstance(line, int) and isinstance(following, int):
                lines[paths[number]].update(value for value in (line, following) if 0 < value < 10_000_000)
    return lines


def _numbers(bits: bytes) -> Iterator[int]:
    """Return the line numbers of a bit set: bit n of byte m is line 8m + n."""
    for index, byte in enumerate(bits[:200_000]):
        for position in range(8) if byte else ():
            if byte & (1 << position):
                yield index * 8 + position
