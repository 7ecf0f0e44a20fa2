"""How long the migrations of a filled store take, each by itself, and how long others wait meanwhile.

make bench PYTEST_ARGS="-k migrations"
MIGRATION_PULLS=300000 make bench PYTEST_ARGS="-k migrations"       a month of 500 repositories x 20 a day
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.github_app.store import DeliveryState, Store
from assay.github_app.store.database.database import Database
from tests.bench.filled_store import ROWS, Writer, fill, later_versions, upgrade
from tests.github_app.remembering import after, check

MONTH = 500 * 20 * 30
PULLS = int(os.environ.get("MIGRATION_PULLS", "6000"))
KINDS = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def url(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if kind == "sqlite":
        return f"sqlite:///{tmp_path / 'filled.sqlite'}"
    found: str = request.getfixturevalue("postgres_url")
    return found


def test_migrations_of_a_small_filled_store(url: str):
    """Every row is there after them, and the store works."""
    database = Database(url)
    rows = fill(database, 200)
    assert {table: rows[table] / 200 for table in ROWS} == ROWS
    database.close()
    with Store.open(url) as store:
        assert len(store.pulls.all_in(7)) == 1
        assert sum(store.deliveries.counts(DeliveryState).values()) == rows["deliveries"]
        assert store.checks.put(7, check(), after())


@pytest.mark.bench
@pytest.mark.timeout(7200)
def test_migrations_of_a_filled_store(url: str, kind: str):
    database = Database(url)
    rows = fill(database, PULLS)
    took = {version: (title, upgrade(database, version)) for version, title in later_versions()[:-1]}
    newest, title = later_versions()[-1]
    database.close()
    store, waits = Store.open(url, migrate=False), Writer()

    def receive(number: int) -> None:
        store.deliveries.receive(f"late-{number}", "push", None, "octo/shop", None, 1, b"{}", after())

    # The version before the newest goes on while the tables are migrated.
    with waits.at_work(receive):
        took[newest] = (title, upgrade(database, newest))
    store.close()
    database.close()
    print(f"\n{kind}: {PULLS} pull requests, {sum(rows.values())} rows; a month of 500 x 20 a day has {MONTH}")
    print("| migration | seconds |\n|---|---|")
    for version, (said, seconds) in took.items():
        print(f"| {version} {said} | {seconds:.2f} |")
    total = sum(seconds for _, seconds in took.values())
    print(f"| all | {total:.2f} |")
    print(f"slowest of {waits.num_written} deliveries received during {newest}: {waits.slowest_s:.2f} s")
    assert total < 60 + 1800 * PULLS / MONTH
