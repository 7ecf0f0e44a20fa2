"""Learned rules and their states: pending until a quorum or a maintainer confirms them, and always with an expiry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, exists, select, update

from assay.github_app.store.database.database import insert_new, locked, rows
from assay.github_app.store.rules.rules_log import write_down
from assay.github_app.store.rules.rules_repeats import RuleRepeats
from assay.github_app.store.tables.rules_tables import RuleAuditRow, RuleChange, RuleRow, RuleState

LIVE = (RuleState.pending, RuleState.confirmed)
JOINABLE = (RuleState.pending, RuleState.confirmed, RuleState.expired, RuleState.rejected)
"""States of a rule that may be joined into another one."""
HOSTS = (RuleState.pending, RuleState.confirmed, RuleState.expired)
"""States of a rule that others may be joined into."""
QUORUM = "a quorum"
"""Value of `confirmed_by` for a quorum; no login contains a space."""


class Rules(RuleRepeats):
    """The table `rules`, and the entry to its four dependent tables."""

    def put_pending(
        self,
        repository_id: int,
        rule_id: str,
        text: str,
        canonical: Mapping[str, Any],
        at: datetime,
        *,
        key: str,
        polarity: str,
        language: str | None = None,
        paths: Iterable[str] = (),
        expires_at: datetime | None = None,
        why: str | None = None,
        by: str | None = None,
        is_imported: bool = False,
        is_quarantined: bool = False,
    ) -> bool:
        """Insert a pending rule; return False if the id exists.

        A quarantined one, for the reason `why`, waits for a maintainer and is never confirmed by a quorum.
        """
        values = {
            "repository_id": repository_id,
            "rule_id": rule_id,
            "text": text,
            "canonical": dict(canonical),
            "key": key,
            "polarity": polarity,
            "language": language,
            "scope_paths": list(paths),
            "state": RuleState.quarantined if is_quarantined else RuleState.pending,
            "is_ineffective": False,
            "why": why,
            "created_at": at,
            "changed_at": at,
            "expires_at": expires_at,
        }
        what = RuleChange.imported if is_imported else RuleChange.learned
        with self._database.write() as connection:
            if not insert_new(connection, RuleRow, values):
                return False
            write_down(connection, repository_id, rule_id, what, at, by=by)
            if is_quarantined:
                write_down(connection, repository_id, rule_id, RuleChange.quarantined, at, data={"why": why})
            return True

    def get(self, repository_id: int, rule_id: str) -> RuleRow | None:
        """Return the rule; None if it does not exist or was purged."""
        return self._database.one(select(RuleRow).filter_by(**_key(repository_id, rule_id)))

    def of(self, repository_id: int, states: Iterable[RuleState] | None = None) -> tuple[RuleRow, ...]:
        """Return a repository's rules, oldest first, limited to `states` if given."""
        wanted = select(RuleRow).where(RuleRow.repository_id == repository_id)
        if states is not None:
            wanted = wanted.where(RuleRow.state.in_(states))
        return self._database.rows(wanted.order_by(RuleRow.created_at, RuleRow.rule_id))

    def joined_into(self, repository_id: int, rule_id: str) -> tuple[RuleRow, ...]:
        """Return the rules joined into this one, oldest first."""
        wanted = select(RuleRow).filter_by(repository_id=repository_id, joined_into=rule_id)
        return self._database.rows(wanted.order_by(RuleRow.created_at, RuleRow.rule_id))

    def standing(self, repository_id: int, rule_id: str) -> RuleRow | None:
        """Return the rule, or the one it is joined into, locked until the transaction ends; None if it is missing."""
        with self._database.write() as connection:
            row = locked(connection, RuleRow, _key(repository_id, rule_id))
            if row is None or row.joined_into is None:
                return row
            return locked(connection, RuleRow, _key(repository_id, row.joined_into))

    def confirm(
        self, repository_id: int, rule_id: str, at: datetime, *, by: str, expires_at: datetime, key: str = ""
    ) -> bool:
        """Confirm a rule by `QUORUM` or a login; return False if it is confirmed already or missing.

        A quorum confirms pending rules; a maintainer also rejected, expired, quarantined or joined ones. The sources of
        a joined one stay with the rule it was joined into.
        """
        values = {
            "state": RuleState.confirmed,
            "confirmed_at": at,
            "confirmed_by": by,
            "expires_at": expires_at,
            "why": None,
            "joined_into": None,
        }
        since = (RuleState.pending,) if by == QUORUM else tuple(s for s in RuleState if s is not RuleState.confirmed)
        return self._turn((repository_id, rule_id), since, values, RuleChange.confirmed, at, by=by, key=key)

    def was_confirmed_by_person(self, repository_id: int) -> bool:
        """Return whether a person ever confirmed a rule of the repository; API tokens and quorums are none."""
        by = RuleAuditRow.by
        confirmed = exists().where(
            RuleAuditRow.repository_id == repository_id,
            RuleAuditRow.what == RuleChange.confirmed,
            by.is_not(None) & (by != QUORUM) & ~by.startswith("token:"),
        )
        with self._database.read() as connection:
            return bool(connection.execute(select(confirmed)).scalar_one())

    def reopen(self, repository_id: int, rule_id: str, at: datetime, *, expires_at: datetime, why: str) -> None:
        """Make a rule pending again: after an expiry it was repeated, or its confirmation was withdrawn."""
        values = {
            "state": RuleState.pending,
            "confirmed_at": None,
            "confirmed_by": None,
            "expires_at": expires_at,
            "why": why,
        }
        since = (RuleState.expired, RuleState.confirmed)
        self._turn((repository_id, rule_id), since, values, RuleChange.reopened, at, data={"why": why})

    def reject(
        self, repository_id: int, rule_id: str, at: datetime, *, by: str, why: str | None = None, key: str = ""
    ) -> bool:
        """Reject a rule; comments that repeat it are ignored from now on."""
        values = {"state": RuleState.rejected, "why": why, "expires_at": None, "joined_into": None}
        since = tuple(state for state in RuleState if state is not RuleState.rejected)
        place = (repository_id, rule_id)
        return self._turn(place, since, values, RuleChange.rejected, at, by=by, data={"why": why}, key=key)

    def join(
        self,
        repository_id: int,
        rule_id: str,
        into: str,
        at: datetime,
        *,
        by: str,
        why: str | None = None,
        key: str = "",
    ) -> bool:
        """Make a rule another wording of `into`, which gets its sources and the rules joined into it.

        Returns False if either is missing, or in a state that does not allow it.
        """
        data = {"why": why} if why else {}
        with self._database.write() as connection:
            # Always in the same order, so that two joins cannot wait for each other.
            found = {one: locked(connection, RuleRow, _key(repository_id, one)) for one in sorted({rule_id, into})}
            row, host = found[rule_id], found[into]
            if row is None or host is None or row is host or row.state not in JOINABLE or host.state not in HOSTS:
                return False
            moved = [rule_id, *(one.rule_id for one in self.joined_into(repository_id, rule_id))]
            num_sources = self.move_sources(repository_id, rule_id, into)
            values = {"state": RuleState.joined, "joined_into": into, "expires_at": None, "why": None, "changed_at": at}
            what = RuleChange.joined
            for one in moved:
                _set(connection, (repository_id, one), values)
                write_down(connection, repository_id, one, what, at, by=by, data={"into": into, **data}, key=key)
            told = {"rule_id": rule_id, "num_sources": num_sources, **data}
            # Two rules may be joined into one at the same time.
            key = f"{rule_id}:{key or at.isoformat()}"
            write_down(connection, repository_id, into, what, at, by=by, data=told, key=key)
            return True

    def renew(self, repository_id: int, rule_id: str, expires_at: datetime) -> None:
        """Extend the rule's expiry to `expires_at`, never shorten it."""
        sooner = update(RuleRow).filter_by(**_key(repository_id, rule_id)).where(RuleRow.expires_at < expires_at)
        self._database.execute(sooner.values(expires_at=expires_at))

    def mark_ineffective(self, repository_id: int, rule_id: str, at: datetime) -> None:
        """Mark a rule as delivered to the agent and violated anyway, once."""
        with self._database.write() as connection:
            row = locked(connection, RuleRow, _key(repository_id, rule_id))
            if row is None or row.is_ineffective:
                return
            _set(connection, (repository_id, rule_id), {"is_ineffective": True})
            write_down(connection, repository_id, rule_id, RuleChange.ineffective, at)

    def reword(
        self, repository_id: int, rule_id: str, at: datetime, *, text: str, paths: Iterable[str], by: str
    ) -> None:
        """Replace the wording and scope of a rule, for a maintainer."""
        with self._database.write() as connection:
            row = locked(connection, RuleRow, _key(repository_id, rule_id))
            new = {"text": text, "scope_paths": tuple(paths)}
            if row is None or (row.text, row.scope_paths) == (text, new["scope_paths"]):
                return
            _set(connection, (repository_id, rule_id), {**new, "changed_at": at, "check": None})
            write_down(connection, repository_id, rule_id, RuleChange.reworded, at, by=by)

    def set_check(self, repository_id: int, rule_id: str, check: Mapping[str, Any] | None) -> None:
        """Set the verified automatic check of a rule; None removes it."""
        this = update(RuleRow).filter_by(**_key(repository_id, rule_id))
        self._database.execute(this.values(check=None if check is None else dict(check)))

    def expire_due(self, now: datetime) -> tuple[tuple[int, str], ...]:
        """Expire rules past their time; return their (repository id, rule id)."""
        with self._database.write() as connection:
            due = select(RuleRow).where(RuleRow.state.in_(LIVE), RuleRow.expires_at <= now)
            ended = [(row.repository_id, row.rule_id) for row in rows(connection, due)]
            values = {"state": RuleState.expired}
            return tuple(place for place in ended if self._turn(place, LIVE, values, RuleChange.expired, now))

    def purge(
        self, repository_id: int, rule_id: str, at: datetime, *, by: str | None, why: str | None = None, key: str = ""
    ) -> bool:
        """Delete a rule with its dependent rows and the rules joined into it; return False if it does not exist.

        Its history remains without the rule's text, and its source comments are never learned from again.
        """
        with self._database.write() as connection:
            if locked(connection, RuleRow, _key(repository_id, rule_id)) is None:
                return False
            for wording in self.joined_into(repository_id, rule_id):
                self.purge(repository_id, wording.rule_id, at, by=by, why=why, key=key)
            comments = [one.comment for one in self.sources(repository_id, rule_id)]
            matches = self.matches(repository_id, rule_id=rule_id, with_withdrawn=True)
            replies = [[one.number, one.thread] for one in matches if one.reply_id is not None]
            connection.execute(delete(RuleRow).filter_by(**_key(repository_id, rule_id)))
            for place, comment in enumerate(comments or [None]):
                what = RuleChange.purged
                data = {**({"why": why} if why else {}), **({"replies": replies} if replies and place == 0 else {})}
                write_down(connection, repository_id, rule_id, what, at, by=by, comment=comment, data=data, key=key)
            return True

    def _turn(
        self,
        place: tuple[int, str],
        since: Iterable[RuleState],
        values: Mapping[str, Any],
        what: RuleChange,
        at: datetime,
        *,
        by: str | None = None,
        data: Mapping[str, Any] | None = None,
        key: str = "",
    ) -> bool:
        """Move a rule from one of these states to another, once, and log it."""
        with self._database.write() as connection:
            row = locked(connection, RuleRow, _key(*place))
            if row is None or row.state not in tuple(since):
                return False
            _set(connection, place, {**values, "changed_at": at})
            write_down(connection, *place, what, at, by=by, data=data, key=key)
            return True


def _set(connection: Connection, place: tuple[int, str], values: Mapping[str, Any]) -> None:
    connection.execute(update(RuleRow).filter_by(**_key(*place)).values(**values))


def _key(repository_id: int, rule_id: str) -> dict[str, object]:
    return {"repository_id": repository_id, "rule_id": rule_id}
