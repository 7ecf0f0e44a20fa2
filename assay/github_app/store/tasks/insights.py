"""Insights from tasks, searchable by words (each database's full-text search) and by meaning."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, column, delete, select, table, text, update

from assay.github_app.store.database.columns import clean
from assay.github_app.store.database.database import Tables, insert_new, put, rows
from assay.github_app.store.tables.insight_tables import (
    PULL_BODY,
    WORDS_TABLE,
    InsightHandoutRow,
    InsightRow,
    VectorRow,
)
from assay.github_app.store.tables.rules_tables import reader_of

MOST_WORDS = 32
"""Maximum words of a query that are searched."""
MOST_SEARCHED = 64 * 1024
"""Maximum characters of a text in the full-text index."""
MOST_WORD = 64
"""Maximum characters of an indexed word."""
_WORD = re.compile(r"\w+")


_INDEX = table(WORDS_TABLE, column("insight_id"))


class Insights(Tables):
    """The tables `insights` and `insight_vectors`, and the index of words."""

    def put(
        self,
        repository_id: int,
        insight_type: str,
        body: str,
        at: datetime,
        *,
        source: str,
        seen_at: datetime,
        task_id: str | None = None,
        number: int | None = None,
        told_by: str | None = None,
        agent: str | None = None,
        why_not: str | None = None,
    ) -> tuple[InsightRow, bool]:
        """Store an insight and return it with whether it is new; text, type and task identify it.

        With `why_not` it is stored and shown to users, but not delivered to agents.
        """
        body = clean(body)
        named = "\0".join((str(repository_id), insight_type, task_id or f"#{number}", body))
        key = {"id": hashlib.sha256(named.encode()).hexdigest()[:16]}
        values = {
            **key,
            "repository_id": repository_id,
            "insight_type": insight_type,
            "task_id": task_id,
            "number": number,
            "source": source,
            "told_by": told_by,
            "agent": agent,
            "text": body,
            "is_trusted": why_not is None,
            "why_not": why_not,
            "at": at,
            "seen_at": seen_at,
        }
        with self._database.write() as connection:
            is_new = insert_new(connection, InsightRow, values)
            if is_new:
                _index(connection, key["id"], body)
            return rows(connection, select(InsightRow).filter_by(**key))[0], is_new

    def get(self, insight_id: str) -> InsightRow | None:
        """Return the insight with this id."""
        return self._database.one(select(InsightRow).filter_by(id=insight_id))

    def of_task(self, repository_id: int, task_id: str) -> tuple[InsightRow, ...]:
        """Return the insights from one task, oldest first."""
        of = (InsightRow.repository_id == repository_id, InsightRow.task_id == task_id)
        return self._database.rows(select(InsightRow).where(*of).order_by(InsightRow.at, InsightRow.id))

    def newest(
        self,
        repository_id: int,
        limit: int,
        *,
        before: tuple[datetime, str] | None = None,
        insight_type: str | None = None,
        is_trusted: bool | None = True,
    ) -> tuple[InsightRow, ...]:
        """Return the newest insights first; `before` is (`at`, `id`) of the last one of the previous page."""
        wanted = _wanted(repository_id, insight_type, is_trusted)
        if before is not None:
            at, last = before
            wanted = wanted.where((InsightRow.at < at) | ((InsightRow.at == at) & (InsightRow.id < last)))
        return self._database.rows(wanted.order_by(InsightRow.at.desc(), InsightRow.id.desc()).limit(limit))

    def handed_out(
        self,
        repository_id: int,
        insight_ids: Iterable[str],
        how: str,
        at: datetime,
        *,
        task_id: str | None = None,
        number: int | None = None,
    ) -> None:
        """Record the delivery of insights to a task or pull request; the first of each `how` is kept."""
        place = {"how": how, "repository_id": repository_id, "task_id": task_id, "number": number, "at": at}
        reader = reader_of(task_id, number, at)
        with self._database.write() as connection:
            for insight_id in dict.fromkeys(insight_ids):
                insert_new(connection, InsightHandoutRow, {"insight_id": insight_id, "reader": reader, **place})

    def handouts(
        self, repository_id: int, *, task_id: str | None = None, number: int | None = None
    ) -> tuple[InsightHandoutRow, ...]:
        """Return the deliveries, oldest first."""
        told = {"repository_id": repository_id, "task_id": task_id, "number": number}
        wanted = select(InsightHandoutRow).filter_by(
            **{name: value for name, value in told.items() if value is not None}
        )
        return self._database.rows(
            wanted.order_by(InsightHandoutRow.at, InsightHandoutRow.insight_id, InsightHandoutRow.reader)
        )

    def with_words(
        self,
        repository_id: int,
        question: str,
        limit: int,
        *,
        insight_type: str | None = None,
        is_trusted: bool | None = True,
    ) -> tuple[InsightRow, ...]:
        """Return the insights that share words with a query (stems, any of them), the best first."""
        words = list(dict.fromkeys(_words(clean(question).lower()[:2000])))[:MOST_WORDS]
        if not words:
            return ()
        with self._database.read() as connection:
            found = _matching(connection, words, repository_id, insight_type, is_trusted, limit)
        return self.with_ids(found)

    def put_vectors(self, embedder: str, vectors: Iterable[tuple[str, bytes]]) -> None:
        """Store the vectors of insights: (id, float32 little endian). Deleted insights are skipped."""
        with self._database.write() as connection:
            for insight_id, vector in vectors:
                if connection.execute(select(InsightRow).filter_by(id=insight_id)).first() is not None:
                    put(connection, VectorRow, {"insight_id": insight_id, "embedder": embedder, "vector": vector})

    def vectors(
        self, repository_id: int, embedder: str, *, insight_type: str | None = None, is_trusted: bool | None = True
    ) -> tuple[tuple[str, bytes], ...]:
        """Return (id, vector) of every insight of a repository with a vector of this embedder."""
        wanted = (
            select(VectorRow.insight_id, VectorRow.vector)
            .join(InsightRow, InsightRow.id == VectorRow.insight_id)
            .where(VectorRow.embedder == embedder, *_conditions(repository_id, insight_type, is_trusted))
            .order_by(VectorRow.insight_id)
        )
        with self._database.read() as connection:
            return tuple((row[0], row[1]) for row in connection.execute(wanted))

    def without_vector(self, embedder: str, limit: int, repository_id: int | None = None) -> tuple[InsightRow, ...]:
        """Return the insights without a vector of this embedder, oldest first."""
        seen = select(VectorRow.insight_id).where(VectorRow.insight_id == InsightRow.id, VectorRow.embedder == embedder)
        wanted = select(InsightRow).where(~seen.exists()).order_by(InsightRow.seen_at, InsightRow.id).limit(limit)
        if repository_id is not None:
            wanted = wanted.where(InsightRow.repository_id == repository_id)
        return self._database.rows(wanted)

    def with_ids(self, insight_ids: Sequence[str]) -> tuple[InsightRow, ...]:
        """Return these insights in this order, without unknown ids."""
        by_id = {
            row.id: row
            for row in self._database.rows(select(InsightRow).where(InsightRow.id.in_(list(insight_ids)[:1000])))
        }
        return tuple(by_id[one] for one in insight_ids if one in by_id)

    def trust(self, insight_id: str, *, why_not: str | None) -> bool:
        """Deliver the insight to agents (None) or stop, with the reason; return False if the id is unknown."""
        changed = update(InsightRow).where(InsightRow.id == insight_id)
        with self._database.write() as connection:
            done = connection.execute(changed.values(is_trusted=why_not is None, why_not=why_not))
            return done.rowcount > 0

    def forget_notes(self, repository_id: int, number: int, but: str | None) -> None:
        """Delete earlier insights from a pull request's description, except its current one."""
        of = (InsightRow.repository_id == repository_id, InsightRow.number == number, InsightRow.source == PULL_BODY)
        old = [row.id for row in self._database.rows(select(InsightRow).where(*of)) if row.id != but]
        for insight_id in old:
            self.purge(insight_id)

    def purge(self, insight_id: str) -> bool:
        """Delete an insight, its words and its vectors; return False if the id is unknown."""
        with self._database.write() as connection:
            connection.execute(text("DELETE FROM insight_words WHERE insight_id = :id"), {"id": insight_id})
            connection.execute(delete(VectorRow).where(VectorRow.insight_id == insight_id))
            return connection.execute(delete(InsightRow).where(InsightRow.id == insight_id)).rowcount > 0


