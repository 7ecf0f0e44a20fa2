"""Validation runs: one per head, with states that only move forward, and their findings."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, TypedDict, Unpack

from sqlalchemy import Connection, delete, exists, func, insert, select, update
from sqlalchemy.orm import aliased

from assay.github_app.store.database.columns import clean
from assay.github_app.store.database.database import Tables, locked, one, values_of
from assay.github_app.store.pulls.pulls import ensure_pull
from assay.github_app.store.tables.pull_tables import PullRow
from assay.github_app.store.tables.run_tables import (
    ENDED,
    UNENDED,
    FactorRow,
    FindingRow,
    RunRow,
    RunState,
)

_STILL_GOOD = (RunState.queued, RunState.running, RunState.waiting, RunState.completed)
MOST_REPORT_BYTES = 64 * 1024 * 1024
"""Maximum unpacked size of a stored report."""


class Advance(TypedDict, total=False):
    """Fields that a state change may set."""

    executor: str | None
    process_group: int | None
    check_run_id: int | None
    base_sha: str | None
    wait_until: datetime | None
    superseded_by: str | None
    error: str | None
    incident: str | None


class Runs(Tables):
    """The tables `runs`, `findings` and `risk_factors`."""

    def begin(
        self,
        repository_id: int,
        number: int | None,
        head_sha: str,
        trigger: str,
        at: datetime,
        *,
        base_sha: str | None = None,
        request_key: str | None = None,
        is_again: bool = False,
    ) -> tuple[RunRow, bool]:
        """Return the run for this head, and whether it was created now.

        A head has one run, until a user requests another (`is_again`) after its end, or it ended without a verdict
        (superseded, cancelled, failed). The same `request_key` always gives the same run.
        """
        with self._database.write() as connection:
            _line_up(connection, repository_id, number, at)
            if request_key is not None:
                known = _first(connection, RunRow.request_key == request_key)
                if known is not None:
                    return known, False
            last = _first(connection, *_of(repository_id, number), RunRow.head_sha == head_sha)
            if last is not None and (not last.state.is_ended if is_again else last.state in _STILL_GOOD):
                return last, False
            turn = 1 if last is None else last.turn + 1
            place = f"{repository_id}:{'group' if number is None else number}:{head_sha}:{turn}"
            values = {
                "id": f"run:{place}",
                "external_id": f"assay:{place}",
                "repository_id": repository_id,
                "number": number,
                "head_sha": head_sha,
                "base_sha": base_sha,
                "turn": turn,
                "trigger": trigger,
                "request_key": request_key,
                "state": RunState.queued,
                "created_at": at,
                "changed_at": at,
            }
            connection.execute(insert(RunRow).values(**values))
            made = _first(connection, RunRow.id == values["id"])
            if made is None:
                raise LookupError(f"{values['id']} is not there after it was made")
            return made, True

    def get(self, run_id: str) -> RunRow | None:
        """Return the run with this id."""
        return self._newest(RunRow.id == run_id)

    def with_external_id(self, external_id: str) -> RunRow | None:
        """Return the run whose Check Run has this external id."""
        return self._newest(RunRow.external_id == external_id)

    def of_head(self, repository_id: int, number: int | None, head_sha: str) -> RunRow | None:
        """Return the newest run of this head of this pull request."""
        return self._newest(*_of(repository_id, number), RunRow.head_sha == head_sha)

    def newest(self, repository_id: int, number: int) -> RunRow | None:
        """Return the newest run of this pull request."""
        return self._newest(*_of(repository_id, number))

    def newest_reported(self, repository_id: int, number: int) -> RunRow | None:
        """Return the newest run of this pull request that has a report."""
        return self._newest(*_of(repository_id, number), RunRow.reported_at.is_not(None))

    def of_pull(self, repository_id: int, number: int) -> tuple[RunRow, ...]:
        """Return all runs of a pull request, oldest first."""
        return self._all(*_of(repository_id, number))

    def active(self, repository_id: int, number: int) -> tuple[RunRow, ...]:
        """Return the unfinished runs of a pull request, oldest first."""
        return self._all(*_of(repository_id, number), RunRow.state.not_in(ENDED))

    def with_sha(self, repository_id: int, head_sha: str) -> tuple[RunRow, ...]:
        """Return all runs of a commit, in every pull request with this head; oldest first."""
        return self._all(RunRow.repository_id == repository_id, RunRow.head_sha == head_sha)

    def waiting_past(self, now: datetime) -> tuple[RunRow, ...]:
        """Return the runs that wait for checks past their deadline."""
        return self._all(RunRow.state == RunState.waiting, RunRow.wait_until <= now)

    def unended(self) -> tuple[RunRow, ...]:
        """Return every unfinished run, oldest first."""
        # Listed, not excluded: only so does the index on `state` serve.
        return self._all(RunRow.state.in_(UNENDED))

    def parked(self, limit: int = 100) -> tuple[RunRow, ...]:
        """Return the heads whose validation failed and was not retried since, newest first."""
        later = aliased(RunRow)
        anew = exists().where(
            later.repository_id == RunRow.repository_id,
            later.number == RunRow.number,
            later.head_sha == RunRow.head_sha,
            later.turn > RunRow.turn,
        )
        wanted = select(RunRow).where(RunRow.state == RunState.failed, ~anew)
        newest = wanted.order_by(RunRow.ended_at.desc(), RunRow.id).limit(limit)
        return self._database.rows(newest)

    def latest(self, limit: int) -> tuple[RunRow, ...]:
        """Return the newest runs of all repositories, newest first."""
        wanted = select(RunRow).order_by(RunRow.created_at.desc(), RunRow.turn.desc(), RunRow.id).limit(limit)
        return self._database.rows(wanted)

    def counts(self, states: Iterable[RunState] = UNENDED) -> Mapping[RunState, int]:
        """Return the number of runs in each of these states, including empty ones.

        Ended runs are millions where many are kept, and take seconds to count.
        """
        wanted = tuple(states)
        counted = select(RunRow.state, func.count()).where(RunRow.state.in_(wanted)).group_by(RunRow.state)
        with self._database.read() as connection:
            found = {row[0]: row[1] for row in connection.execute(counted)}
        return {state: found.get(state, 0) for state in wanted}

    def advance(self, run_id: str, state: RunState, at: datetime, **fields: Unpack[Advance]) -> bool:
        """Move a run forward, or change its fields in its state; return False if it is past that state.

        An ended run never changes its state or these fields.
        """
        with self._database.write() as connection:
            row = locked(connection, RunRow, {"id": run_id})
            if row is None or row.state.is_ended or state.rank < row.state.rank:
                return False
            values: dict[str, Any] = {**fields, "state": state, "changed_at": at}
            if state is not RunState.queued and row.started_at is None and not state.is_ended:
                values["started_at"] = at
            if state.is_ended:
                values |= {"ended_at": at, "process_group": None}
            if fields.get("error") is not None:
                values["error"] = clean(str(fields["error"]), 2000)
            connection.execute(update(RunRow).where(RunRow.id == run_id).values(**values))
            return True

    def set_check_run(self, run_id: str, check_run_id: int, at: datetime) -> None:
        """Set the Check Run on GitHub that shows this run; allowed at any time."""
        this = update(RunRow).filter_by(id=run_id)
        self._database.execute(this.values(check_run_id=check_run_id, changed_at=at))

    def save_report(
        self,
        run_id: str,
        report: bytes,
        *,
        conclusion: str,
        title: str,
        risk_level: str | None,
        is_hold: bool,
        findings: Iterable[FindingRow],
        factors: Iterable[FactorRow],
        config_hash: str | None,
        durations_s: Mapping[str, float],
        at: datetime,
        cost_usd: float | None = None,
        likelihood_level: str | None = None,
        floor_level: str | None = None,
        lacks_results: bool = False,
    ) -> bool:
        """Store a run's report, replacing an earlier one; return False for an unknown run, or an older report.

        `at` is the time of the report: a late writer never replaces a newer report.
        """
        found = {finding.finding_id: finding for finding in findings}
        reasons, packed = tuple(factors), zlib.compress(report, 6)  # before the write turn, for which others wait
        with self._database.write() as connection:
            row = locked(connection, RunRow, {"id": run_id})
            if row is None or (row.reported_at is not None and row.reported_at > at):
                return False
            values = {
                "report": packed,
                "reported_at": at,
                "conclusion": conclusion,
                "title": title,
                "risk_level": risk_level,
                "likelihood_level": likelihood_level,
                "floor_level": floor_level,
                "is_hold": is_hold,
                "lacks_results": lacks_results,
                "config_hash": config_hash,
                "durations_s": dict(durations_s),
                "cost_usd": cost_usd,
                "num_findings": len(found),
                "num_blocking": sum(finding.is_blocking for finding in found.values()),
                "changed_at": max(at, row.changed_at),
            }
            connection.execute(update(RunRow).where(RunRow.id == run_id).values(**values))
            _replace_details(connection, run_id, found.values(), reasons)
            return True

    def report(self, run_id: str) -> bytes | None:
        """Return the JSON of a run's report; None if there is none or it was deleted."""
        with self._database.read() as connection:
            packed = connection.execute(select(RunRow.report).where(RunRow.id == run_id)).scalar_one_or_none()
        if packed is None:
            return None
        return zlib.decompressobj().decompress(packed, MOST_REPORT_BYTES)

    def newest_report_on(self, repository_id: int, branch: str) -> bytes | None:
        """Return the JSON of the newest stored report of a pull request against this branch, or None."""
        wanted = (
            select(RunRow.id)
            .join(PullRow, (PullRow.repository_id == RunRow.repository_id) & (PullRow.number == RunRow.number))
            .where(RunRow.repository_id == repository_id, PullRow.base_ref == branch, RunRow.report.is_not(None))
            .order_by(RunRow.reported_at.desc(), RunRow.turn.desc())
            .limit(1)
        )
        with self._database.read() as connection:
            run_id = connection.execute(wanted).scalar_one_or_none()
        return None if run_id is None else self.report(run_id)

    def findings(self, run_id: str) -> tuple[FindingRow, ...]:
        """Return the findings of a run, by file and line."""
        found = self._database.rows(select(FindingRow).filter_by(run_id=run_id))
        return tuple(sorted(found, key=lambda row: (row.file, row.line or 0, row.finding_id)))

    def costs_usd(self, repository_id: int, number: int | None, since: datetime) -> tuple[float, float]:
        """Return what models cost in US dollars: for a pull request, and for its repository `since` a time."""
        total = select(func.coalesce(func.sum(RunRow.cost_usd), 0.0)).where(RunRow.repository_id == repository_id)
        with self._database.read() as connection:
            of_pull = connection.execute(total.where(*_of(repository_id, number))).scalar_one()
            of_all = connection.execute(total.where(RunRow.reported_at >= since)).scalar_one()
        return of_pull or 0.0, of_all or 0.0

    def factors(self, run_id: str) -> tuple[FactorRow, ...]:
        """Return the statements on a run's risk, in the report's order."""
        return self._database.rows(select(FactorRow).filter_by(run_id=run_id).order_by(FactorRow.position))

    def purge_reports(self, before: datetime) -> int:
        """Delete some older reports, and keep verdicts, findings and statements; return their number, 0 at the end."""
        old = (RunRow.report.is_not(None), RunRow.reported_at < before, RunRow.state.in_(ENDED))
        return self._database.update_some(RunRow, {"report": None}, *old)

    def _newest(self, *conditions: Any) -> RunRow | None:
        with self._database.read() as connection:
            return _first(connection, *conditions)

    def _all(self, *conditions: Any) -> tuple[RunRow, ...]:
        wanted = select(RunRow).where(*conditions).order_by(RunRow.created_at, RunRow.turn, RunRow.id)
        return self._database.rows(wanted)


