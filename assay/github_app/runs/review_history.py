"""What earlier reviews of a pull request found and cost, for the next one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from assay.github.pull_request.validate import ValidationLimits
from assay.github_app.store import RunRow, Store
from assay.validators import EarlierFinding, ReportUnreadable, read_report

MOST_DISMISSED = 200
_RULES = "review."


def with_review_history(limits: ValidationLimits, store: Store, run: RunRow, now: datetime) -> ValidationLimits:
    """Return the limits with the findings of the last review, dismissed ones, and what reviews cost so far."""
    month = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    earlier = (*_last_findings(store, run), *_dismissed(store, run.repository_id))
    return replace(limits, earlier=earlier, spent_usd=store.runs.costs_usd(run.repository_id, run.number, month))


def _last_findings(store: Store, run: RunRow) -> Iterator[EarlierFinding]:
    """Yield the findings of the newest review of this pull request."""
    last = store.runs.newest_reported(run.repository_id, run.number) if run.number is not None else None
    content = store.runs.report(last.id) if last is not None else None
    if content is None:
        return
    try:
        report = read_report(content)
    except ReportUnreadable:  # of another version
        return
    places = {one.finding: one for one in report.review.places} if report.review is not None else {}
    for one in report.findings:
        place = places.get(one.id)
        if place is not None:
            yield EarlierFinding(one.rule, one.file, f"{place.symbol}: {place.quote}", one.message)


def _dismissed(store: Store, repository_id: int) -> Iterator[EarlierFinding]:
    """Yield findings that were marked as false positives in this repository."""
    for row in store.runs.dismissed(repository_id, _RULES, MOST_DISMISSED):
        yield EarlierFinding(row.rule, row.file, "", row.message, is_dismissed=True)
