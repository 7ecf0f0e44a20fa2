"""Histories of many pull requests for metrics, with a few queries per batch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, TypeVar

from sqlalchemy import Connection, select
from sqlalchemy.orm import defer

from assay.github.events.model import CheckFacts
from assay.github_app.store.app.installations import RepositoryRow
from assay.github_app.store.database.database import R, Tables, rows
from assay.github_app.store.pulls.changed_lines import ChangedLines
from assay.github_app.store.pulls.checks import CheckRow, newest_checks
from assay.github_app.store.pulls.outcomes import OutcomeRow
from assay.github_app.store.pulls.pull_versions import in_order
from assay.github_app.store.tables.event_kinds import EventKind
from assay.github_app.store.tables.insight_tables import InsightHandoutRow
from assay.github_app.store.tables.pull_tables import HeadRow, PullRow
from assay.github_app.store.tables.review_tables import CommentRow, ReviewRow, ThreadRow
from assay.github_app.store.tables.rules_tables import HandoutRow, MatchRow, RuleRow
from assay.github_app.store.tables.run_tables import FindingRow, RunRow
from assay.github_app.store.tasks.task_events import EventRow
from assay.github_app.store.tasks.tasks import TaskRow

PORTION = 500
"""Pull requests read at once: large batches save queries, but must fit in memory."""

Handout = TypeVar("Handout", HandoutRow, InsightHandoutRow)
_NOT_READ = (PullRow.body, CommentRow.diff_hunk)
"""Columns of long texts, which no metric needs."""


@dataclass(frozen=True, slots=True)
class RunHistory:
    """A run with a report: its new findings and its coverage of tools.

    `tools` counts Tier 1 by outcome, None if the report lacks it; `not_checked` lists what was not checked.
    """

    run: RunRow
    findings: tuple[FindingRow, ...]
    tools: Mapping[str, int] | None
    not_checked: frozenset[str]


@dataclass(frozen=True, slots=True)
class PullHistory:
    """A pull request with its related rows, each list in order of time; comments of both kinds, none deleted.

    `checks` are those of the first push, `runs` those with a report; `repeats` are repeated mistakes, `handouts` the
    rules delivered to its author before; `num_changed` are the changed lines at the newest head GitHub counted;
    `lines` maps validated heads to their changed lines. `rules` are the delivered ones (none that was purged), `paths`
    the files the newest head changes, read where rules were delivered; `insights` are the ids of those delivered to its
    author.
    """

    repository: str
    pull: PullRow
    heads: tuple[HeadRow, ...]
    reviews: tuple[ReviewRow, ...]
    comments: tuple[CommentRow, ...]
    threads: tuple[ThreadRow, ...]
    outcomes: tuple[OutcomeRow, ...]
    checks: tuple[CheckFacts, ...]
    runs: tuple[RunHistory, ...]
    task: TaskRow | None
    repeats: tuple[MatchRow, ...]
    handouts: tuple[HandoutRow, ...]
    rules: Mapping[str, RuleRow]
    paths: frozenset[str]
    num_changed: int | None
    lines: Mapping[str, tuple[ChangedLines, ...]]
    insights: frozenset[str] = frozenset()


class Histories(Tables):
    """Joined reads over the tables of pull requests."""

    def of(
        self,
        repository_ids: Collection[int] | None = None,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> Iterator[PullHistory]:
        """Yield the pull requests opened from `since` (inclusive) to `until` (exclusive), by repository and number."""
        wanted = select(PullRow.repository_id, PullRow.number).where(PullRow.head_sha.is_not(None))
        if repository_ids is not None:
            wanted = wanted.where(PullRow.repository_id.in_(sorted(repository_ids)))
        if since is not None:
            wanted = wanted.where(PullRow.created_at >= since)
        if until is not None:
            wanted = wanted.where(PullRow.created_at < until)
        with self._database.read() as connection:
            keys = [tuple(row) for row in connection.execute(wanted.order_by(PullRow.repository_id, PullRow.number))]
            names = {row.id: row.full_name for row in connection.execute(select(RepositoryRow))}
        for repository_id, group in groupby(keys, key=lambda key: key[0]):
            numbers = [number for _, number in group]
            for first in range(0, len(numbers), PORTION):
                portion = numbers[first : first + PORTION]
                with self._database.read() as connection:
                    found = _Portion(connection, repository_id, portion)
                    yield from found.histories(names.get(repository_id, str(repository_id)))


class _Portion:
    """Rows of some pull requests of one repository, by number."""

    def __init__(self, connection: Connection, repository_id: int, numbers: list[int]) -> None:
        self._connection = connection
        self._repository_id = repository_id
        self._numbers = numbers
        self._pulls = {pull.number: pull for pull in self._rows(PullRow, PullRow.head_sha.is_not(None))}
        self._runs = self._runs_read()
        self._heads, self._counted = self._heads_read()
        self._checks = self._checks_read()
        self._tasks = self._tasks_read()
        self._handed = self._handouts_read()
        self._insights = self._insights_read()
        self._lines = self._lines_read()
        self._rules = self._rules_read()
        self._paths = self._paths_read()

    def histories(self, repository: str) -> Iterator[PullHistory]:
        reviews = _grouped(self._rows(ReviewRow))
        comments = _grouped(self._rows(CommentRow, CommentRow.is_deleted.is_(False)))
        threads = _grouped(self._rows(ThreadRow))
        outcomes = _grouped(self._rows(OutcomeRow))
        repeats = _grouped(self._rows(MatchRow, MatchRow.withdrawn_at.is_(None)))
        for number in sorted(self._pulls):
            pull = self._pulls[number]
            yield PullHistory(
                repository=repository,
                pull=pull,
                heads=self._heads.get(number, ()),
                reviews=_by(reviews[number], lambda one: (one.submitted_at or one.version_at, one.review_id)),
                comments=_by(comments[number], lambda one: (one.created_at or one.seen_at, one.kind, one.comment_id)),
                threads=_by(threads[number], lambda one: (one.root_comment_id or 0, one.node_id)),
                outcomes=_by(outcomes[number], lambda one: (one.at, one.kind, one.cause)),
                checks=self._checks.get(pull.first_push_head or "", ()),
                runs=tuple(self._runs[number]),
                task=self._tasks.get(pull.task_id or "") or self._tasks.get(f"pull:{number}"),
                repeats=_by(repeats[number], lambda one: (one.at, one.thread, one.rule_id)),
                handouts=self._handed[number],
                insights=self._insights[number],
                rules=self._rules,
                paths=frozenset(self._paths.get(number, ())),
                num_changed=self._counted.get(number),
                lines=self._lines.get(number, {}),
            )

    def _rows(self, kind: type[R], *more: Any) -> tuple[R, ...]:
        wanted = select(kind).filter_by(repository_id=self._repository_id)
        these = (kind.__table__.c.number.in_(self._numbers), *more)
        unread = [defer(column) for column in _NOT_READ if column.class_ is kind]
        return rows(self._connection, wanted.where(*these).options(*unread))

    def _runs_read(self) -> Mapping[int, list[RunHistory]]:
        runs = self._rows(RunRow, RunRow.reported_at.is_not(None))
        findings = self._findings_of()
        said = self._verdicts()
        found: Mapping[int, list[RunHistory]] = defaultdict(list)
        for run in sorted(runs, key=lambda one: (one.created_at, one.turn, one.id)):
            data = said.get(run.id, {})
            not_checked = frozenset(map(str, data.get("not_checked") or ()))
            tools = data.get("tools")
            history = RunHistory(run, tuple(findings[run.id]), tools if isinstance(tools, dict) else None, not_checked)
            found[run.number or 0].append(history)
        return found

    def _findings_of(self) -> Mapping[str, list[FindingRow]]:
        wanted = (
            select(FindingRow)
            .join(RunRow, RunRow.id == FindingRow.run_id)
            .where(RunRow.repository_id == self._repository_id, RunRow.number.in_(self._numbers))
            .where(FindingRow.is_introduced)
            .options(defer(FindingRow.message))
        )
        return _grouped(rows(self._connection, wanted), "run_id")

    def _verdicts(self) -> Mapping[str, Mapping[str, Any]]:
        """Return run -> its newest verdict; a late check creates a newer one."""
        kind = EventRow.kind == EventKind.validation_completed
        verdicts = sorted(self._rows(EventRow, kind), key=lambda row: (row.at, row.id))
        return {str(row.data.get("run_id")): row.data for row in verdicts}

    def _heads_read(self) -> tuple[Mapping[int, tuple[HeadRow, ...]], Mapping[int, int]]:
        """Return the heads, and for each pull request the newest line count of GitHub."""
        heads: dict[int, list[HeadRow]] = defaultdict(list)
        counted: dict[int, tuple[datetime, int]] = {}
        for row in self._rows(HeadRow):
            heads[row.number].append(row)
            if row.counted_at is not None:
                news = (row.counted_at, (row.num_added or 0) + (row.num_removed or 0))
                counted[row.number] = max(news, counted.get(row.number, news))
        ordered = {number: in_order(of_one) for number, of_one in heads.items()}
        return ordered, {number: lines for number, (_, lines) in counted.items()}

    def _checks_read(self) -> Mapping[str, tuple[CheckFacts, ...]]:
        """Return the checks of every first push."""
        shas = sorted({pull.first_push_head for pull in self._pulls.values() if pull.first_push_head})
        wanted = select(CheckRow).where(CheckRow.repository_id == self._repository_id, CheckRow.head_sha.in_(shas))
        found = _grouped(rows(self._connection, wanted), "head_sha")
        return {sha: newest_checks(checks) for sha, checks in found.items()}

    def _tasks_read(self) -> Mapping[str, TaskRow]:
        named = {pull.task_id for pull in self._pulls.values() if pull.task_id}
        ids = sorted(named | {f"pull:{number}" for number in self._numbers})
        wanted = select(TaskRow).where(TaskRow.repository_id == self._repository_id, TaskRow.id.in_(ids))
        return {row.id: row for row in rows(self._connection, wanted)}

    def _handouts_read(self) -> Mapping[int, tuple[HandoutRow, ...]]:
        """Return the rules delivered to each pull request, or to its task."""
        found = self._handed_to_each(HandoutRow)
        return {number: _by(given, lambda one: (one.at, one.rule_id)) for number, given in found.items()}

    def _insights_read(self) -> Mapping[int, frozenset[str]]:
        """Return the insights delivered to each pull request, or to its task."""
        found = self._handed_to_each(InsightHandoutRow)
        return {number: frozenset(row.insight_id for row in given) for number, given in found.items()}

    def _handed_to_each(self, kind: type[Handout]) -> Mapping[int, list[Handout]]:
        ids = sorted({pull.task_id for pull in self._pulls.values() if pull.task_id})
        to_one_of_these = kind.number.in_(self._numbers) | kind.task_id.in_(ids)
        wanted = select(kind).where(kind.repository_id == self._repository_id, to_one_of_these)
        pulls: Mapping[int, list[Handout]] = defaultdict(list)
        tasks: Mapping[str, list[Handout]] = defaultdict(list)
        for row in rows(self._connection, wanted):
            if row.number is not None:
                pulls[row.number].append(row)
            elif row.task_id is not None:
                tasks[row.task_id].append(row)
        return {number: pulls[number] + tasks[pull.task_id or ""] for number, pull in self._pulls.items()}

    def _rules_read(self) -> Mapping[str, RuleRow]:
        """Return the delivered rules."""
        handed = {one.rule_id for handouts in self._handed.values() for one in handouts}
        these = (RuleRow.repository_id == self._repository_id, RuleRow.rule_id.in_(sorted(handed)))
        return {row.rule_id: row for row in rows(self._connection, select(RuleRow).where(*these))}

    def _paths_read(self) -> Mapping[int, set[str]]:
        """Return the files that the newest heads change, of pull requests whose author received rules."""
        heads = {number: pull.head_sha for number, pull in self._pulls.items() if self._handed[number]}
        columns = (ChangedLines.number, ChangedLines.head_sha, ChangedLines.path)
        these = (ChangedLines.repository_id == self._repository_id, ChangedLines.number.in_(sorted(heads)))
        found: dict[int, set[str]] = defaultdict(set)
        for row in self._connection.execute(select(*columns).where(*these).distinct()) if heads else ():
            if row.head_sha == heads[row.number]:
                found[row.number].add(row.path)
        return found

    def _lines_read(self) -> Mapping[int, Mapping[str, tuple[ChangedLines, ...]]]:
        """Return the places of validated heads, if there are findings and the last head has no report."""
        wanted = [
            number
            for number, runs in self._runs.items()
            if number in self._pulls
            and any(history.findings for history in runs)
            and all(history.run.head_sha != self._pulls[number].head_sha for history in runs)
        ]
        found: dict[int, dict[str, list[ChangedLines]]] = defaultdict(lambda: defaultdict(list))
        these = (ChangedLines.repository_id == self._repository_id, ChangedLines.number.in_(wanted))
        for row in rows(self._connection, select(ChangedLines).where(*these)) if wanted else ():
            found[row.number][row.head_sha].append(row)
        return {number: {sha: tuple(places) for sha, places in heads.items()} for number, heads in found.items()}


def _grouped(found: Iterable[R], name: str = "number") -> Mapping[Any, list[R]]:
    groups: Mapping[Any, list[R]] = defaultdict(list)
    for row in found:
        groups[getattr(row, name)].append(row)
    return groups


def _by(rows: list[Any], key: Any) -> tuple[Any, ...]:
    return tuple(sorted(rows, key=key))
