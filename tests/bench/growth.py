"""A database that grows by copies of one real day, each with its own keys, numbers and times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import psycopg

ALONE = (
    "alembic_version",
    "api_tokens",
    "insight_words",
    "installations",
    "leases",
    "repositories",
    "rule_audit",
    "rule_handouts",
    "rule_matches",
    "rule_sources",
    "rules",
    "sessions",
    "validation_requests",
    "validation_turns",
)
"""Tables that do not grow with pull requests, or whose rows repeat."""
JOBS = ("workflow_status", "workflow_input", "workflow_output", "operation_outputs")
"""Tables of DBOS with rows for each job."""
KEYS = {"id", "external_id", "request_key", "run_id", "key", "task_id", "node_id", "workflow_uuid", "workflow_id"}
COMMITS = {"sha", "head_sha", "before_sha", "merge_commit_sha", "opened_head", "ready_head", "first_sha", "last_sha"}
IDS = {"id", "comment_id", "review_id"}


@dataclass
class GrowingDatabase:
    """PostgreSQL with the rows of a first day, which are copied for each later one."""

    url: str
    tables: list[tuple[str, str]] = field(default_factory=list)
    _copies: dict[tuple[str, str], str] = field(default_factory=dict)

    def take_day(self) -> None:
        """Keep what is there as the day to copy."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("CREATE SCHEMA day")
            self.tables = [place for place in self._in_order(connection) if self._has_rows(connection, place)]
            for schema, table in self.tables:
                connection.execute(f"CREATE TABLE day.{table} AS SELECT * FROM {schema}.{table}")
                columns = connection.execute(
                    "SELECT column_name, data_type FROM information_schema.columns"
                    " WHERE table_schema = %s AND table_name = %s AND is_generated = 'NEVER'",
                    (schema, table),
                ).fetchall()
                if table == "workflow_status":
                    connection.execute(
                        "DELETE FROM day.workflow_status WHERE status IN ('ENQUEUED', 'PENDING', 'DELAYED')"
                    )
                names = ", ".join(f'"{name}"' for name, _ in columns)
                values = ", ".join(_shifted(name, kind) for name, kind in columns)
                self._copies[schema, table] = f"INSERT INTO {schema}.{table} ({names}) SELECT {values} FROM day.{table}"

    def add_day(self, day: int) -> None:
        """Copy the first day to a later one."""
        with psycopg.connect(self.url) as connection:
            for place in self.tables:
                connection.execute(self._copies[place].replace("$day", str(day)).encode())

    def vacuum(self) -> None:
        """Do what autovacuum does in a few days."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")

    def sizes(self) -> dict[str, tuple[int, int]]:
        """Return the rows and bytes of each table, with indexes and long values."""
        with psycopg.connect(self.url) as connection:
            return {table: one for schema, table in self.tables for one in _size(connection, f"{schema}.{table}")}

    @staticmethod
    def _in_order(connection: psycopg.Connection) -> list[tuple[str, str]]:
        """Return the tables, those before that others refer to."""
        own = [row[0] for row in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
        first = ["pulls", "runs", "insights", "experiments"]
        grow = sorted((one for one in own if one not in ALONE), key=lambda one: (one not in first, one))
        return [*(("public", one) for one in grow), *(("dbos", one) for one in JOBS)]

    @staticmethod
    def _has_rows(connection: psycopg.Connection, place: tuple[str, str]) -> bool:
        found = connection.execute("SELECT to_regclass(%s)", (".".join(place),)).fetchone()
        if not found or found[0] is None:
            return False
        return connection.execute(f"SELECT 1 FROM {'.'.join(place)} LIMIT 1".encode()).fetchone() is not None


def _size(connection: psycopg.Connection, table: str) -> Iterator[tuple[int, int]]:
    found = connection.execute(f"SELECT count(*), pg_total_relation_size('{table}') FROM {table}".encode()).fetchone()
    if found is not None:
        yield found[0], found[1]


def _shifted(name: str, kind: str) -> str:
    column = f'"{name}"'
    if kind == "timestamp with time zone":
        return f"{column} + interval '$day days'"
    if kind in ("bigint", "integer"):
        if name == "number":
            return f"{column} + $day * 1000"
        if name in IDS:
            return f"{column} + $day::bigint * 10000000"
        is_time = kind == "bigint" and (name.endswith("_at") or "epoch" in name)
        return f"{column} + $day::bigint * 86400000" if is_time else column
    if kind in ("text", "character varying") and name in KEYS:
        return f"{column} || '~$day'"
    if name in COMMITS:
        return f"left({column}, 35) || lpad('$day', 5, '0')"
    return column
