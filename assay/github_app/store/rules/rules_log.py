"""Append-only audit log of rules."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, exists, select

from assay.github_app.store.database.database import Tables, insert_new
from assay.github_app.store.tables.rules_tables import RuleAuditRow, RuleChange


class RulesLog(Tables):
    """The table `rule_audit`."""

    def audit(self, repository_id: int, rule_id: str | None = None) -> tuple[RuleAuditRow, ...]:
        """Return the log of a rule, or of all a repository's rules, oldest first."""
        wanted = select(RuleAuditRow).where(RuleAuditRow.repository_id == repository_id)
        if rule_id is not None:
            wanted = wanted.where(RuleAuditRow.rule_id == rule_id)
        return self._database.rows(wanted.order_by(RuleAuditRow.id))

    def is_forgotten(self, repository_id: int, comment: str) -> bool:
        """Return whether a rule learned from this comment (`line:12`) was purged: it is not learned from again."""
        gone = exists().where(
            RuleAuditRow.repository_id == repository_id,
            RuleAuditRow.comment == comment,
            RuleAuditRow.what == RuleChange.purged,
        )
        with self._database.read() as connection:
            return bool(connection.execute(select(gone)).scalar_one())

    def purged_with_replies(self) -> tuple[RuleAuditRow, ...]:
        """Return the entries of purged rules with replies by Assay: `data["replies"]`, a list of (number, thread)."""
        wanted = select(RuleAuditRow).where(RuleAuditRow.what == RuleChange.purged).order_by(RuleAuditRow.id)
        return tuple(row for row in self._database.rows(wanted) if row.data.get("replies"))


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
    return insert_new(connection, RuleAuditRow, values)
