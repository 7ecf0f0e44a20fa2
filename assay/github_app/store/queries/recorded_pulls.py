"""Earlier pull requests of a repository for the validation of the next: failing tests and outcomes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Row, Select, select

from assay.github_app.store.database.database import Tables
from assay.github_app.store.pulls.changed_lines import ChangedLines
from assay.github_app.store.pulls.outcomes import OutcomeKind, OutcomeRow
from assay.github_app.store.tables.pull_tables import PullRow
from assay.github_app.store.tables.run_tables import FindingRow, RunRow
from assay.validators import FAILED_TESTS, MOST_PATHS, MOST_PULLS, PastPull

MOST_CHARACTERS = 1_000_000
"""Maximum characters of all paths: a path may have thousands, and a validation's request is bounded."""

AFTERMATH = (OutcomeKind.followed_by_fix, OutcomeKind.reverted)


class RecordedPulls(Tables):
    """Joined reads over pull requests, their changed files, runs and outcomes."""

    def before(self, repository_id: int, number: int | None, now: datetime) -> tuple[PastPull, ...]:
        """Return the other validated pull requests, newest first, without what happened after `now`."""
        newest = (
            select(PullRow.number, PullRow.merge_commit_sha, PullRow.is_merged)
            .where(PullRow.repository_id == repository_id, PullRow.number != (number or 0), PullRow.created_at <= now)
            .order_by(PullRow.number.desc())
            .limit(MOST_PULLS)
        )
        with self._database.read() as connection:
            pulls = connection.execute(newest).all()
            numbers = [pull.number for pull in pulls]
            changed = _grouped(connection.execute(_changed(repository_id, numbers)))
            failed = _grouped(connection.execute(_failed(repository_id, numbers, now)))
            outcomes: dict[tuple[int, OutcomeKind], int] = {}
            for row in connection.execute(_outcomes(repository_id, numbers, now)):
                outcomes.setdefault((row.number, row.kind), int(row.at.timestamp()))
        found: list[PastPull] = []
        left = MOST_CHARACTERS
        for pull in pulls:
            paths, tests = (sorted(of[pull.number])[:MOST_PATHS] for of in (changed, failed))
            left -= sum(map(len, paths)) + sum(map(len, tests))
            if left < 0:
                break
            if paths:
                sha = pull.merge_commit_sha if pull.is_merged else None
                fixed_at, reverted_at = (outcomes.get((pull.number, kind)) for kind in AFTERMATH)
                found.append(PastPull(paths, tests, sha, fixed_at, reverted_at))
        return tuple(found)


def _changed(repository_id: int, numbers: list[int]) -> Select[int, str]:
    wanted = select(ChangedLines.number, ChangedLines.path).distinct()
    return wanted.where(ChangedLines.repository_id == repository_id, ChangedLines.number.in_(numbers))


def _failed(repository_id: int, numbers: list[int], now: datetime) -> Select[int | None, str]:
    return (
        select(RunRow.number, FindingRow.file)
        .join(FindingRow, FindingRow.run_id == RunRow.id)
        .where(RunRow.repository_id == repository_id, RunRow.number.in_(numbers), RunRow.created_at <= now)
        .where(FindingRow.rule.in_(FAILED_TESTS))
        .distinct()
    )


def _outcomes(repository_id: int, numbers: list[int], now: datetime) -> Select[int, OutcomeKind, datetime]:
    return (
        select(OutcomeRow.number, OutcomeRow.kind, OutcomeRow.at)
        .where(OutcomeRow.repository_id == repository_id, OutcomeRow.number.in_(numbers), OutcomeRow.at <= now)
        .where(OutcomeRow.kind.in_(AFTERMATH))
        .order_by(OutcomeRow.at)
    )


def _grouped(rows: Iterable[Row[int, str]]) -> defaultdict[int, list[str]]:
    found: defaultdict[int, list[str]] = defaultdict(list)
    for number, text in rows:
        found[number].append(text)
    return found
