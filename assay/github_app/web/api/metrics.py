"""Metrics of repositories, the same as those of the pages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response
from fastapi.concurrency import run_in_threadpool

from assay.github.errors import ApiRefused
from assay.github_app.outcomes.metrics.blocked import BlockedRate, blocked
from assay.github_app.outcomes.metrics.comparing import ComparedRow, before_and_after
from assay.github_app.outcomes.metrics.measures import PullMeasures, measures
from assay.github_app.outcomes.metrics.metric_definitions import DEFINITIONS
from assay.github_app.outcomes.metrics.metrics import Bucket, By, MetricRow, metrics
from assay.github_app.outcomes.metrics.review_rates import ReviewRate, review_rates
from assay.github_app.outcomes.metrics.risk_over_time import RiskLift, RiskShare, risk_and_outcome, risk_distribution
from assay.github_app.store import Scope
from assay.github_app.web.api.caller import Caller
from assay.github_app.web.api.routing import ApiContext, answered
from assay.github_app.web.http.csv_text import csv_text

MOST_NAMES = 50


class Format(StrEnum):
    """Format of the response."""

    json = "json"
    csv = "csv"


class Table(StrEnum):
    """Table: metrics, risk levels, outcomes by risk level, of the model review's findings, or what enforcing blocks."""

    metrics = "metrics"
    risk_levels = "risk_levels"
    risk_outcomes = "risk_outcomes"
    review_findings = "review_findings"
    blocked = "blocked"


def add_metrics(routes: APIRouter, api: ApiContext) -> None:
    """Add `GET /api/v1/metrics` and `GET /api/v1/metrics/definitions`."""
    reading = Depends(api.caller(Scope.metrics_read))

    @routes.get("/api/v1/metrics")
    async def figures(
        caller: Caller = reading,
        repo: Annotated[list[str] | None, Query(max_length=MOST_NAMES)] = None,
        since: datetime | None = None,
        until: datetime | None = None,
        by: By | None = None,
        bucket: Bucket | None = None,
        metric: Annotated[list[str] | None, Query(max_length=MOST_NAMES)] = None,
        table: Table = Table.metrics,
        prompt_version: Annotated[str | None, Query(max_length=200)] = None,
        format: Format = Format.json,  # noqa: A002 - the query's word
    ) -> Response:
        """Return the metrics of repositories that the caller may read."""
        for name in metric or ():
            if name not in DEFINITIONS:
                raise ApiRefused(422, f"metric: unknown name; known are {', '.join(DEFINITIONS)}")

        def found() -> tuple[Sequence[Any], type, datetime | None]:
            ids = _repositories(api, caller, repo)
            begins = api.store.repositories.history_since(tuple(ids), _aware(since))
            if table is Table.review_findings:
                findings = api.store.review_findings.first_seen(ids, _aware(since), _aware(until))
                return review_rates(findings), ReviewRate, begins
            if table is Table.blocked:
                verdicts = api.store.listings.verdicts(tuple(ids), _aware(since), _aware(until))
                return blocked(verdicts), BlockedRate, begins
            known = measures(api.store, ids, since=_aware(since), until=_aware(until))
            return *_table(known, table, by, bucket, metric, prompt_version), begins

        rows, kind, begins = await run_in_threadpool(found)
        if format is Format.csv:
            text = csv_text((one.name for one in fields(kind)), (asdict(row).values() for row in rows))
            return Response(text.encode("utf-8", "replace"), media_type="text/csv; charset=utf-8")
        return await answered(
            lambda: {
                "rows": [asdict(row) for row in rows],
                "history_since": begins.isoformat() if begins is not None else None,
            }
        )

    @routes.get("/api/v1/metrics/definitions")
    async def definitions(_caller: Caller = reading) -> Response:
        """Return the definitions of all metrics."""
        return await answered(
            lambda: {
                "metrics": [
                    {"name": one.name, "says": one.says, "kind": one.kind, "unit": one.unit, "better": one.better}
                    for one in DEFINITIONS.values()
                ]
            }
        )


def _table(
    known: Sequence[PullMeasures],
    table: Table,
    by: By | None,
    bucket: Bucket | None,
    names: Collection[str] | None,
    prompt_version: str | None,
) -> tuple[Sequence[Any], type]:
    if table is Table.risk_levels:
        return risk_distribution(known, by=by, bucket=bucket), RiskShare
    if table is Table.risk_outcomes:
        return risk_and_outcome(known), RiskLift
    if prompt_version is not None:
        return before_and_after(known, prompt_version, names), ComparedRow
    return metrics(known, by=by, bucket=bucket, names=names), MetricRow


def _repositories(api: ApiContext, caller: Caller, names: Sequence[str] | None) -> frozenset[int]:
    """Return the ids of the named repositories, by default of all that the caller and the App can access."""
    if not names:
        known = (api.store.repositories.get(one) for one in caller.repository_ids)
        return frozenset(row.id for row in known if row is not None and row.is_given)
    return frozenset(caller.repository(api.store, name).id for name in names)


def _aware(moment: datetime | None) -> datetime | None:
    if moment is not None and moment.tzinfo is None:
        raise ApiRefused(422, "since and until need a time zone, as in 2026-03-01T00:00:00Z")
    try:
        return moment and moment.astimezone(UTC)
    except OverflowError:
        raise ApiRefused(422, "since and until must be between the years 1 and 9999") from None
