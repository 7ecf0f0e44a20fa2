"""SQLite releases: the App's connections have what DBOS calls, whichever release Python is linked with."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from sqlalchemy import text

from assay.github_app.store.database.database import Database
from assay.github_app.store.database.sqlite_release import sqlite_problem


def test_every_connection_tells_the_time_below_the_second(tmp_path: Path):
    database = Database(f"sqlite:///{tmp_path / 'jobs.sqlite'}")
    with database.write() as connection:
        connection.execute(text("CREATE TABLE told (at INTEGER NOT NULL DEFAULT (unixepoch('subsec') * 1000), n)"))
        connection.execute(text("INSERT INTO told (n) VALUES (1)"))
        (told,) = connection.execute(text("SELECT at FROM told")).one()
    database.close()
    assert abs(told / 1000 - time.time()) < 60


@pytest.mark.parametrize(
    ("release", "works"), [((3, 39, 4), False), ((3, 40, 0), True), ((3, 46, 1), True), ((4, 0, 0), True)]
)
def test_the_oldest_release(release: tuple[int, ...], works: bool):
    assert (sqlite_problem(release) is None) is works
