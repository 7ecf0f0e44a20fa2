"""Source comments of rules."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from sqlalchemy import delete, update

from assay.github_app.store.database.database import by_key, insert_new, locked, put
from assay.github_app.store.rules.rules_log import RulesLog, write_down
from assay.github_app.store.tables.rules_tables import SOURCES, RuleChange, SourceRow, row_of


class RuleSources(RulesLog):
    """The table `rule_sources`."""

    def add_source(self, source: SourceRow) -> bool:
        """Add a comment as source of a rule; return False if it is one already. A comment has one rule at a time."""
        key = _key(source.repository_id, source.comment_kind, source.comment_id)
        values = asdict(source)
        with self._database.write() as connection:
            if insert_new(connection, SOURCES, values):
                is_news = True
            else:
                known = locked(connection, SOURCES, key)
                is_news = known is None or known.rule_id != source.rule_id
                put(connection, SOURCES, values)
            if is_news:
                write_down(
                    connection,
                    source.repository_id,
                    source.rule_id,
                    RuleChange.said_again,
                    source.at,
                    by=source.reviewer,
                    comment=source.comment,
                    data={"number": source.number, "counts": source.counts, "permission": source.permission},
                )
            return is_news

    def drop_source(self, repository_id: int, comment_kind: str, comment_id: int, at: datetime) -> SourceRow | None:
        """Remove a comment that was deleted or no longer states its rule; return the removed source."""
        key = _key(repository_id, comment_kind, comment_id)
        with self._database.write() as connection:
            known = locked(connection, SOURCES, key)
            if known is None:
                return None
            source = row_of(SourceRow, known)
            connection.execute(delete(SOURCES).where(*(SOURCES.c[name] == value for name, value in key.items())))
            what, comment = RuleChange.taken_back, source.comment
            write_down(connection, repository_id, source.rule_id, what, at, by=source.reviewer, comment=comment)
            return source

    def stop_counting(self, repository_id: int, rule_id: str) -> None:
        """Keep a rule's sources as evidence but stop counting them as votes."""
        these = (SOURCES.c.repository_id == repository_id, SOURCES.c.rule_id == rule_id)
        with self._database.write() as connection:
            connection.execute(update(SOURCES).where(*these).values(counts=False))

    def sources(self, repository_id: int, rule_id: str) -> tuple[SourceRow, ...]:
        """Return the sources of a rule, oldest first."""
        return self._sources({"repository_id": repository_id, "rule_id": rule_id})

    def sources_in(self, repository_id: int) -> tuple[SourceRow, ...]:
        """Return the sources of all rules of a repository, oldest first."""
        return self._sources({"repository_id": repository_id})

    def source_of(self, repository_id: int, comment_kind: str, comment_id: int) -> SourceRow | None:
        """Return the source row of a comment, or None."""
        with self._database.read() as connection:
            row = connection.execute(by_key(SOURCES, _key(repository_id, comment_kind, comment_id))).one_or_none()
            return None if row is None else row_of(SourceRow, row)

    def _sources(self, key: dict[str, object]) -> tuple[SourceRow, ...]:
        wanted = by_key(SOURCES, key).order_by(SOURCES.c.at, SOURCES.c.comment_kind, SOURCES.c.comment_id)
        with self._database.read() as connection:
            return tuple(row_of(SourceRow, row) for row in connection.execute(wanted))


def _key(repository_id: int, comment_kind: str, comment_id: int) -> dict[str, object]:
    return {"repository_id": repository_id, "comment_kind": comment_kind, "comment_id": comment_id}
