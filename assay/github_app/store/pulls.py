"""Pull requests: the newest truth about each, whatever order the news came in, and the heads it went through."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, exists, select, update

from assay.github_app.events import PullFacts, RepositoryFacts
from assay.github_app.store.columns import clean
from assay.github_app.store.database import Database, by_key, insert_new, locked
from assay.github_app.store.installations import REPOSITORIES, see_repository
from assay.github_app.store.pull_tables import HEADS, PULLS, HeadRow, PullRow, pull_row
from assay.github_app.store.run_tables import RUNS

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


class Pulls:
    """The tables `pulls` and `pull_heads`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def see(
        self,
        pull: PullFacts,
        repository: RepositoryFacts,
        at: datetime,
        *,
        installation_id: int | None = None,
        action: str | None = None,
        before: str | None = None,
    ) -> PullRow:
        """What GitHub says about a pull request; the row as it stands afterwards.

        Facts older than what is known (by GitHub's `updated_at`) change nothing but the list of heads. Facts of the
        same second are put in an order of their own that does not depend on which came first: merged after closed
        after open, a head after the one it followed. `action` and `before` are those of a `pull_request` event.
        """
        with self._database.write() as connection:
            see_repository(connection, repository, installation_id, at)
            row = ensure_pull(connection, repository.id, pull.number, at)
            _see_head(connection, repository.id, pull, at, before)
            values = _first_push(row, pull, action, at)
            if _is_news(connection, row, pull):
                values |= _facts(pull) | {"version": _version(pull), "seen_at": at}
            if values:
                _set(connection, repository.id, pull.number, values)
            known = _get(connection, repository.id, pull.number)
            if known is None:
                raise LookupError(f"pull request {repository.id}#{pull.number} is not there after it was written")
            return known

    def get(self, repository_id: int, number: int) -> PullRow | None:
        """The pull request; None where none was seen, or only a comment on it."""
        with self._database.read() as connection:
            return _get(connection, repository_id, number)

    def heads(self, repository_id: int, number: int) -> tuple[HeadRow, ...]:
        """Its heads, oldest first; of the same second, a head after the one it followed."""
        with self._database.read() as connection:
            return _heads(connection, repository_id, number)

    def with_head(self, repository_id: int, sha: str) -> tuple[PullRow, ...]:
        """The open pull requests whose head is this commit (forks too)."""
        return self._where(PULLS.c.repository_id == repository_id, PULLS.c.head_sha == sha, PULLS.c.state == "open")

    def merged_as(self, repository_id: int, commits: Sequence[str]) -> tuple[PullRow, ...]:
        """The pull requests that one of these commits merged; the beginning of an id (12 digits or more) will do."""
        whole = [PULLS.c.merge_commit_sha.startswith(sha, autoescape=True) for sha in commits if len(sha) >= 12]
        found: dict[int, PullRow] = {}
        for one in whole:
            for row in self._where(PULLS.c.repository_id == repository_id, PULLS.c.is_merged, one):
                found[row.number] = row
        return tuple(found[number] for number in sorted(found))

    def merged_since(self, repository_id: int, since: datetime) -> tuple[PullRow, ...]:
        """The pull requests merged at or after this time."""
        return self._where(PULLS.c.repository_id == repository_id, PULLS.c.is_merged, PULLS.c.merged_at >= since)

    def open_without_run(self) -> tuple[PullRow, ...]:
        """Open pull requests, not paused, of repositories we may look at, whose head has no run."""
        has_run = exists().where(
            RUNS.c.repository_id == PULLS.c.repository_id,
            RUNS.c.number == PULLS.c.number,
            RUNS.c.head_sha == PULLS.c.head_sha,
        )
        given = exists().where(REPOSITORIES.c.id == PULLS.c.repository_id, REPOSITORIES.c.is_given)
        return self._where(PULLS.c.state == "open", PULLS.c.paused_at.is_(None), given, ~has_run)

    def quiet_since(self, before: datetime) -> tuple[PullRow, ...]:
        """Open pull requests about which GitHub has had no news since."""
        return self._where(PULLS.c.state == "open", PULLS.c.updated_at < before)

    def pause(self, repository_id: int, number: int, by: str, at: datetime) -> bool:
        """Judge no further head of it; False when it was paused already."""
        with self._database.write() as connection:
            row = ensure_pull(connection, repository_id, number, at)
            if row.paused_at is not None:
                return False
            _set(connection, repository_id, number, {"paused_by": by, "paused_at": at})
            return True

    def resume(self, repository_id: int, number: int) -> bool:
        """Judge its heads again; False when it was not paused."""
        with self._database.write() as connection:
            row = locked(connection, PULLS, {"repository_id": repository_id, "number": number})
            if row is None or row.paused_at is None:
                return False
            _set(connection, repository_id, number, {"paused_by": None, "paused_at": None})
            return True

    def set_agent(
        self, repository_id: int, number: int, name: str, confidence: float, signals: Sequence[str], at: datetime
    ) -> None:
        """Who seems to have made it. A guess never replaces a surer one."""
        with self._database.write() as connection:
            row = ensure_pull(connection, repository_id, number, at)
            news = (confidence, name, list(signals))
            if row.agent is None or news > (row.agent_confidence, row.agent, row.agent_signals):
                values = {"agent": name, "agent_confidence": confidence, "agent_signals": list(signals)}
                _set(connection, repository_id, number, values)

    def set_task(self, repository_id: int, number: int, task_id: str | None, model: str | None, at: datetime) -> None:
        """Which task it belongs to and which model made it, where they are known (None changes nothing)."""
        values = {name: value for name, value in (("task_id", task_id), ("model", model)) if value is not None}
        with self._database.write() as connection:
            ensure_pull(connection, repository_id, number, at)
            if values:
                _set(connection, repository_id, number, values)

    def set_prompt_version(self, repository_id: int, number: int, version: str, source: str, at: datetime) -> None:
        """Which instructions it was made under; `source` is `declared` (which wins) or `files`."""
        with self._database.write() as connection:
            row = ensure_pull(connection, repository_id, number, at)
            if source == "declared" or row.prompt_version_source != "declared":
                values = {"prompt_version": version, "prompt_version_source": source}
                _set(connection, repository_id, number, values)

    def _where(self, *conditions: Any) -> tuple[PullRow, ...]:
        wanted = select(PULLS).where(*conditions).order_by(PULLS.c.repository_id, PULLS.c.number)
        with self._database.read() as connection:
            rows = [pull_row(row._asdict()) for row in connection.execute(wanted)]
            return tuple(row for row in rows if row is not None)


