"""CI results of a commit, and results uploaded by its workflows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Index, or_, select, text
from sqlalchemy.orm import Mapped, mapped_column

from assay.github.events.model import CheckFacts
from assay.github_app.store.database.columns import Big, BigKey, Json, Kept, Key, StoredRow, clean, described
from assay.github_app.store.database.database import Tables, insert_new, locked, put, values_of

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_HAS_TEXT = "title IS NOT NULL OR summary IS NOT NULL"
_PROGRESS = ("queued", "in_progress", "completed")


class CheckRow(StoredRow):
    """A check as stored; the store returns `CheckFacts`."""

    __tablename__ = "checks"
    __table_args__ = (
        Index(None, "seen_at"),
        Index("ix_checks_with_text", "seen_at", sqlite_where=text(_HAS_TEXT), postgresql_where=text(_HAS_TEXT)),
        described("Check runs and commit statuses of other Apps, each in its newest state.", Kept.pull),
    )

    repository_id: Mapped[BigKey]
    head_sha: Mapped[Key]
    source: Mapped[Key]
    external_key: Mapped[Key]
    name: Mapped[str]
    status: Mapped[str]
    conclusion: Mapped[str | None]
    app_id: Mapped[Big | None]
    app_slug: Mapped[str | None]
    url: Mapped[str | None]
    title: Mapped[str | None]
    summary: Mapped[str | None]
    external_id: Mapped[str | None]
    suite_id: Mapped[Big | None]
    started_at: Mapped[datetime | None]
    completed_at: Mapped[datetime | None]
    pull_numbers: Mapped[tuple[int, ...]]
    seen_at: Mapped[datetime]


class PostedResults(StoredRow):
    """Tier 1 results as a workflow reported them. `tools` is plain JSON data and trusted no more than CI."""

    __tablename__ = "posted_results"
    __table_args__ = (
        Index(None, "posted_at"),
        described(
            "Tier 1 results uploaded with a workflow's identity token; the newest attempt of each job.", Kept.keep_days
        ),
    )

    repository_id: Mapped[BigKey]
    head_sha: Mapped[Key]
    workflow_run_id: Mapped[BigKey]
    job: Mapped[Key]
    run_attempt: Mapped[int]
    workflow_ref: Mapped[str]
    event_name: Mapped[str]
    tools: Mapped[Any] = mapped_column(Json)
    posted_at: Mapped[datetime]
    number: Mapped[int | None] = mapped_column(default=None)


class Checks(Tables):
    """The tables `checks` and `posted_results`."""

    def put(self, repository_id: int, check: CheckFacts, at: datetime) -> bool:
        """Store a check's state; return False if a newer one is stored."""
        values = {**_facts(check), "repository_id": repository_id, "seen_at": at}
        key = {name: values[name] for name in ("repository_id", "head_sha", "source", "external_key")}
        with self._database.write() as connection:
            if insert_new(connection, CheckRow, values):
                return True
            row = locked(connection, CheckRow, key)
            if row is not None and _age(check) <= _age(_check(row)):
                return False
            put(connection, CheckRow, values)
            return True

    def of(self, repository_id: int, head_sha: str) -> tuple[CheckFacts, ...]:
        """Return the CI results of a commit: the newest of each name and app, by name."""
        wanted = select(CheckRow).filter_by(repository_id=repository_id, head_sha=head_sha)
        return newest_checks(self._database.rows(wanted))

    def put_results(self, results: PostedResults) -> bool:
        """Store uploaded results; return False if a later attempt of the same job has reported already."""
        values = values_of(results)
        key = {name: values[name] for name in ("repository_id", "head_sha", "workflow_run_id", "job")}
        with self._database.write() as connection:
            if insert_new(connection, PostedResults, values):
                return True
            row = locked(connection, PostedResults, key)
            if row is not None and (row.run_attempt, row.posted_at) >= (results.run_attempt, results.posted_at):
                return False
            put(connection, PostedResults, values)
            return True

    def results_of(self, repository_id: int, head_sha: str) -> tuple[PostedResults, ...]:
        """Return the results that workflows posted for a commit, newest first."""
        wanted = select(PostedResults).filter_by(repository_id=repository_id, head_sha=head_sha)
        newest = wanted.order_by(
            PostedResults.posted_at.desc(), PostedResults.workflow_run_id.desc(), PostedResults.job
        )
        return self._database.rows(newest)

    def purge(self, before: datetime) -> int:
        """Delete some older posted results, and texts of older checks; return their number, 0 at the end."""
        if num_deleted := self._database.delete_some(PostedResults, PostedResults.posted_at < before):
            return num_deleted
        without = {"title": None, "summary": None}
        return self._database.update_some(CheckRow, without, _has_text(), CheckRow.seen_at < before)

    def passed(self, repository_id: int, head_sha: str) -> bool | None:
        """Return whether CI passed on a commit; None while a check runs or if there is none."""
        found = [check for check in self.of(repository_id, head_sha) if check.conclusion not in ("neutral", "skipped")]
        if not found or any(check.status != "completed" for check in found):
            return None
        return all(check.conclusion == "success" for check in found)


def _has_text() -> ColumnElement[bool]:
    """Return the condition of the index of checks with texts."""
    return or_(CheckRow.title.is_not(None), CheckRow.summary.is_not(None))


def newest_checks(rows: Iterable[CheckRow]) -> tuple[CheckFacts, ...]:
    """Return the newest check of each name and app among rows of one commit, by name."""
    newest: dict[tuple[str, str, int], CheckFacts] = {}
    for check in sorted((_check(row) for row in rows), key=_age):
        newest[check.name, check.source, check.app_id or 0] = check
    return tuple(newest[key] for key in sorted(newest))


def _facts(check: CheckFacts) -> dict[str, Any]:
    return {**asdict(check), "pull_numbers": sorted(check.pull_numbers)}


def _age(check: CheckFacts) -> tuple[Any, ...]:
    """Return the sort key of a check: the time, then its progress, its id, and finally an arbitrary stable order."""
    times = (check.started_at or _LONG_AGO, check.completed_at or _LONG_AGO)
    progress = _PROGRESS.index(check.status) if check.status in _PROGRESS else -1
    key = int(check.external_key) if check.external_key.isdecimal() else 0
    same = [clean(str(value)) for value in _facts(check).values()]
    return (max(times), progress, key, check.external_key, same)


def _check(row: CheckRow) -> CheckFacts:
    return CheckFacts(**{field.name: getattr(row, field.name) for field in fields(CheckFacts)})
