"""Append-only audit log of rules."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, exists, select

from assay.github_app.store.database.database import Database, insert_new
from assay.github_app.store.tables.rules_tables import AUDIT, RuleAuditRow, RuleChange, row_of


class RulesLog:
    """The table `rule_audit`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def audit(self, repository_id: int, rule_id: str | None = None) -> tuple[RuleAuditRow, ...]:
        """Return the log of a rule, or of all a repository's rules, oldest first."""
        wanted = select(AUDIT).where(AUDIT.c.repository_id == repository_id)
        if rule_id is not None:
            wanted = wanted.where(AUDIT.c.rule_id == rule_id)
        with self._database.read() as connection:
            return tuple(row_of(RuleAuditRow, row) for row in connection.execute(wanted.order_by(AUDIT.c.id)))

    def is_forgotten(self, repository_id: int, comment: str) -> bool:
        """Return whether a rule learned from this comment (`line:12`) was purged: it is not learned from again."""
        gone = exists().where(
            AUDIT.c.repository_id == repository_id,
            AUDIT.c.comment == comment,
            AUDIT.c.what == RuleChange.purged,
        )
        with self._database.read() as connection:
            return bool(connection.execute(select(gone)).scalar_one())

    def purged_with_replies(self) -> tuple[RuleAuditRow, ...]:
        """Return the entries of purged rules with replies by Assay: `data["replies"]`, a list of (number, thread)."""
        wanted = select(AUDIT).where(AUDIT.c.what == RuleChange.purged).order_by(AUDIT.c.id)
        with self._database.read() as connection:
            rows = [row_of(RuleAuditRow, row) for row in connection.execute(wanted)]
        return tuple(row for row in rows if row.data.get("replies"))


def write_down(
    connection: Connection,
    repository_id: int,
    rule_id: str,
    what: RuleChange,
    at: datetime,
    *,
    by: str | None = None,
    comment: str | None = None,
    data: Mapping[str, Any] | None = None,
    key: str = "",
) -> bool:
    """Add an entry, once per key. `data` has no text of the rule, which can be purged while this stays."""
    values = {
        "key": ":".join((str(what), str(repository_id), rule_id, comment or "", key or at.isoformat())),
        "repository_id": repository_id,
        "rule_id": rule_id,
        "what": what,
        "by": by,
        "at": at,
        "comment": comment,
        "data": dict(data or {}),
    }
    return insert_new(connection, AUDIT, values)
