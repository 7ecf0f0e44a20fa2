"""The tables are made and brought up to date by one of many, are what the code says, and are in the package."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from assay.github.errors import SettingsError, StoreUnavailable
from assay.github_app.store import MemoryRunRow, Receipt, RuleState, SourceRow, Store
from assay.github_app.store.database.columns import METADATA
from assay.github_app.store.database.database import Database
from assay.github_app.store.database.migrating import _config, migrate
from assay.github_app.store.tables.insight_tables import WORDS_TABLE
from tests.conftest import ROOT
from tests.fakes.postgres import PostgresServer
from tests.github_app.remembering import after, take
from tests.github_app.store.workers import open_and_write

SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def bare_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database without a table."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'new folder' / 'assay.sqlite'}"
    url: str = request.getfixturevalue("postgres_url")
    return url


def is_search_table(name: str | None) -> bool:
    """Whether a table belongs to the full-text index, which the metadata cannot describe."""
    return name is not None and name.startswith(WORDS_TABLE)


def test_the_migrations_make_exactly_the_tables_of_the_code(bare_url: str):
    with Store.open(bare_url) as store, store._database.read() as connection:
        opts = {
            "compare_type": True,
            "include_name": lambda name, kind, _: kind != "table" or not is_search_table(name),
        }
        context = MigrationContext.configure(connection, opts=opts)
        assert compare_metadata(context, METADATA) == []
        made = {name for name in inspect(connection).get_table_names() if not is_search_table(name)}
        assert made == {*METADATA.tables, "alembic_version"}


@pytest.mark.postgres
@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_cannot_hold_every_text_is_refused(postgres_server: PostgresServer, encoding: str):
    url = postgres_server.create_database(encoding=encoding)
    try:
        with pytest.raises(SettingsError, match=encoding):
            Store.open(url, migrate=True)
    finally:
        postgres_server.drop_database(url)


def test_opening_again_changes_nothing(bare_url: str):
    with Store.open(bare_url) as store:
        store.alerts.once("kind", "key", after())
    with Store.open(bare_url) as store:
        assert not store.alerts.once("kind", "key", after())


def test_every_migration_of_the_past_leads_to_the_newest():
    script = ScriptDirectory.from_config(_config())
    assert len(script.get_heads()) == 1
    assert len(script.get_bases()) == 1


UNDONE = {
    "0026": tuple(f"ALTER TABLE experiments ADD COLUMN {column} TEXT" for column in ("method", "alpha")),
    "0025": tuple(f"ALTER TABLE risk_factors ADD COLUMN {column} TEXT" for column in ("value", "threshold")),
    "0024": ("ALTER TABLE runs DROP COLUMN lacks_results",),
    "0023": ("ALTER TABLE repositories DROP COLUMN required_checks",),
    "0022": (
        "ALTER TABLE repositories DROP COLUMN history_since",
        *(f"DROP INDEX {index}" for index in ("ix_checks_seen_at", "ix_checks_with_text", "ix_runs_with_report")),
    ),
    "0021": ("DROP TABLE validation_requests", "DROP TABLE validation_turns"),
    "0020": ("ALTER TABLE deliveries RENAME COLUMN payload TO body",),
    "0019": ("DROP TABLE review_findings",),
    "0018": tuple(f"ALTER TABLE memory_runs DROP COLUMN {column}" for column in ("fact_recall", "comparable")),
    "0017": ("ALTER TABLE rules DROP COLUMN joined_into",),
    "0016": (
        "DROP INDEX ix_tasks_repository_id_branch",
        "ALTER TABLE tasks DROP COLUMN branch_state",
        *(f"ALTER TABLE {table} DROP COLUMN issues" for table in ("pulls", "tasks")),
    ),
    "0015": tuple(f"ALTER TABLE {table} DROP COLUMN requested_by" for table in ("pulls", "tasks")),
    "0014": ("ALTER TABLE rules ADD COLUMN superseded_by TEXT",),
}
"""What takes each migration back, newest first, as far as the tests go back."""


def take_back(connection: Connection, version: str) -> None:
    """Make the tables those of an older version."""
    for migration, statements in UNDONE.items():
        if migration > version:
            for statement in statements:
                connection.execute(text(statement))
    connection.execute(text("UPDATE alembic_version SET version_num = :version"), {"version": version})


def test_a_rule_that_a_newer_one_ended_has_expired_and_keeps_its_comments(bare_url: str):
    """Rules are parents of other rows, which a table made anew would lose."""
    rule_id = "a" * 12
    with Store.open(bare_url) as store:
        store.rules.put_pending(5, rule_id, "Rule: x", {}, after(), key="k", polarity="do")
        source = SourceRow(5, "line", 7, rule_id, 7, "line:7", "bo", 12, "write", True, None, after())
        store.rules.add_source(source)
        with store._database.write() as connection:
            take_back(connection, "0013")
            connection.execute(text("UPDATE rules SET state = 'superseded', superseded_by = 'b'"))
    with Store.open(bare_url) as store:
        assert [row.state for row in store.rules.of(5)] == [RuleState.expired]
        assert len(store.rules.sources(5, rule_id)) == 1


def test_an_evaluation_from_before_the_memory_was_measured_has_no_recall(bare_url: str):
    with Store.open(bare_url) as store:
        store.memory_runs.put(MemoryRunRow(5, "k", after(), "mine", "rules", "1", 9, 5, 0.5, {}, {}, None, None))
        with store._database.write() as connection:
            take_back(connection, "0017")
    with Store.open(bare_url) as store:
        (row,) = store.memory_runs.of([5])
        assert (row.overall_score, row.fact_recall, row.comparable) == (0.5, None, None)


def test_payloads_from_before_are_compressed_or_dropped(bare_url: str):
    with Store.open(bare_url) as store:
        for name in ("done", "failed"):
            store.deliveries.receive(name, "push", None, "octo/shop", None, 42, b"{}", after())
            take(store, 1, after())
        store.deliveries.failed("failed", "later", after(days=1), after())
        store.deliveries.done("done", after())
        with store._database.write() as connection:
            connection.execute(text("UPDATE deliveries SET payload = :raw"), {"raw": b'{"raw": 1}'})
            take_back(connection, "0019")
    with Store.open(bare_url) as store:
        bodies = {name: row.body for name in ("done", "failed") if (row := store.deliveries.get(name))}
        assert bodies == {"done": b"", "failed": b'{"raw": 1}'}


def test_a_database_of_a_newer_assay_is_left_alone(sqlite_url: str):
    with Store.open(sqlite_url) as store:
        with store._database.write() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        with pytest.raises(SettingsError, match=r"store\.wrong-version"):
            migrate(store._database)


@pytest.mark.soak
def test_workers_that_start_together_make_the_tables_once(bare_url: str):
    go, told = SPAWN.Event(), SPAWN.Queue()
    workers = [SPAWN.Process(target=open_and_write, args=(bare_url, f"d{i}", go, told)) for i in range(3)]
    for worker in workers:
        worker.start()
    go.set()
    assert [told.get(timeout=60) for _ in workers] == [str(Receipt.new)] * 3
    for worker in workers:
        worker.join(30)
    assert [worker.exitcode for worker in workers] == [0] * 3


def test_the_migrations_are_among_the_files_of_the_package():
    folder = ROOT / "assay/github_app/store/migrations"
    assert {path.name for path in folder.iterdir()} >= {"env.py", "script.py.mako", "versions", "__init__.py"}
    assert _config().get_main_option("script_location") == str(folder)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("nonsense", "not a SQLAlchemy URL"),
        ("mysql://localhost/x", "mysql is not supported"),
        ("sqlite://", "needs a plain file"),
        ("sqlite:///:memory:", "needs a plain file"),
        ("sqlite:///file:x?mode=memory&uri=true", "needs a plain file"),
    ],
)
def test_an_address_that_cannot_work_is_a_wrong_setting(url: str, said: str):
    with pytest.raises(SettingsError, match=said):
        Store.open(url)


@pytest.mark.parametrize("url", ["sqlite:////proc/assay/x.sqlite", "postgresql://assay:hunter2@127.0.0.1:1/x"])
def test_a_database_that_is_not_there_is_said_so_without_its_password(url: str):
    with pytest.raises(StoreUnavailable) as caught:
        Store.open(url)
    assert "hunter2" not in str(caught.value)


def test_what_a_store_says_of_itself_holds_no_password():
    assert "hunter2" not in repr(Store(Database("postgresql://assay:hunter2@db/x")))


def test_the_file_is_for_its_owner_alone(tmp_path: Path):
    file = tmp_path / "data" / "assay.sqlite"
    with Store.open(f"sqlite:///{file}") as store:
        store.alerts.once("kind", "key", after())
        modes = {path.name: path.stat().st_mode & 0o077 for path in file.parent.iterdir()}
    assert set(modes.values()) == {0}, modes
