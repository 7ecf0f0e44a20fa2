"""Deletion of old pull requests and tasks, each with all its rows, and of what only they gave a meaning.

Each method deletes one batch in one transaction and returns its size, 0 at the end: it is called until then, at any
later time, by any worker. Rows are searched before the transaction begins.

What a figure or a decision of the last `history_days` rests on is not deleted: see `docs/app/store.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, or_, select, text, update
from sqlalchemy.orm import aliased

from assay.github_app.store.app.alerts import AlertRow
from assay.github_app.store.app.installations import InstallationRow, InstallationState, RepositoryRow
from assay.github_app.store.app.memory_runs import MemoryRunRow
from assay.github_app.store.app.sessions import SessionRow
from assay.github_app.store.database.database import BATCH, Tables
from assay.github_app.store.pulls.checks import CheckRow
from assay.github_app.store.pulls.reverts import RevertRow
from assay.github_app.store.tables.event_kinds import DECISIONS, EventKind
from assay.github_app.store.tables.insight_tables import WORDS_TABLE, InsightHandoutRow, InsightRow
from assay.github_app.store.tables.pull_tables import HeadRow, PullRow
from assay.github_app.store.tables.rules_tables import (
    HandoutRow,
    MatchRow,
    RuleAuditRow,
    RuleChange,
    RuleRow,
    RuleState,
    SourceRow,
)
from assay.github_app.store.tables.run_tables import ENDED, RunRow
from assay.github_app.store.tasks.evaluations import EvaluationRow
from assay.github_app.store.tasks.experiments import AssignmentRow, ExperimentRow
from assay.github_app.store.tasks.prompt_versions import PromptVersionRow
from assay.github_app.store.tasks.task_events import EventRow
from assay.github_app.store.tasks.tasks import TaskRow
from assay.github_app.store.tasks.traces import TraceRow
from assay.validators import MOST_PULLS

MOST_PLACES = 2_000
"""Pull requests found by one search: each search passes those that stay."""
PULLS_AT_ONCE = 50
"""Pull requests deleted in one transaction, with some thousand rows."""
PASSING_ALERTS = ("critical_risk", "link", "sarif")
"""Kinds of alerts whose key names a head, a run or a login link; others would be sent again."""
LESSER_CHANGES = (
    RuleChange.learned,
    RuleChange.imported,
    RuleChange.said_again,
    RuleChange.taken_back,
    RuleChange.reopened,
    RuleChange.expired,
    RuleChange.repeated,
)
"""Changes of a rule that go with it; decisions stay."""
_UNPLACED = (EventKind.check_completed, EventKind.results_posted, EventKind.memory_examined)
"""Kinds of log entries that may name neither a pull request nor a task."""
_Place = tuple[int, int]


class Retention(Tables):
    """Deletions over the tables of pull requests, tasks, rules and insights."""

    def delete_pulls(self, before: datetime) -> int:
        """Delete closed pull requests unchanged since `before`, except the newest `MOST_PULLS` of a repository.

        Those stay that a rule or an experiment refers to. Of a repository without access, open ones are deleted too.
        """
        places = self._old_places(before)
        num_deleted = 0
        for repository_id, group in groupby(places, key=itemgetter(0)):
            numbers = [number for _, number in group]
            for first in range(0, len(numbers), PULLS_AT_ONCE):
                with self._database.write() as connection:
                    num_deleted += _delete_pulls(
                        connection, repository_id, numbers[first : first + PULLS_AT_ONCE], before
                    )
        return num_deleted

    def delete_tasks(self, before: datetime) -> int:
        """Delete tasks unchanged since `before` whose pull request is not stored and that are in no experiment."""
        wanted = (
            select(TaskRow.repository_id, TaskRow.id)
            .where(_is_of_any(TaskRow.repository_id), TaskRow.created_at < before)
            .where(*_is_old_task(before), ~_has_pull(TaskRow))
            .limit(BATCH)
        )
        with self._database.read() as connection:
            found = sorted((row[0], row[1]) for row in connection.execute(wanted))
        num_deleted = 0
        for repository_id, group in groupby(found, key=itemgetter(0)):
            with self._database.write() as connection:
                num_deleted += _delete_tasks(connection, repository_id, [task_id for _, task_id in group], before)
        return num_deleted

    def delete_unplaced(self, before: datetime) -> int:
        """Delete runs of merge groups, and checks and log entries of commits, that belong to no pull request."""
        is_of_group = (_is_of_any(RunRow.repository_id), RunRow.number.is_(None))
        of_group = (*is_of_group, RunRow.ended_at < before, RunRow.state.in_(ENDED))
        is_head = exists().where(HeadRow.repository_id == CheckRow.repository_id, HeadRow.sha == CheckRow.head_sha)
        entry = (EventRow.kind.in_(_UNPLACED), EventRow.at < before, EventRow.number.is_(None))
        return (
            self._database.delete_some(RunRow, *of_group)
            or self._database.delete_some(CheckRow, CheckRow.seen_at < before, ~is_head)
            or self._database.delete_some(EventRow, *entry, EventRow.task_id.is_(None))
        )

    def delete_rules(self, before: datetime) -> int:
        """Delete rules that expired before, and were neither repeated nor delivered; decisions stay in their log."""
        other = aliased(RuleRow)
        same = (RuleRow.repository_id, RuleRow.rule_id)
        is_used = or_(
            exists().where(MatchRow.repository_id == same[0], MatchRow.rule_id == same[1]),
            exists().where(HandoutRow.repository_id == same[0], HandoutRow.rule_id == same[1]),
            exists().where(other.repository_id == same[0], other.joined_into == same[1]),
        )
        old = (RuleRow.state == RuleState.expired, RuleRow.changed_at < before, ~is_used)
        with self._database.read() as connection:
            found = [(row[0], row[1]) for row in connection.execute(select(*same).where(*old).limit(BATCH))]
        if not found:
            return 0
        num_deleted = 0
        with self._database.write() as connection:
            for repository_id, rule_id in found:
                key = {"repository_id": repository_id, "rule_id": rule_id}
                num_deleted += connection.execute(delete(RuleRow).filter_by(**key).where(*old)).rowcount
                gone = RuleAuditRow.what.in_(LESSER_CHANGES) & ~exists().where(
                    RuleRow.repository_id == repository_id, RuleRow.rule_id == rule_id
                )
                connection.execute(delete(RuleAuditRow).filter_by(**key).where(gone))
        return num_deleted

    def delete_insights(self, before: datetime) -> int:
        """Delete insights from before that no stored task or pull request gave or received."""
        without_reader = (InsightHandoutRow.task_id.is_(None), InsightHandoutRow.number.is_(None))
        if num_deleted := self._database.delete_some(InsightHandoutRow, *without_reader, InsightHandoutRow.at < before):
            return num_deleted
        is_handed = exists().where(InsightHandoutRow.insight_id == InsightRow.id)
        is_of_task = exists().where(TaskRow.repository_id == InsightRow.repository_id, TaskRow.id == InsightRow.task_id)
        old = (InsightRow.at < before, ~is_handed, ~is_of_task, ~_has_pull(InsightRow))
        with self._database.read() as connection:
            ids = list(connection.execute(select(InsightRow.id).where(*old).limit(BATCH)).scalars())
        if not ids:
            return 0
        with self._database.write() as connection:
            gone = list(
                connection.execute(
                    delete(InsightRow).where(InsightRow.id.in_(ids), *old).returning(InsightRow.id)
                ).scalars()
            )
            for insight_id in gone:
                connection.execute(text(f"DELETE FROM {WORDS_TABLE} WHERE insight_id = :id"), {"id": insight_id})  # noqa: S608
        return len(gone)

    def delete_rest(self, before: datetime, now: datetime) -> int:
        """Delete what nothing refers to: experiments that ended, prompts of deleted work, old deliveries of rules."""
        newer = aliased(MemoryRunRow)
        is_followed = exists().where(
            newer.repository_id == MemoryRunRow.repository_id,
            newer.name == MemoryRunRow.name,
            newer.at > MemoryRunRow.at,
        )
        without_reader = (HandoutRow.task_id.is_(None), HandoutRow.number.is_(None), HandoutRow.how != "agents_md")
        these: Sequence[tuple[Any, tuple[ColumnElement[bool], ...]]] = (
            (ExperimentRow, (ExperimentRow.ended_at < before,)),
            (MemoryRunRow, (MemoryRunRow.at < before, is_followed)),
            (HandoutRow, (HandoutRow.at < before, *without_reader, _is_later())),
            (RevertRow, (RevertRow.at < before,)),
            (AlertRow, (AlertRow.at < before, AlertRow.kind.in_(PASSING_ALERTS))),
            (PromptVersionRow, _is_old_prompt(before, self._prompts_in_experiments())),
            (SessionRow, (SessionRow.expires_at <= now,)),
        )
        return next((done for kind, which in these if (done := self._database.delete_some(kind, *which))), 0)

    def _prompts_in_experiments(self) -> frozenset[str]:
        experiments = self._database.rows(select(ExperimentRow))
        return frozenset(one.prompt_version for row in experiments for one in row.variants if one.prompt_version)

    def _old_places(self, before: datetime) -> list[_Place]:
        wanted = select(PullRow.repository_id, PullRow.number).where(*_is_old_pull(before), *_is_not_needed())
        states = (
            (PullRow.state == "closed", PullRow.updated_at < before),
            (PullRow.state == "open", PullRow.updated_at < before, ~_has_access()),
            (PullRow.state.is_(None),),
        )
        with self._database.read() as connection:
            found = (connection.execute(wanted.where(*which).limit(MOST_PLACES)) for which in states)
            return sorted(islice(((row[0], row[1]) for rows in found for row in rows), MOST_PLACES))


def _is_old_pull(before: datetime) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions on the row itself, which hold at the time of the deletion too."""
    is_over = or_(PullRow.state == "closed", PullRow.state.is_(None), ~_has_access())
    return (PullRow.seen_at < before, is_over)


