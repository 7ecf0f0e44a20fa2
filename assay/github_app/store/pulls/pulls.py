"""Pull requests in their newest state, whatever order events arrive in, and their heads."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, exists, select, update

from assay.github.events.model import PullFacts, RepositoryFacts
from assay.github_app.store.app.installations import RepositoryRow, see_repository
from assay.github_app.store.database.database import Tables, insert_new, locked
from assay.github_app.store.pulls.pull_versions import declared_values, first_push, heads_of, newest_facts
from assay.github_app.store.tables.pull_tables import DeclaredBy, HeadRow, PullRow
from assay.github_app.store.tables.run_tables import RunRow


class Pulls(Tables):
    """The tables `pulls` and `pull_heads`."""

    def see(
        self,
        pull: PullFacts,
        repository: RepositoryFacts,
        at: datetime,
        *,
        action: str | None = None,
        before: str | None = None,
    ) -> PullRow:
        """Store GitHub's state of a pull request; return the resulting row.

        Older facts than the stored ones change only the list of heads (see `pull_versions`). `action` and
        `before` are those of a `pull_request` event, else None.
        """
        with self._database.write() as connection:
            see_repository(connection, repository, None, at)
            row = ensure_pull(connection, repository.id, pull.number, at)
            values = first_push(row, pull, action, at) | newest_facts(connection, repository.id, pull, at, before)
            # Short descriptions, such as a review's, omit who merged, which never changes.
            values["merged_by"] = pull.merged_by.login if pull.merged_by else row.merged_by
            _set(connection, repository.id, pull.number, values)
            return ensure_pull(connection, repository.id, pull.number, at)

    def get(self, repository_id: int, number: int) -> PullRow | None:
        """Return the pull request; None if only a comment on it, or nothing, was received."""
        found = self._where(PullRow.repository_id == repository_id, PullRow.number == number)
        return found[0] if found else None

    def heads(self, repository_id: int, number: int) -> tuple[HeadRow, ...]:
        """Return the heads, oldest first; within a second, each after its predecessor."""
        with self._database.read() as connection:
            return heads_of(connection, repository_id, number)

    def with_head(self, repository_id: int, sha: str) -> tuple[PullRow, ...]:
        """Return the open pull requests whose head is this commit (forks too)."""
        return self._where(PullRow.repository_id == repository_id, PullRow.head_sha == sha, PullRow.state == "open")

    def open_in(self, repository_id: int, base_ref: str | None = None) -> tuple[PullRow, ...]:
        """Return the open pull requests of a repository, or those against one of its branches."""
        base = () if base_ref is None else (PullRow.base_ref == base_ref,)
        return self._where(PullRow.repository_id == repository_id, PullRow.state == "open", *base)

    def all_in(self, repository_id: int) -> tuple[PullRow, ...]:
        """Return all pull requests of a repository."""
        return self._where(PullRow.repository_id == repository_id)

    def merged_as(self, repository_id: int, sha: str) -> tuple[PullRow, ...]:
        """Return the merged pull requests whose merge commit or last head has this id or prefix."""
        merge = PullRow.merge_commit_sha.startswith(sha, autoescape=True)
        begins = merge | PullRow.head_sha.startswith(sha, autoescape=True)
        return self._where(PullRow.repository_id == repository_id, PullRow.is_merged, begins)

    def open_without_run(self) -> tuple[PullRow, ...]:
        """Return open pull requests, not paused, of accessible repositories, whose head has no run."""
        has_run = exists().where(
            RunRow.repository_id == PullRow.repository_id,
            RunRow.number == PullRow.number,
            RunRow.head_sha == PullRow.head_sha,
        )
        given = exists().where(RepositoryRow.id == PullRow.repository_id, RepositoryRow.is_given)
        return self._where(PullRow.state == "open", PullRow.paused_at.is_(None), given, ~has_run)

    def of_task(self, repository_id: int, task_id: str) -> tuple[PullRow, ...]:
        """Return the pull requests that name a task."""
        return self._where(PullRow.repository_id == repository_id, PullRow.task_id == task_id)

    def quiet_since(self, before: datetime) -> tuple[PullRow, ...]:
        """Return the open pull requests without activity on GitHub since."""
        return self._where(PullRow.state == "open", PullRow.updated_at < before)

    def pause(self, repository_id: int, number: int, by: str, at: datetime) -> bool:
        """Pause validation of a pull request; return False if it was paused already."""
        with self._database.write() as connection:
            row = ensure_pull(connection, repository_id, number, at)
            if row.paused_at is not None:
                return False
            _set(connection, repository_id, number, {"paused_by": by, "paused_at": at})
            return True

    def resume(self, repository_id: int, number: int) -> bool:
        """Resume validation of a pull request; return False if it was not paused."""
        with self._database.write() as connection:
            row = locked(connection, PullRow, {"repository_id": repository_id, "number": number})
            if row is None or row.paused_at is None:
                return False
            _set(connection, repository_id, number, {"paused_by": None, "paused_at": None})
            return True

    def set_agent(
        self, repository_id: int, number: int, name: str, confidence: float, signals: Sequence[str], at: datetime
    ) -> None:
        """Store the probable author; a less confident guess never replaces a more confident one."""
        with self._database.write() as connection:
            row = ensure_pull(connection, repository_id, number, at)
            news = (confidence, name, tuple(signals))
            if row.agent is None or news > (row.agent_confidence, row.agent, row.agent_signals):
                values = {"agent": name, "agent_confidence": confidence, "agent_signals": list(signals)}
                _set(connection, repository_id, number, values)

    def declare(
        self,
        repository_id: int,
        number: int,
        source: DeclaredBy,
        at: datetime,
        *,
        task_id: str | None = None,
        model: str | None = None,
        prompt_version: str | None = None,
        issues: Sequence[str] = (),
    ) -> None:
        """Store one source's task, model, prompt version and issues, replacing its previous declaration.

        Of several sources, the one named first in `DeclaredBy` wins; the issues of all count.
        """
        linked = " ".join(issues) or None
        said = {"task_id": task_id, "model": model, "prompt_version": prompt_version, "issues": linked}
        with self._database.write() as connection:
            row = ensure_pull(connection, repository_id, number, at)
            known = dict(row.declared or {})
            if known.get(source, {}) == (news := {name: value for name, value in said.items() if value is not None}):
                return
            _set(connection, repository_id, number, declared_values({**known, str(source): news}))

    def _where(self, *conditions: Any) -> tuple[PullRow, ...]:
        known = select(PullRow).where(PullRow.head_sha.is_not(None), *conditions)
        return self._database.rows(known.order_by(PullRow.repository_id, PullRow.number))


def ensure_pull(connection: Connection, repository_id: int, number: int, at: datetime) -> PullRow:
    """Return the pull request's row, locked; insert it by number alone if it is missing."""
    key = {"repository_id": repository_id, "number": number}
    insert_new(connection, PullRow, {**key, "seen_at": at})
    row = locked(connection, PullRow, key)
    if row is None:
        raise LookupError(f"pull request {repository_id}#{number} is not there after it was made")
    return row


def _set(connection: Connection, repository_id: int, number: int, values: dict[str, Any]) -> None:
    connection.execute(update(PullRow).filter_by(repository_id=repository_id, number=number).values(**values))
