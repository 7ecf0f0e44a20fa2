"""Retention of pull requests and the log: how far a repository's history goes back, and indexes that find old rows."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_DECISIONS = (
    "'hold_placed', 'hold_released', 'finding_waived', 'waiver_ended', 'command_given', 'pull_paused', 'pull_resumed'"
)
_LESSER = "'learned', 'imported', 'said_again', 'taken_back', 'reopened', 'expired', 'repeated'"
_REFUSED = {
    "task_events": f"""OLD.kind IN ({_DECISIONS})
        OR EXISTS (SELECT 1 FROM pulls WHERE repository_id = OLD.repository_id AND number = OLD.number)
        OR EXISTS (SELECT 1 FROM tasks WHERE repository_id = OLD.repository_id AND id = OLD.task_id)""",  # noqa: S608
    "rule_audit": f"""OLD.what NOT IN ({_LESSER})
        OR EXISTS (SELECT 1 FROM rules WHERE repository_id = OLD.repository_id AND rule_id = OLD.rule_id)""",  # noqa: S608
}
"""Entries that the database does not delete: decisions, and those about what is stored still."""


def upgrade() -> None:
    """Add the column and the indexes; let the database delete entries about what is deleted, and no others."""
    op.add_column("repositories", sa.Column("history_since", sa.DateTime(timezone=True)))
    op.create_index("ix_checks_seen_at", "checks", ["seen_at"])
    for table, name, column, which in (
        ("checks", "ix_checks_with_text", "seen_at", "title IS NOT NULL OR summary IS NOT NULL"),
        ("runs", "ix_runs_with_report", "reported_at", "report IS NOT NULL"),
    ):
        op.create_index(name, table, [column], sqlite_where=sa.text(which), postgresql_where=sa.text(which))
    statements = _on_sqlite if op.get_bind().dialect.name == "sqlite" else _on_postgresql
    for table, refused in _REFUSED.items():
        for statement in statements(table, refused):
            op.execute(sa.text(statement))


def _on_sqlite(table: str, refused: str) -> tuple[str, ...]:
    return (
        f"DROP TRIGGER {table}_no_delete",
        f"""CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} WHEN {refused}
        BEGIN SELECT RAISE(ABORT, '{table} is only added to'); END""",
    )


def _on_postgresql(table: str, refused: str) -> tuple[str, ...]:
    return (
        f"DROP TRIGGER {table}_refuse ON {table}",
        f"""CREATE TRIGGER {table}_refuse BEFORE UPDATE OR TRUNCATE ON {table}
        FOR EACH STATEMENT EXECUTE FUNCTION {table}_refuse()""",
        f"""CREATE OR REPLACE FUNCTION {table}_keep() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF {refused} THEN RAISE EXCEPTION '{table} is only added to'; END IF; RETURN OLD; END $$""",
        f"DROP TRIGGER IF EXISTS {table}_keep ON {table}",
        f"CREATE TRIGGER {table}_keep BEFORE DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {table}_keep()",
    )