def _line_up(connection: Connection, repository_id: int, number: int | None, at: datetime) -> None:
    """Serialize callers that create a run of the same pull request."""
    if number is not None:
        ensure_pull(connection, repository_id, number, at)


def _of(repository_id: int, number: int | None) -> tuple[Any, ...]:
    return (
        RunRow.repository_id == repository_id,
        RunRow.number.is_(None) if number is None else RunRow.number == number,
    )


def _first(connection: Connection, *conditions: Any) -> RunRow | None:
    newest = select(RunRow).where(*conditions).order_by(RunRow.created_at.desc(), RunRow.turn.desc(), RunRow.id.desc())
    return one(connection, newest.limit(1))


def _replace_details(
    connection: Connection, run_id: str, findings: Iterable[FindingRow], factors: Iterable[FactorRow]
) -> None:
    connection.execute(delete(FindingRow).where(FindingRow.run_id == run_id))
    connection.execute(delete(FactorRow).where(FactorRow.run_id == run_id))
    found = [{**values_of(finding), "run_id": run_id} for finding in findings]
    reasons = [{**values_of(factor), "run_id": run_id, "position": i} for i, factor in enumerate(factors)]
    if found:
        connection.execute(insert(FindingRow), found)
    if reasons:
        connection.execute(insert(FactorRow), reasons)