def ensure_pull(connection: Connection, repository_id: int, number: int, at: datetime) -> Row[Any]:
    """The pull request's row, locked; made by its number alone where there is none."""
    key = {"repository_id": repository_id, "number": number}
    insert_new(connection, PULLS, {**key, "seen_at": at})
    row = locked(connection, PULLS, key)
    if row is None:
        raise LookupError(f"pull request {repository_id}#{number} is not there after it was made")
    return row


def _is_news(connection: Connection, row: Row[Any], pull: PullFacts) -> bool:
    """Whether these facts are newer than the row's."""
    if row.version is None:
        return True
    known, news = (
        _moment(row.updated_at, row.is_merged, row.state),
        _moment(pull.updated_at, pull.is_merged, pull.state),
    )
    if known != news:
        return news > known
    if clean(pull.head_sha) != row.head_sha:
        return _newest_of_second(connection, row) == pull.head_sha
    return _version(pull) > row.version


def _moment(updated_at: datetime | None, is_merged: bool, state: str) -> tuple[datetime, bool, bool]:
    return (updated_at or _LONG_AGO, is_merged, state == "closed")


def _newest_of_second(connection: Connection, row: Row[Any]) -> str:
    """Of the heads seen in the second the row is of, the one that comes last."""
    moment = row.updated_at or _LONG_AGO
    same = [head for head in _heads(connection, row.repository_id, row.number) if head.last_at == moment]
    return same[-1].sha if same else row.head_sha


