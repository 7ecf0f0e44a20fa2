"""CI results of a commit, and results uploaded by its workflows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Column, Index, Integer, Row, Table

from assay.github.events.model import CheckFacts
from assay.github_app.store.database.columns import BIG, METADATA, Json, UtcTime, Words, clean
from assay.github_app.store.database.database import Database, by_key, insert_new, locked, put

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_PROGRESS = ("queued", "in_progress", "completed")

CHECKS = Table(
    "checks",
    METADATA,
    Column("repository_id", BIG, primary_key=True, autoincrement=False),
    Column("head_sha", Words, primary_key=True),
    Column("source", Words, primary_key=True),
    Column("external_key", Words, primary_key=True),
    Column("name", Words, nullable=False),
    Column("status", Words, nullable=False),
    Column("conclusion", Words),
    Column("app_id", BIG),
    Column("app_slug", Words),
    Column("url", Words),
    Column("title", Words),
    Column("summary", Words),
    Column("external_id", Words),
    Column("suite_id", BIG),
    Column("started_at", UtcTime),
    Column("completed_at", UtcTime),
    Column("pull_numbers", Json, nullable=False),
    Column("seen_at", UtcTime, nullable=False),
    info={"holds": "Check runs and commit statuses of other Apps, each in its newest state."},
)

RESULTS = Table(
    "posted_results",
    METADATA,
    Column("repository_id", BIG, primary_key=True, autoincrement=False),
    Column("head_sha", Words, primary_key=True),
    Column("workflow_run_id", BIG, primary_key=True, autoincrement=False),
    Column("job", Words, primary_key=True),
    Column("run_attempt", Integer(), nullable=False),
    Column("number", Integer()),
    Column("workflow_ref", Words, nullable=False),
    Column("event_name", Words, nullable=False),
    Column("tools", Json, nullable=False),
    Column("posted_at", UtcTime, nullable=False),
    Index(None, "posted_at"),
    info={"holds": "Tier 1 results uploaded with a workflow's identity token; the newest attempt of each job."},
)


@dataclass(frozen=True, slots=True)
class PostedResults:
    """Tier 1 results as a workflow reported them. `tools` is plain JSON data and trusted no more than CI."""

    repository_id: int
    head_sha: str
    workflow_run_id: int
    job: str
    run_attempt: int
    workflow_ref: str
    event_name: str
    tools: Any
    posted_at: datetime
    number: int | None = None


class Checks:
    """The tables `checks` and `posted_results`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, repository_id: int, check: CheckFacts, at: datetime) -> bool:
        """Store a check's state; return False if a newer one is stored."""
        key = {
            "repository_id": repository_id,
            "head_sha": check.head_sha,
            "source": check.source,
            "external_key": check.external_key,
        }
        values = {**key, **_facts(check), "seen_at": at}
        with self._database.write() as connection:
            if insert_new(connection, CHECKS, values):
                return True
            row = locked(connection, CHECKS, key)
            if row is not None and _age(check) <= _age(_check(row)):
                return False
            put(connection, CHECKS, values)
            return True

    def of(self, repository_id: int, head_sha: str) -> tuple[CheckFacts, ...]:
        """Return the CI results of a commit: the newest of each name and app, by name."""
        with self._database.read() as connection:
            return newest_checks(
                connection.execute(by_key(CHECKS, {"repository_id": repository_id, "head_sha": head_sha}))
            )

    def put_results(self, results: PostedResults) -> bool:
        """Store uploaded results; return False if a later attempt of the same job has reported already."""
        key = {name: getattr(results, name) for name in ("repository_id", "head_sha", "workflow_run_id", "job")}
        values = {column.name: getattr(results, column.name) for column in RESULTS.c}
        with self._database.write() as connection:
            if insert_new(connection, RESULTS, values):
                return True
            row = locked(connection, RESULTS, key)
            if row is not None and (row.run_attempt, row.posted_at) >= (results.run_attempt, results.posted_at):
                return False
            put(connection, RESULTS, values)
            return True

    def results_of(self, repository_id: int, head_sha: str) -> tuple[PostedResults, ...]:
        """Return the results that workflows posted for a commit, newest first."""
        wanted = by_key(RESULTS, {"repository_id": repository_id, "head_sha": head_sha})
        newest = wanted.order_by(RESULTS.c.posted_at.desc(), RESULTS.c.workflow_run_id.desc(), RESULTS.c.job)
        with self._database.read() as connection:
            return tuple(PostedResults(**row._asdict()) for row in connection.execute(newest))

    def purge(self, before: datetime) -> int:
        """Delete older posted results and the texts of older checks; return the number of results deleted."""
        with self._database.write() as connection:
            old = CHECKS.update().where(CHECKS.c.seen_at < before)
            connection.execute(old.values(title=None, summary=None))
            return connection.execute(RESULTS.delete().where(RESULTS.c.posted_at < before)).rowcount

    def passed(self, repository_id: int, head_sha: str) -> bool | None:
        """Return whether CI passed on a commit; None while a check runs or if there is none."""
        found = [check for check in self.of(repository_id, head_sha) if check.conclusion not in ("neutral", "skipped")]
        if not found or any(check.status != "completed" for check in found):
            return None
        return all(check.conclusion == "success" for check in found)


def newest_checks(rows: Iterable[Row[Any]]) -> tuple[CheckFacts, ...]:
    """Return the newest check of each name and app among rows of one commit, by name."""
    newest: dict[tuple[str, str, int], CheckFacts] = {}
    for check in sorted((_check(row) for row in rows), key=_age):
        newest[check.name, check.source, check.app_id or 0] = check
    return tuple(newest[key] for key in sorted(newest))


def _facts(check: CheckFacts) -> dict[str, Any]:
    return {
        "name": check.name,
        "status": check.status,
        "conclusion": check.conclusion,
        "app_id": check.app_id,
        "app_slug": check.app_slug,
        "url": check.url,
        "title": check.title,
        "summary": check.summary,
        "external_id": check.external_id,
        "suite_id": check.suite_id,
        "started_at": check.started_at,
        "completed_at": check.completed_at,
        "pull_numbers": sorted(check.pull_numbers),
    }


def _age(check: CheckFacts) -> tuple[Any, ...]:
    """Return the sort key of a check: the time, then its progress, its id, and finally an arbitrary stable order."""
    times = (check.started_at or _LONG_AGO, check.completed_at or _LONG_AGO)
    progress = _PROGRESS.index(check.status) if check.status in _PROGRESS else -1
    key = int(check.external_key) if check.external_key.isdecimal() else 0
    same = [clean(str(value)) for value in _facts(check).values()]
    return (max(times), progress, key, check.external_key, same)


def _check(row: Row[Any]) -> CheckFacts:
    values = {name: value for name, value in row._asdict().items() if name not in ("repository_id", "seen_at")}
    return CheckFacts(**{**values, "pull_numbers": tuple(values["pull_numbers"])})