def _is_not_needed() -> tuple[ColumnElement[bool], ...]:
    newer = aliased(PullRow)
    is_recent = (
        select(newer.number)
        .where(newer.repository_id == PullRow.repository_id, newer.number > PullRow.number)
        .order_by(newer.number)
        .offset(MOST_PULLS)
        .limit(1)
        .exists()
    )
    refers = [
        exists().where(kind.repository_id == PullRow.repository_id, kind.number == PullRow.number)
        for kind in (SourceRow, MatchRow)
    ]
    return (is_recent, *(~one for one in refers), ~_is_assigned(PullRow.repository_id, PullRow.task_id))


def _is_of_any(repository_id: Any) -> ColumnElement[bool]:
    """Return a condition that is always true, and lets the database use an index that begins with the repository."""
    known: ColumnElement[bool] = repository_id.in_(select(RepositoryRow.id))
    return known


def _has_access() -> ColumnElement[bool]:
    return (
        exists()
        .where(RepositoryRow.id == PullRow.repository_id, RepositoryRow.is_given)
        .where(
            ~exists().where(
                InstallationRow.id == RepositoryRow.installation_id,
                InstallationRow.state == InstallationState.removed,
            )
        )
    )


def _is_assigned(repository_id: Any, task_id: Any) -> ColumnElement[bool]:
    return exists().where(AssignmentRow.repository_id == repository_id, AssignmentRow.task_id == task_id)


