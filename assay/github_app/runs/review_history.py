"""What earlier reviews of a pull request found and cost, for the next one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from assay.github_app.store import RunRow, Store, WaiverKind
from assay.validators import (
    EarlierFinding,
    ReportedFinding,
    ReportUnreadable,
    ValidationOptions,
    ValidationReport,
    read_report,
)

MOST_DISMISSED = 200
MOST_REPORTS = 5
"""Chosen limit: newest reports that are read to find one with a review."""


def with_review_history(options: ValidationOptions, store: Store, run: RunRow, now: datetime) -> ValidationOptions:
    """Return the options with the findings of the last review, dismissed ones, and what reviews cost so far."""
    month = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    earlier = (*_last_findings(store, run), *_dismissed(store, run.repository_id))
    return replace(options, earlier=earlier, spent_usd=store.runs.costs_usd(run.repository_id, run.number, month))


def _last_findings(store: Store, run: RunRow) -> Iterator[EarlierFinding]:
    """Yield the findings of the newest review of this pull request; a run without a model is not one."""
    if run.number is None:
        return
    place = (run.repository_id, run.number)
    report = next(filter(None, map(_reviewed, _contents(store, place))), None)
    if report is None or report.review is None:
        return
    places = {one.finding: one for one in report.review.places}
    tests = {one.finding: one for one in report.review.demonstrations}
    waived = {name for name, waiver in store.waivers.of(*place).items() if waiver.kind is WaiverKind.fp}
    for one in report.findings:
        about = places.get(one.id)
        if about is not None:
            is_waived = one.id in waived
            reported = None if is_waived else ReportedFinding(about, one.line, one.replacement, tests.get(one.id))
            context = f"{about.symbol}: {about.quote}"
            yield EarlierFinding(one.rule, one.file, context, one.message, reported=reported)


def _contents(store: Store, place: tuple[int, int]) -> Iterator[bytes]:
    """Yield the newest stored reports of a pull request, the newest first."""
    reported = [one for one in store.runs.of_pull(*place) if one.reported_at is not None]
    for one in reversed(reported[-MOST_REPORTS:]):
        content = store.runs.report(one.id)
        if content is not None:
            yield content


def _reviewed(content: bytes) -> ValidationReport | None:
    """Return a report with a review; None for one without, or of another version."""
    try:
        report = read_report(content)
    except ReportUnreadable:
        return None
    return report if report.review is not None else None


def _dismissed(store: Store, repository_id: int) -> Iterator[EarlierFinding]:
    """Yield findings that users other than the authors dismissed in this repository."""
    for row in store.review_findings.dismissed(repository_id, MOST_DISMISSED):
        yield EarlierFinding(row.rule, row.file, "", row.message, is_dismissed=True)
