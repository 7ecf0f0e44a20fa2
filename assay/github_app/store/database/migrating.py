"""Migration of the tables, by one process at a time."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import func, select

from assay.github.errors import SettingsError
from assay.github_app.store.database.database import Database

_LOCK = 0x61737361790001
"""Key of PostgreSQL's advisory lock during a migration."""


def migrate(database: Database) -> None:
    """Migrate the tables to this version of Assay; do nothing if they are current.

    Raises:
        SettingsError: the tables were made by a newer Assay.
    """
    with database.read() as connection:
        if MigrationContext.configure(connection).get_current_revision() == _newest():
            return
    config = _config()
    # SQLite's write transaction admits one process; PostgreSQL needs an explicit lock. The commit releases both.
    with database.write() as connection:
        if not database.is_sqlite:
            connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise SettingsError(
                f"the database does not fit this version of Assay: {error}", code="store.wrong-version"
            ) from None


@cache
def _newest() -> str | None:
    """Return the last revision; finding it loads every one of them."""
    return ScriptDirectory.from_config(_config()).get_current_head()


def _config() -> Config:
    config = Config()
    # A "%" in a folder's name would be read as the beginning of a variable.
    config.set_main_option("script_location", str(Path(__file__).parents[1] / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