def _has_pull(kind: Any) -> ColumnElement[bool]:
    return exists().where(PullRow.repository_id == kind.repository_id, PullRow.number == kind.number)


def _is_old_task(before: datetime) -> tuple[ColumnElement[bool], ...]:
    return (TaskRow.updated_at < before, ~_is_assigned(TaskRow.repository_id, TaskRow.id))


def _is_old_prompt(before: datetime, named: Collection[str]) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions of a version that no file has, no experiment names and no stored work was done under."""
    row = PromptVersionRow
    unused = (
        ~exists().where(kind.repository_id == row.repository_id, kind.prompt_version == row.version)
        for kind in (PullRow, TaskRow)
    )
    return (row.source != "files", row.first_seen_at < before, row.version.not_in(sorted(named)), *unused)


def _is_later() -> ColumnElement[bool]:
    """Return the condition that a rule was delivered before: its first delivery divides its effect in two."""
    first = aliased(HandoutRow)
    same = (first.repository_id == HandoutRow.repository_id, first.rule_id == HandoutRow.rule_id)
    return exists().where(*same, first.at < HandoutRow.at)


def _delete_pulls(connection: Connection, repository_id: int, numbers: Sequence[int], before: datetime) -> int:
    these = (PullRow.repository_id == repository_id, PullRow.number.in_(numbers), *_is_old_pull(before))
    locked = select(PullRow.number, PullRow.created_at).where(*these).with_for_update()
    opened = {row.number: row.created_at for row in connection.execute(locked)}
    if not opened:
        return 0
    gone = tuple(opened)
    tasks = select(TaskRow.id).where(TaskRow.repository_id == repository_id, TaskRow.number.in_(gone))
    _delete_tasks(connection, repository_id, connection.execute(tasks.where(*_is_old_task(before))).scalars(), before)
    heads = select(HeadRow.sha).where(HeadRow.repository_id == repository_id)
    mine = list(connection.execute(heads.where(HeadRow.number.in_(gone))).scalars())
    others = set(connection.execute(heads.where(HeadRow.sha.in_(mine), HeadRow.number.not_in(gone))).scalars())
    shas = sorted(set(mine) - others)
    connection.execute(delete(CheckRow).where(CheckRow.repository_id == repository_id, CheckRow.head_sha.in_(shas)))
    _delete_handouts(connection, lambda kind: and_(kind.repository_id == repository_id, kind.number.in_(gone)))
    connection.execute(delete(PullRow).where(PullRow.repository_id == repository_id, PullRow.number.in_(gone)))
    _delete_entries(connection, EventRow.repository_id == repository_id, EventRow.number.in_(gone))
    newest = max((at for at in opened.values() if at is not None), default=None)
    if newest is not None:
        known = or_(RepositoryRow.history_since.is_(None), RepositoryRow.history_since < newest)
        this = update(RepositoryRow).where(RepositoryRow.id == repository_id, known)
        connection.execute(this.values(history_since=newest))
    return len(gone)


def _delete_tasks(connection: Connection, repository_id: int, task_ids: Iterable[str], before: datetime) -> int:
    ids = list(task_ids)
    if not ids:
        return 0
    these = (TaskRow.repository_id == repository_id, TaskRow.id.in_(ids), *_is_old_task(before))
    gone = list(connection.execute(delete(TaskRow).where(*these).returning(TaskRow.id)).scalars())
    for kind in (EvaluationRow, TraceRow):
        connection.execute(delete(kind).where(kind.repository_id == repository_id, kind.task_id.in_(gone)))
    _delete_handouts(connection, lambda kind: and_(kind.repository_id == repository_id, kind.task_id.in_(gone)))
    _delete_entries(connection, EventRow.repository_id == repository_id, EventRow.task_id.in_(gone))
    return len(gone)


def _delete_handouts(connection: Connection, which: Callable[[Any], ColumnElement[bool]]) -> None:
    connection.execute(delete(HandoutRow).where(which(HandoutRow), _is_later()))
    connection.execute(delete(InsightHandoutRow).where(which(InsightHandoutRow)))


def _delete_entries(connection: Connection, *which: ColumnElement[bool]) -> None:
    """Delete log entries, except decisions and those of another stored pull request or task."""
    of_task = exists().where(TaskRow.repository_id == EventRow.repository_id, TaskRow.id == EventRow.task_id)
    these = (*which, EventRow.kind.not_in(DECISIONS), ~_has_pull(EventRow), ~of_task)
    connection.execute(delete(EventRow).where(*these))