def _see_head(connection: Connection, repository_id: int, pull: PullFacts, at: datetime, before: str | None) -> None:
    moment = pull.updated_at or _LONG_AGO
    key = {"repository_id": repository_id, "number": pull.number, "sha": pull.head_sha}
    # The time of an opening is when the head was pushed; later events only show that it is still there.
    values = {**key, "before_sha": before, "pushed_at": moment, "last_at": moment}
    if insert_new(connection, HEADS, values):
        return
    row = locked(connection, HEADS, key)
    if row is None:
        return
    follows = max(row.before_sha or "", before or "") or None
    changes = {"before_sha": follows, "pushed_at": min(row.pushed_at, moment), "last_at": max(row.last_at, moment)}
    connection.execute(update(HEADS).where(*(HEADS.c[name] == value for name, value in key.items())).values(**changes))


def _first_push(row: Row[Any], pull: PullFacts, action: str | None, at: datetime) -> dict[str, Any]:
    """What the very first events say, kept once; of several "ready", the earliest."""
    moment = pull.updated_at or at
    if action == "opened" and row.opened_head is None:
        return {"opened_head": pull.head_sha, "opened_as_draft": pull.is_draft}
    if action == "ready_for_review" and (
        row.ready_at is None or (moment, pull.head_sha) < (row.ready_at, row.ready_head)
    ):
        return {"ready_head": pull.head_sha, "ready_at": moment}
    return {}


def _facts(pull: PullFacts) -> dict[str, Any]:
    return {
        "github_id": pull.id,
        "title": pull.title,
        "body": pull.body,
        "author": pull.author.login,
        "author_id": pull.author.id,
        "author_kind": pull.author.kind,
        "head_sha": pull.head_sha,
        "head_ref": pull.head_ref,
        "head_repository_id": pull.head_repository.id if pull.head_repository else None,
        "head_repository": pull.head_repository.full_name if pull.head_repository else None,
        "base_sha": pull.base_sha,
        "base_ref": pull.base_ref,
        "is_fork": pull.is_fork,
        "is_draft": pull.is_draft,
        "state": pull.state,
        "is_merged": pull.is_merged,
        "merge_commit_sha": pull.merge_commit_sha,
        "labels": sorted(pull.labels),
        "created_at": pull.created_at,
        "updated_at": pull.updated_at,
        "closed_at": pull.closed_at,
        "merged_at": pull.merged_at,
        "merged_by": pull.merged_by.login if pull.merged_by else None,
    }


def _version(pull: PullFacts) -> str:
    """A mark of the facts, to choose between two descriptions of one second the same way whatever came first."""
    text = json.dumps(_facts(pull), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _set(connection: Connection, repository_id: int, number: int, values: dict[str, Any]) -> None:
    this = (PULLS.c.repository_id == repository_id, PULLS.c.number == number)
    connection.execute(update(PULLS).where(*this).values(**values))


def _get(connection: Connection, repository_id: int, number: int) -> PullRow | None:
    row = connection.execute(by_key(PULLS, {"repository_id": repository_id, "number": number})).one_or_none()
    return None if row is None else pull_row(row._asdict())


def _heads(connection: Connection, repository_id: int, number: int) -> tuple[HeadRow, ...]:
    rows = connection.execute(by_key(HEADS, {"repository_id": repository_id, "number": number}))
    known = {row.sha: HeadRow(row.sha, row.before_sha, row.pushed_at, row.last_at) for row in rows}
    ordered = sorted(known.values(), key=lambda head: (head.pushed_at, _steps(head, known), head.sha))
    return tuple(ordered)


def _steps(head: HeadRow, known: dict[str, HeadRow]) -> int:
    """How many known heads lie before it, following what each one followed; a circle ends where it began."""
    seen = {head.sha}
    before = head.before_sha
    while before in known and before not in seen:
        seen.add(before)
        before = known[before].before_sha
    return len(seen)
