"""Source comments of rules."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select, update

from assay.github_app.store.database.database import insert_new, locked, put, values_of
from assay.github_app.store.rules.rules_log import RulesLog, write_down
from assay.github_app.store.tables.rules_tables import RuleChange, SourceRow


class RuleSources(RulesLog):
    """The table `rule_sources`."""

    def add_source(self, source: SourceRow) -> bool:
        """Add a comment as source of a rule; return False if it is one already. A comment has one rule at a time."""
        key = _key(source.repository_id, source.comment_kind, source.comment_id)
        values = values_of(source)
        with self._database.write() as connection:
            if insert_new(connection, SourceRow, values):
                is_news = True
            else:
                known = locked(connection, SourceRow, key)
                is_news = known is None or known.rule_id != source.rule_id
                put(connection, SourceRow, values)
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
            source = locked(connection, SourceRow, key)
            if source is None:
                return None
            connection.execute(delete(SourceRow).filter_by(**key))
            what, comment = RuleChange.taken_back, source.comment
            write_down(connection, repository_id, source.rule_id, what, at, by=source.reviewer, comment=comment)
            return source

    def stop_counting(self, repository_id: int, rule_id: str) -> None:
        """Keep a rule's sources as evidence but stop counting them as votes."""
        these = update(SourceRow).filter_by(repository_id=repository_id, rule_id=rule_id)
        self._database.execute(these.values(counts=False))

    def move_sources(self, repository_id: int, rule_id: str, into: str) -> int:
        """Make a rule's sources those of another rule; return their number."""
        these = update(SourceRow).filter_by(repository_id=repository_id, rule_id=rule_id)
        return self._database.execute(these.values(rule_id=into))

    def sources(self, repository_id: int, rule_id: str) -> tuple[SourceRow, ...]:
        """Return the sources of a rule, oldest first."""
        return self._sources({"repository_id": repository_id, "rule_id": rule_id})

    def sources_in(self, repository_id: int) -> tuple[SourceRow, ...]:
        """Return the sources of all rules of a repository, oldest first."""
        return self._sources({"repository_id": repository_id})

    def source_of(self, repository_id: int, comment_kind: str, comment_id: int) -> SourceRow | None:
        """Return the source row of a comment, or None."""
        return self._database.one(select(SourceRow).filter_by(**_key(repository_id, comment_kind, comment_id)))

    def _sources(self, key: dict[str, object]) -> tuple[SourceRow, ...]:
        wanted = select(SourceRow).filter_by(**key).order_by(SourceRow.at, SourceRow.comment_kind, SourceRow.comment_id)
        return self._database.rows(wanted)


def _key(repository_id: int, comment_kind: str, comment_id: int) -> dict[str, object]:
    return {"repository_id": repository_id, "comment_kind": comment_kind, "comment_id": comment_id}
