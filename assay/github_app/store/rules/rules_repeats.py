"""Repeats of learned rules, and the deliveries of rules to agents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Select, select, update

from assay.github_app.store.database.database import insert_new, locked, put
from assay.github_app.store.rules.rules_log import write_down
from assay.github_app.store.rules.rules_sources import RuleSources
from assay.github_app.store.tables.rules_tables import (
    HANDOUTS,
    MATCHES,
    HandoutRow,
    MatchRow,
    RuleChange,
    reader_of,
    row_of,
)


class RuleRepeats(RuleSources):
    """The tables `rule_matches` and `rule_handouts`."""

    def match(self, found: MatchRow) -> bool:
        """Store a repeat; return False if it is stored already. A withdrawn one is restored."""
        key = {"repository_id": found.repository_id, "thread": found.thread, "rule_id": found.rule_id}
        with self._database.write() as connection:
            if insert_new(connection, MATCHES, asdict(found)):
                data = {"number": found.number, "num_pulls_before": found.num_pulls_before}
                what, comment = RuleChange.repeated, f"{found.comment_kind}:{found.comment_id}"
                place = (found.repository_id, found.rule_id)
                write_down(connection, *place, what, found.at, comment=comment, data=data, key=found.thread)
                return True
            known = locked(connection, MATCHES, key)
            if known is not None and known.withdrawn_at is not None:
                put(connection, MATCHES, {**asdict(found), "reply_id": known.reply_id, "withdrawn_at": None})
            return False

    def withdraw_match(self, repository_id: int, thread: str, rule_id: str, at: datetime) -> bool:
        """Withdraw a repeat; return False if there was none."""
        these = (
            MATCHES.c.repository_id == repository_id,
            MATCHES.c.thread == thread,
            MATCHES.c.rule_id == rule_id,
            MATCHES.c.withdrawn_at.is_(None),
        )
        with self._database.write() as connection:
            return connection.execute(update(MATCHES).where(*these).values(withdrawn_at=at)).rowcount > 0

    def replied(self, repository_id: int, thread: str, rule_id: str, reply_id: int) -> None:
        """Store Assay's reply in a thread that repeats a rule."""
        these = (MATCHES.c.repository_id == repository_id, MATCHES.c.thread == thread, MATCHES.c.rule_id == rule_id)
        with self._database.write() as connection:
            connection.execute(update(MATCHES).where(*these).values(reply_id=reply_id))

    def matches(
        self,
        repository_id: int | None = None,
        *,
        rule_id: str | None = None,
        number: int | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        with_withdrawn: bool = False,
    ) -> tuple[MatchRow, ...]:
        """Return the repeated mistakes, oldest first; `since` is inclusive, `until` exclusive."""
        wanted = select(MATCHES)
        if not with_withdrawn:
            wanted = wanted.where(MATCHES.c.withdrawn_at.is_(None))
        wanted = _where(wanted, MATCHES, repository_id=repository_id, rule_id=rule_id, number=number)
        if since is not None:
            wanted = wanted.where(MATCHES.c.at >= since)
        if until is not None:
            wanted = wanted.where(MATCHES.c.at < until)
        with self._database.read() as connection:
            rows = connection.execute(wanted.order_by(MATCHES.c.at, MATCHES.c.thread, MATCHES.c.rule_id))
            return tuple(row_of(MatchRow, row) for row in rows)

    def handed_out(
        self,
        repository_id: int,
        rule_ids: Iterable[str],
        how: str,
        at: datetime,
        *,
        task_id: str | None = None,
        number: int | None = None,
    ) -> None:
        """Record the delivery of rules to a task or pull request; the first of each `how` is kept."""
        reader = reader_of(task_id, number, at)
        with self._database.write() as connection:
            for rule_id in dict.fromkeys(rule_ids):
                values = {
                    "repository_id": repository_id,
                    "rule_id": rule_id,
                    "reader": reader,
                    "how": how,
                    "task_id": task_id,
                    "number": number,
                    "at": at,
                }
                insert_new(connection, HANDOUTS, values)

    def handouts(
        self,
        repository_id: int | None = None,
        *,
        rule_id: str | None = None,
        task_id: str | None = None,
        number: int | None = None,
    ) -> tuple[HandoutRow, ...]:
        """Return the deliveries, oldest first."""
        wanted = _where(
            select(HANDOUTS), HANDOUTS, repository_id=repository_id, rule_id=rule_id, task_id=task_id, number=number
        )
        with self._database.read() as connection:
            rows = connection.execute(wanted.order_by(HANDOUTS.c.at, HANDOUTS.c.rule_id, HANDOUTS.c.reader))
            return tuple(row_of(HandoutRow, row) for row in rows)


def _where(wanted: Select[Any], table: Any, **known: object) -> Select[Any]:
    return wanted.where(*(table.c[name] == value for name, value in known.items() if value is not None))
