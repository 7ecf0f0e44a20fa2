"""How long one scrape of `/metrics` reads a filled store, before ended rows were left out and now.

make bench PYTEST_ARGS="-k scrape"
SCRAPE_PULLS=130000 make bench PYTEST_ARGS="-k scrape"      5.7 million deliveries: 14 days of 500 repositories x 20
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import text

from assay.github_app.ops.settings import Settings
from assay.github_app.server.app import count_queues
from assay.github_app.store import Store
from assay.github_app.store.database.database import Database
from tests.bench.filled_store import fill

PULLS = int(os.environ.get("SCRAPE_PULLS", "13000"))
TIMES = 5
MOST_S = 0.1
BEFORE = {
    "deliveries by state": "SELECT state, count(*) FROM deliveries GROUP BY state",
    "runs by state": "SELECT state, count(*) FROM runs GROUP BY state",
    "oldest delivery": "SELECT min(received_at) FROM deliveries WHERE state NOT IN ('done', 'ignored', 'parked')",
}


def seconds(read: Callable[[], object]) -> float:
    """The median of some calls after a first one."""
    took = []
    for _ in range(TIMES + 1):
        began = time.perf_counter()
        read()
        took.append(time.perf_counter() - began)
    return statistics.median(took[1:])


def _read(store: Store, statement: str) -> None:
    with store._database.read() as connection:
        connection.execute(text(statement)).all()


@pytest.mark.bench
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def test_a_scrape_of_a_filled_store(kind: str, request: pytest.FixtureRequest, tmp_path: Path):
    is_sqlite = kind == "sqlite"
    url = f"sqlite:///{tmp_path / 'filled.sqlite'}" if is_sqlite else request.getfixturevalue("postgres_url")
    database = Database(url)
    rows = fill(database, PULLS)
    database.close()
    settings = Settings(webhook_secret="secret", data_dir=tmp_path)
    with Store.open(url) as store:
        took = {}
        for name, statement in BEFORE.items():
            took[f"before: {name}"] = seconds(partial(_read, store, statement))
        took["now: the whole scrape"] = seconds(lambda: count_queues(settings, store))
        took["now: unfinished runs, read by the sweep"] = seconds(store.runs.unended)
    print(f"\n{kind}: {rows['deliveries']} deliveries, {rows['runs']} runs\n| read | ms |\n|---|--:|")
    for name, one in took.items():
        print(f"| {name} | {1000 * one:.1f} |")
    assert took["now: the whole scrape"] < MOST_S
