"""SQLite releases the App works on.

DBOS calls `unixepoch('subsec')`, which SQLite has from 3.42 on; Debian 12 ships 3.40. Older releases get the function
from here, on every connection: it is part of the defaults of DBOS's tables.
"""

from __future__ import annotations

import sqlite3
import time
from typing import Any

from sqlalchemy import Engine, event

LEAST = (3, 40)
_HAS_SUBSECONDS = (3, 42)


def sqlite_problem(release: tuple[int, ...] = sqlite3.sqlite_version_info) -> str | None:
    """Return why the App does not work with a release of SQLite; None if it does."""
    if release[:2] >= LEAST:
        return None
    found, least = (".".join(str(number) for number in one) for one in (release, LEAST))
    return f"SQLite {found} is too old: install {least} or newer, or set ASSAY_DATABASE_URL to PostgreSQL"


def _epoch(modifier: str) -> float:
    """Return the time as `unixepoch('subsec')` does; DBOS calls it in no other way."""
    if modifier != "subsec":
        raise ValueError(modifier)
    return time.time()


def _teach(connection: Any, _: object) -> None:
    if isinstance(connection, sqlite3.Connection) and sqlite3.sqlite_version_info[:2] < _HAS_SUBSECONDS:
        connection.create_function("unixepoch", 1, _epoch)


event.listen(Engine, "connect", _teach)
