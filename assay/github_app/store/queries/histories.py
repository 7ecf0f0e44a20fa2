"""Histories of many pull requests for metrics, with a few queries per batch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import Column, Connection, Row, Table, literal, select

from assay.github.events.model import CheckFacts
from assay.github_app.store.app.installations import REPOSITORIES
from assay.github_app.store.database.database import Database
from assay.github_app.store.pulls.changed_lines import CHANGED_LINES, ChangedLines, Side
from assay.github_app.store.pulls.checks import CHECKS, newest_checks
from assay.github_app.store.pulls.outcomes import OUTCOMES, OutcomeKind, OutcomeRow
from assay.github_app.store.pulls.pull_versions import in_order
from assay.github_app.store.tables.event_kinds import EventKind
from assay.github_app.store.tables.insight_tables import INSIGHT_HANDOUTS
from assay.github_app.store.tables.pull_tables import HEADS, PULLS, HeadRow, PullRow, pull_row
from assay.github_app.store.tables.review_tables import COMMENTS, REVIEWS, THREADS, CommentRow, ReviewRow, ThreadRow
from assay.github_app.store.tables.rules_tables import HANDOUTS, MATCHES, RULES, HandoutRow, MatchRow
from assay.github_app.store.tables.run_tables import FINDINGS, RUNS, FindingRow, RunRow, run_row
from assay.github_app.store.tasks.task_events import EVENTS
from assay.github_app.store.tasks.tasks import TASKS, TaskRow, task_row

PORTION = 500
"""Pull requests read at once: large batches save queries, but must fit in memory."""

_NOT_READ = {PULLS.c.body: "", COMMENTS.c.diff_hunk: None}
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
class RuleScope:
    """Scope of a rule: path patterns (none: everywhere) and a language (None: any)."""

    paths: tuple[str, ...]
    language: str | None


@dataclass(frozen=True, slots=True)
class PullHistory:
    """A pull request with its related rows, each list in order of time; comments of both kinds, none deleted.

    `checks` are those of the first push, `runs` those with a report; `repeats` are repeated mistakes, `handouts` the
    rules delivered to its author before; `num_changed` are the changed lines at the newest head GitHub counted;
    `lines` maps validated heads to their changed lines. `scopes` are those of the delivered rules (none for a purged
    one), `paths` the files the newest head changes, read where rules were delivered; `insights` are the ids of those
    delivered to its author.
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
    scopes: Mapping[str, RuleScope]
    paths: frozenset[str]
    num_changed: int | None
    lines: Mapping[str, tuple[ChangedLines, ...]]
    insights: frozenset[str] = frozenset()


