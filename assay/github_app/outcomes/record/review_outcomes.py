"""Outcomes of a model's findings as its reviews of later pushes show them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from assay.github_app.store import DecidedBy, FindingOutcome, ReviewFindingRow, RunRow, Store
from assay.validators import Fate, Finding, ModelReview, ValidationReport, shown


def note_review(store: Store, run: RunRow, report: ValidationReport, at: datetime) -> None:
    """Store the findings of a review, and the outcome of those that are resolved since the last push."""
    if report.review is None or run.number is None:
        return
    place = (run.repository_id, run.number)
    store.review_findings.seen(_rows(place, run.head_sha, report, report.review, at), at)
    for one in report.review.resolved:
        outcome = FindingOutcome.acted_on if one.why is Fate.edited else FindingOutcome.withdrawn
        store.review_findings.decide(place, one.finding, outcome, DecidedBy.push, at)


def _rows(
    place: tuple[int, int], head_sha: str, report: ValidationReport, review: ModelReview, at: datetime
) -> Iterator[ReviewFindingRow]:
    reviewed = {one.finding for one in review.places}
    demonstrated = {one.finding for one in review.demonstrations}
    for finding in report.findings:
        if finding.id in reviewed:
            yield _row(place, head_sha, finding, review, at, is_demonstrated=finding.id in demonstrated)


def _row(
    place: tuple[int, int], head_sha: str, finding: Finding, review: ModelReview, at: datetime, *, is_demonstrated: bool
) -> ReviewFindingRow:
    question = finding.rule.rpartition(".")[2]
    return ReviewFindingRow(
        repository_id=place[0],
        number=place[1],
        finding_id=finding.id,
        rule=finding.rule,
        question=question,
        prompt=next((one for one in review.prompts if one.split(" ", 1)[0] == question), ""),
        prompts=review.prompts,
        model=review.model,
        severity=str(finding.severity),
        is_demonstrated=is_demonstrated,
        file=shown(finding.file),
        message=finding.message,
        first_sha=head_sha,
        last_sha=head_sha,
        first_at=at,
    )