def _wanted(repository_id: int, insight_type: str | None, is_trusted: bool | None) -> Select[Any]:
    return select(InsightRow).where(*_conditions(repository_id, insight_type, is_trusted))


def _conditions(repository_id: int, insight_type: str | None, is_trusted: bool | None) -> list[Any]:
    wanted = [InsightRow.repository_id == repository_id]
    if insight_type is not None:
        wanted.append(InsightRow.insight_type == insight_type)
    if is_trusted is not None:
        wanted.append(InsightRow.is_trusted.is_(is_trusted))
    return wanted


def _index(connection: Connection, insight_id: str, body: str) -> None:
    words = "to_tsvector('english', :words)" if connection.dialect.name == "postgresql" else ":words"
    statement = f"INSERT INTO insight_words (insight_id, words) VALUES (:id, {words})"  # noqa: S608 - one of two texts above
    connection.execute(text(statement), {"id": insight_id, "words": _searchable(body)})


def _searchable(body: str) -> str:
    """Return the words of a text, one mark between them: a `tsvector` over a megabyte is rejected."""
    return " ".join(_words(body[:MOST_SEARCHED]))


def _words(text: str) -> list[str]:
    """Return the words of a text, truncated: PostgreSQL rejects a word of over two thousand bytes."""
    return [word[:MOST_WORD] for word in _WORD.findall(text)]


def _matching(
    connection: Connection,
    words: Sequence[str],
    repository_id: int,
    insight_type: str | None,
    is_trusted: bool | None,
    limit: int,
) -> list[str]:
    """Return the ids in order of rank. The query's words are quoted, so that no search operator applies."""
    if connection.dialect.name == "postgresql":
        # The database stems each word; one match is enough.
        rank = text("ts_rank_cd(insight_words.words, to_tsquery('english', :words)) DESC")
        match = text("insight_words.words @@ to_tsquery('english', :words)")
        given = " | ".join(f"'{word}'" for word in words)
    else:
        rank = text("bm25(insight_words)")
        match = text("insight_words MATCH :words")
        given = " OR ".join(f'"{word}"' for word in words)
    wanted = (
        select(InsightRow.id)
        .select_from(InsightRow)
        .join(_INDEX, _INDEX.c.insight_id == InsightRow.id)
        .where(match, *_conditions(repository_id, insight_type, is_trusted))
        .order_by(rank, InsightRow.at.desc(), InsightRow.id)
        .limit(limit)
    )
    return [row[0] for row in connection.execute(wanted, {"words": given})]
