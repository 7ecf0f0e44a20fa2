"""A store of the first version that has all main tables, with the rows of a month, for the migrations to the newest."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from assay.github_app.store.database.database import Database
from assay.github_app.store.database.migrating import _config

OLDEST = "0004"
AT = datetime(2026, 3, 1, tzinfo=UTC)
REPOSITORIES = 500
ROWS = {
    "pulls": 1,
    "pull_heads": 3,
    "runs": 3,
    "findings": 12,
    "risk_factors": 15,
    "checks": 12,
    "comments": 3,
    "reviews": 2,
    "outcomes": 1,
    "changed_lines": 15,
    "tasks": 1,
    "task_events": 30,
    "deliveries": 44,
    "rules": 0.05,
    "rule_audit": 0.15,
}
"""Rows for a pull request with two later pushes, as the load of `test_scale.py` leaves them."""
_PULL = "pull.i % 500 + 1, pull.i / 500 + 1"
"""Repository and number of a pull request."""
_RUN = "'run:' || (pull.i % 500 + 1) || ':' || (pull.i / 500 + 1) || ':' || part.i"
_INSERTS = {
    "repositories": "SELECT i, 'octo/shop-' || i, 42, 'main', false, false, true, :at, :at FROM numbers WHERE i <= 500",
    "pulls": f"""(repository_id, number, title, body, author, author_id, author_kind, head_sha, head_ref, base_sha,
        base_ref, is_fork, is_draft, state, is_merged, labels, created_at, updated_at, seen_at, agent, agent_signals)
        SELECT {_PULL}, 'Change ' || i, :words, 'ada', 11, CASE WHEN i % 4 = 0 THEN 'Bot' ELSE 'User' END,
        'sha' || i, 'topic', 'base', 'main', false, false, 'closed', true, '[]', :at, :at, :at, 'unknown', '[]'
        FROM pull""",
    "pull_heads": f"""(repository_id, number, sha, pushed_at, last_at)
        SELECT {_PULL}, 'sha' || pull.i || part.i, :at, :at FROM pull, part WHERE part.i <= 3""",
    "runs": f"""(id, external_id, repository_id, number, head_sha, turn, trigger, state, created_at, changed_at,
        ended_at, report, reported_at, risk_level, conclusion)
        SELECT {_RUN}, {_RUN}, {_PULL}, 'sha' || pull.i || part.i, 1,
        'opened', 'completed', :at, :at, :at, :packed, :at, 'low', 'success' FROM pull, part WHERE part.i <= 3""",
    "findings": f"""(run_id, finding_id, tier, severity, rule, file, message, is_introduced, is_blocking)
        SELECT {_RUN}, 'f' || more.i, 'tier2', 'warning', 'rule-' || more.i, 'shop/part.py', :words, true, false
        FROM pull, part, part AS more WHERE part.i <= 3 AND more.i <= 4""",
    "risk_factors": f"""(run_id, position, signal, level, reason) SELECT {_RUN}, more.i, 'size', 'low', :words
        FROM pull, part, part AS more WHERE part.i <= 3 AND more.i <= 5""",
    "checks": """(repository_id, head_sha, source, external_key, name, status, conclusion, pull_numbers, title, seen_at)
        SELECT pull.i % 500 + 1, 'sha' || pull.i || (part.i % 3 + 1), 'check_run', part.i, 'ci', 'completed', 'success',
        '[]', CASE WHEN part.i % 4 = 0 THEN 'Passed' END, :at FROM pull, part WHERE part.i <= 12""",
    "comments": f"""(repository_id, number, kind, comment_id, author, is_bot, is_by_pull_author, association, body,
        is_deleted, seen_at)
        SELECT {_PULL}, 'line', pull.i * 3 + part.i, 'bo', false, false, 'MEMBER', :words, false, :at
        FROM pull, part WHERE part.i <= 3""",
    "reviews": f"""(repository_id, number, review_id, reviewer, is_bot, state, body, association, version_at, seen_at)
        SELECT {_PULL}, pull.i * 2 + part.i, 'bo', false, 'approved', :words, 'MEMBER', :at, :at
        FROM pull, part WHERE part.i <= 2""",
    "outcomes": f"""(repository_id, number, kind, cause, at, detail)
        SELECT {_PULL}, 'merged', 'sha', :at, '{{}}' FROM pull""",
    "changed_lines": f"""(repository_id, number, head_sha, position, side, path, first, last)
        SELECT {_PULL}, 'sha' || pull.i, part.i, 'head', 'shop/part.py', part.i, part.i FROM pull, part
        WHERE part.i <= 15""",
    "tasks": f"""(repository_id, number, id, risk_level, created_at, updated_at)
        SELECT {_PULL}, 'pull:' || (i / 500 + 1), 'low', :at, :at FROM pull""",
    "task_events": f"""(id, key, kind, at, repository_id, number, data) SELECT pull.i * 100 + part.i,
        'check_completed:' || pull.i || ':' || part.i, 'check_completed', :at, {_PULL}, '{{"name":"ci"}}'
        FROM pull, part WHERE part.i <= 30""",
    "deliveries": """(id, event, action, repository, number, body, state, attempt, received_at, changed_at)
        SELECT 'guid-' || pull.i || '-' || part.i, 'check_run', 'completed', 'octo/shop', 1, :body,
        CASE WHEN pull.i % 1000 = 0 AND part.i = 1 THEN 'parked' ELSE 'done' END, 1, :at, :at
        FROM pull, part WHERE part.i <= 44""",
    "rules": """(repository_id, rule_id, text, canonical, key, polarity, scope_paths, state, is_ineffective, created_at,
        changed_at) SELECT i % 500 + 1, 'rule' || i, :words, '{}', 'key', 'do', '[]',
        CASE WHEN i % 3 = 0 THEN 'superseded' ELSE 'pending' END, false, :at, :at FROM pull WHERE i % 20 = 0""",
    "rule_audit": """(id, key, repository_id, rule_id, what, at, data) SELECT pull.i * 3 + part.i,
        'learned:' || pull.i || ':' || part.i, pull.i % 500 + 1, 'rule' || pull.i, 'learned', :at, '{}'
        FROM pull, part WHERE part.i <= 3 AND pull.i % 20 = 0""",
}


def fill(database: Database, num_pulls: int) -> dict[str, int]:
    """Make the tables of the oldest version and fill them; return their rows."""
    upgrade(database, OLDEST)
    given = {"at": AT, "words": "It says what was changed and why. " * 6, "body": b"x" * 1000, "packed": b"x" * 4000}
    with database.write() as connection:
        for name, most in (("pull", num_pulls), ("part", 44), ("numbers", REPOSITORIES)):
            connection.execute(text(f"CREATE TABLE {name} (i BIGINT PRIMARY KEY)"))
            series = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :most) SELECT i FROM n"
            connection.execute(text(f"INSERT INTO {name} {series}"), {"most": most})
    for table, inserted in _INSERTS.items():
        with database.write() as connection:
            statement = text(f"INSERT INTO {table} {inserted}")
            names = [name for name in given if f":{name}" in inserted]
            connection.execute(statement, {name: _bound(given[name], connection) for name in names})
    with database.write() as connection:
        for name in ("pull", "part", "numbers"):
            connection.execute(text(f"DROP TABLE {name}"))
    if not database.is_sqlite:
        with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("ANALYZE"))
    with database.read() as connection:
        return {table: connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() for table in _INSERTS}


def _bound(value: Any, connection: Connection) -> Any:
    is_time = isinstance(value, datetime) and connection.dialect.name == "sqlite"
    return value.strftime("%Y-%m-%d %H:%M:%S.%f") if is_time else value


def later_versions() -> list[tuple[str, str]]:
    """Return number and title of each migration after the oldest version, in order."""
    script = ScriptDirectory.from_config(_config())
    found = [(one.revision, one.doc) for one in script.walk_revisions() if one.revision > OLDEST]
    return sorted(found)


def upgrade(database: Database, version: str) -> float:
    """Migrate to a version in one transaction, as the App does; return the seconds it took."""
    config = _config()
    began = time.monotonic()
    with database.write() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, version)
    return time.monotonic() - began


@dataclass
class Writer:
    """A process that writes on and on, and the seconds its slowest write took."""

    slowest_s: float = 0.0
    num_written: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def at_work(self, write: Callable[[int], None]) -> Iterator[None]:
        """Write until the block ends."""

        def run() -> None:
            while not self._stop.wait(0.005):
                began = time.monotonic()
                write(self.num_written)
                self.num_written += 1
                self.slowest_s = max(self.slowest_s, time.monotonic() - began)

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join()