class Histories:
    """Joined reads over the tables of pull requests."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(
        self,
        repository_ids: Collection[int] | None = None,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> Iterator[PullHistory]:
        """Yield the pull requests opened from `since` (inclusive) to `until` (exclusive), by repository and number."""
        wanted = select(PULLS.c.repository_id, PULLS.c.number).where(PULLS.c.head_sha.is_not(None))
        if repository_ids is not None:
            wanted = wanted.where(PULLS.c.repository_id.in_(sorted(repository_ids)))
        if since is not None:
            wanted = wanted.where(PULLS.c.created_at >= since)
        if until is not None:
            wanted = wanted.where(PULLS.c.created_at < until)
        with self._database.read() as connection:
            keys = [tuple(row) for row in connection.execute(wanted.order_by(PULLS.c.repository_id, PULLS.c.number))]
            names = {row.id: row.full_name for row in connection.execute(select(REPOSITORIES))}
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
        found = (pull_row(row._asdict()) for row in self._rows(PULLS))
        self._pulls = {pull.number: pull for pull in found if pull is not None}
        self._runs = self._runs_read()
        self._heads, self._counted = self._heads_read()
        self._checks = self._checks_read()
        self._tasks = self._tasks_read()
        self._handed = self._handouts_read()
        self._insights = self._insights_read()
        self._lines = self._lines_read()
        self._scopes = self._scopes_read()
        self._paths = self._paths_read()

    def histories(self, repository: str) -> Iterator[PullHistory]:
        reviews = _grouped(ReviewRow(**row._asdict()) for row in self._rows(REVIEWS))
        comments = _grouped(
            CommentRow(**row._asdict()) for row in self._rows(COMMENTS, COMMENTS.c.is_deleted.is_(False))
        )
        threads = _grouped(
            ThreadRow(**{**row._asdict(), "comment_ids": tuple(row.comment_ids)}) for row in self._rows(THREADS)
        )
        outcomes = _grouped(
            OutcomeRow(**{**row._asdict(), "kind": OutcomeKind(row.kind)}) for row in self._rows(OUTCOMES)
        )
        repeats = _grouped(MatchRow(**row._asdict()) for row in self._rows(MATCHES, MATCHES.c.withdrawn_at.is_(None)))
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
                scopes=self._scopes,
                paths=frozenset(self._paths.get(number, ())),
                num_changed=self._counted.get(number),
                lines=self._lines.get(number, {}),
            )

    def _rows(self, table: Table, *more: Any, columns: Iterable[Column[Any]] | None = None) -> Iterable[Row[Any]]:
        listed = [
            literal(_NOT_READ[column]).label(column.name) if column in _NOT_READ else column
            for column in (columns or table.c)
        ]
        these = (table.c.repository_id == self._repository_id, table.c.number.in_(self._numbers))
        return self._connection.execute(select(*listed).where(*these, *more))

    def _runs_read(self) -> Mapping[int, list[RunHistory]]:
        columns = [column for column in RUNS.c if column.name != "report"]
        runs = [run_row(row._asdict()) for row in self._rows(RUNS, RUNS.c.reported_at.is_not(None), columns=columns)]
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
        names = list(FindingRow.__dataclass_fields__)
        wanted = (
            select(FINDINGS.c.run_id, *(FINDINGS.c[name] for name in names if name != "message"))
            .join(RUNS, RUNS.c.id == FINDINGS.c.run_id)
            .where(RUNS.c.repository_id == self._repository_id, RUNS.c.number.in_(self._numbers))
            .where(FINDINGS.c.is_introduced)
        )
        found: Mapping[str, list[FindingRow]] = defaultdict(list)
        for row in self._connection.execute(wanted):
            values = row._asdict()
            found[values.pop("run_id")].append(FindingRow(message="", **values))
        return found

    def _verdicts(self) -> Mapping[str, Mapping[str, Any]]:
        """Return run -> its newest verdict; a late check creates a newer one."""
        kind = EVENTS.c.kind == EventKind.validation_completed
        rows = sorted(self._rows(EVENTS, kind), key=lambda row: (row.at, row.id))
        return {str(row.data.get("run_id")): row.data for row in rows}

    def _heads_read(self) -> tuple[Mapping[int, tuple[HeadRow, ...]], Mapping[int, int]]:
        """Return the heads, and for each pull request the newest line count of GitHub."""
        heads: dict[int, list[HeadRow]] = defaultdict(list)
        counted: dict[int, tuple[datetime, int]] = {}
        columns = [column for column in HEADS.c if column.name != "facts"]
        for row in self._rows(HEADS, columns=columns):
            heads[row.number].append(HeadRow(row.sha, row.before_sha, row.pushed_at, row.last_at))
            if row.counted_at is not None:
                news = (row.counted_at, row.num_added + row.num_removed)
                counted[row.number] = max(news, counted.get(row.number, news))
        ordered = {number: in_order(rows) for number, rows in heads.items()}
        return ordered, {number: lines for number, (_, lines) in counted.items()}

    def _checks_read(self) -> Mapping[str, tuple[CheckFacts, ...]]:
        """Return the checks of every first push."""
        shas = sorted({pull.first_push_head for pull in self._pulls.values() if pull.first_push_head})
        wanted = select(CHECKS).where(CHECKS.c.repository_id == self._repository_id, CHECKS.c.head_sha.in_(shas))
        rows: Mapping[str, list[Row[Any]]] = defaultdict(list)
        for row in self._connection.execute(wanted):
            rows[row.head_sha].append(row)
        return {sha: newest_checks(found) for sha, found in rows.items()}

    def _tasks_read(self) -> Mapping[str, TaskRow]:
        named = {pull.task_id for pull in self._pulls.values() if pull.task_id}
        ids = sorted(named | {f"pull:{number}" for number in self._numbers})
        wanted = select(TASKS).where(TASKS.c.repository_id == self._repository_id, TASKS.c.id.in_(ids))
        return {row.id: task_row(row) for row in self._connection.execute(wanted)}

    def _handouts_read(self) -> Mapping[int, tuple[HandoutRow, ...]]:
        """Return the rules delivered to each pull request, or to its task."""
        found = self._handed_to_each(HANDOUTS)
        rows = {number: [HandoutRow(**row._asdict()) for row in given] for number, given in found.items()}
        return {number: _by(given, lambda one: (one.at, one.rule_id)) for number, given in rows.items()}

    def _insights_read(self) -> Mapping[int, frozenset[str]]:
        """Return the insights delivered to each pull request, or to its task."""
        found = self._handed_to_each(INSIGHT_HANDOUTS)
        return {number: frozenset(row.insight_id for row in given) for number, given in found.items()}

    def _handed_to_each(self, table: Table) -> Mapping[int, list[Row[Any]]]:
        ids = sorted({pull.task_id for pull in self._pulls.values() if pull.task_id})
        to_one_of_these = table.c.number.in_(self._numbers) | table.c.task_id.in_(ids)
        wanted = select(table).where(table.c.repository_id == self._repository_id, to_one_of_these)
        pulls: Mapping[int, list[Row[Any]]] = defaultdict(list)
        tasks: Mapping[str, list[Row[Any]]] = defaultdict(list)
        for row in self._connection.execute(wanted):
            if row.number is not None:
                pulls[row.number].append(row)
            elif row.task_id is not None:
                tasks[row.task_id].append(row)
        return {number: [*pulls[number], *tasks[pull.task_id or ""]] for number, pull in self._pulls.items()}

    def _scopes_read(self) -> Mapping[str, RuleScope]:
        """Return the scopes of the delivered rules."""
        handed = {one.rule_id for handouts in self._handed.values() for one in handouts}
        columns = (RULES.c.rule_id, RULES.c.scope_paths, RULES.c.language)
        these = (RULES.c.repository_id == self._repository_id, RULES.c.rule_id.in_(sorted(handed)))
        rows = self._connection.execute(select(*columns).where(*these)) if handed else ()
        return {row.rule_id: RuleScope(tuple(row.scope_paths), row.language) for row in rows}

    def _paths_read(self) -> Mapping[int, set[str]]:
        """Return the files that the newest heads change, of pull requests whose author received rules."""
        heads = {number: pull.head_sha for number, pull in self._pulls.items() if self._handed[number]}
        columns = (CHANGED_LINES.c.number, CHANGED_LINES.c.head_sha, CHANGED_LINES.c.path)
        these = (CHANGED_LINES.c.repository_id == self._repository_id, CHANGED_LINES.c.number.in_(sorted(heads)))
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
        these = (CHANGED_LINES.c.repository_id == self._repository_id, CHANGED_LINES.c.number.in_(wanted))
        for row in self._connection.execute(select(CHANGED_LINES).where(*these)) if wanted else ():
            place = ChangedLines(Side(row.side), row.path, row.first, row.last)
            found[row.number][row.head_sha].append(place)
        return {number: {sha: tuple(places) for sha, places in heads.items()} for number, heads in found.items()}


def _grouped(rows: Iterable[Any]) -> Mapping[int, list[Any]]:
    found: Mapping[int, list[Any]] = defaultdict(list)
    for row in rows:
        found[row.number].append(row)
    return found


def _by(rows: list[Any], key: Any) -> tuple[Any, ...]:
    return tuple(sorted(rows, key=key))
