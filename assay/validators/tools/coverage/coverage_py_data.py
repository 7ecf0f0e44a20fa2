"""coverage.py's data file, `.coverage`: the fallback for a project that measures and writes no report.

The run under validation writes this SQLite database. It is opened in memory, read by three plain queries, and
abandoned if those take long.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing

from assay.validators.tools.coverage.coverage_reader import Reported

MOST_STEPS = 2000
"""Limit of a query, in thousands of SQLite's virtual machine steps."""


class CoveragePyData:
    """Tables `file` (id, path), `line_bits` (a bit for each line that ran) and `arc` (from line, to line)."""

    name = "coverage_py_data"

    def recognises(self, head: bytes) -> bool:
        """Return whether the file is an SQLite database."""
        return head.startswith(b"SQLite format 3\x00")

    def read(self, data: bytes) -> Iterator[Reported]:
        """Yield the files measured and the lines that ran; the format does not record which lines could have run."""
        try:
            found = _ran(data)
        except (sqlite3.Error, OverflowError, TypeError) as error:
            raise ValueError(f"not a data file of coverage.py: {error}") from None
        for path, numbers in found.items():
            yield Reported(path, dict.fromkeys(sorted(numbers), True), only_ran=True)


def _ran(data: bytes) -> dict[str, set[int]]:
    lines: dict[str, set[int]] = defaultdict(set)
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(data)
        database.execute("PRAGMA trusted_schema = OFF")
        left = iter(range(MOST_STEPS))
        database.set_progress_handler(lambda: next(left, None) is None, 1000)
        plain = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not {"file", "line_bits", "arc"} <= plain:
            raise ValueError("an SQLite database, but not coverage.py's")
        paths = {
            number: path for number, path in database.execute("SELECT id, path FROM file") if isinstance(path, str)
        }
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


coverage_py_data = CoveragePyData()
