"""Repeats of learned rules, and the deliveries of rules to agents."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Select, select, update

from assay.github_app.store.database.database import R, insert_new, locked, put, values_of
from assay.github_app.store.rules.rules_log import write_down
from assay.github_app.store.rules.rules_sources import RuleSources
from assay.github_app.store.tables.rules_tables import (
    HandoutRow,
    MatchRow,
    RuleChange,
    reader_of,
)


class RuleRepeats(RuleSources):
    """The tables `rule_matches` and `rule_handouts`."""

    def match(self, found: MatchRow) -> bool:
        """Store a repeat; return False if it is stored already. A withdrawn one is restored."""
        key = {"repository_id": found.repository_id, "thread": found.thread, "rule_id": found.rule_id}
        with self._database.write() as connection:
            if insert_new(connection, MatchRow, values_of(found)):
                data = {"number": found.number, "num_pulls_before": found.num_pulls_before}
                what, comment = RuleChange.repeated, f"{found.comment_kind}:{found.comment_id}"
                place = (found.repository_id, found.rule_id)
                write_down(connection, *place, what, found.at, comment=comment, data=data, key=found.thread)
                return True
            known = locked(connection, MatchRow, key)
            if known is not None and known.withdrawn_at is not None:
                put(connection, MatchRow, {**values_of(found), "reply_id": known.reply_id, "withdrawn_at": None})
            return False

    def withdraw_match(self, repository_id: int, thread: str, rule_id: str, at: datetime) -> bool:
        """Withdraw a repeat; return False if there was none."""
        this = update(MatchRow).filter_by(repository_id=repository_id, thread=thread, rule_id=rule_id)
        return self._database.execute(this.filter_by(withdrawn_at=None).values(withdrawn_at=at)) > 0

    def replied(self, repository_id: int, thread: str, rule_id: str, reply_id: int) -> None:
        """Store Assay's reply in a thread that repeats a rule."""
        this = update(MatchRow).filter_by(repository_id=repository_id, thread=thread, rule_id=rule_id)
        self._database.execute(this.values(reply_id=reply_id))

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
        wanted = select(MatchRow)
        if not with_withdrawn:
            wanted = wanted.where(MatchRow.withdrawn_at.is_(None))
        wanted = _where(wanted, repository_id=repository_id, rule_id=rule_id, number=number)
        if since is not None:
            wanted = wanted.where(MatchRow.at >= since)
        if until is not None:
            wanted = wanted.where(MatchRow.at < until)
        return self._database.rows(wanted.order_by(MatchRow.at, MatchRow.thread, MatchRow.rule_id))

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
                insert_new(connection, HandoutRow, values)

    def handouts(
        self,
        repository_id: int | None = None,
        *,
        rule_id: str | None = None,
        task_id: str | None = None,
        number: int | None = None,
    ) -> tuple[HandoutRow, ...]:
        """Return the deliveries, oldest first."""
        key = {"repository_id": repository_id, "rule_id": rule_id, "task_id": task_id, "number": number}
        wanted = _where(select(HandoutRow), **key)
        return self._database.rows(wanted.order_by(HandoutRow.at, HandoutRow.rule_id, HandoutRow.reader))


def _where(wanted: Select[R], **known: object) -> Select[R]:
    return wanted.filter_by(**{name: value for name, value in known.items() if value is not None})
