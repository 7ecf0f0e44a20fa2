"""Findings of model reviews and their outcomes, on both databases."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.github_app.store import DecidedBy, FindingOutcome, ReviewFindingRow, Store
from tests.github_app.remembering import after, sha

ROW = ReviewFindingRow(
    repository_id=5, number=7, finding_id="0123456789ab", rule="review.security", question="security",
    prompt="security v1 0a1b2c3d4e5f", prompts=("system v1 e46c81a91607", "security v1 0a1b2c3d4e5f"),
    model="claude-opus-5-5", severity="warning", is_demonstrated=False, file="größe.py", message="NUL \x00",
    first_sha=sha("a"), last_sha=sha("a"), first_at=after(),
)  # fmt: skip
PLACE = (5, 7)


def only(store: Store) -> ReviewFindingRow:
    (row,) = store.review_findings.of(*PLACE)
    return row


def decide(store: Store, outcome: FindingOutcome, by: DecidedBy, decider: str | None = None) -> bool:
    return store.review_findings.decide(PLACE, ROW.finding_id, outcome, by, after(days=1), decider=decider)


def test_a_finding_keeps_its_first_data_and_moves_with_the_head(store: Store):
    store.review_findings.seen([ROW], after())
    assert only(store) == replace(ROW, message="NUL �")
    later = replace(ROW, last_sha=sha("b"), first_sha=sha("b"), prompt="security v2 x", severity="error", model="other")
    store.review_findings.seen([later], after(days=1))
    row = only(store)
    assert (row.first_sha, row.last_sha, row.prompt, row.severity, row.model) == (
        sha("a"),
        sha("b"),
        ROW.prompt,
        "error",
        ROW.model,
    )


@pytest.mark.parametrize("kind", [one for one in FindingOutcome if one is not FindingOutcome.dismissed])
def test_one_that_comes_back_on_another_head_is_open_again(store: Store, kind: FindingOutcome):
    findings = store.review_findings
    findings.seen([ROW], after())
    assert decide(store, kind, DecidedBy.push)
    findings.seen([ROW], after(days=2))
    assert only(store).outcome is kind, "the same head, published again"
    assert findings.standing(*PLACE) == ()
    findings.seen([replace(ROW, last_sha=sha("b"))], after(days=2))
    assert (only(store).outcome, only(store).decided_at) == (None, None)
    assert len(findings.standing(*PLACE)) == 1


def test_the_first_outcome_stays_but_for_a_command(store: Store):
    store.review_findings.seen([ROW], after())
    assert decide(store, FindingOutcome.dismissed, DecidedBy.reaction, decider="ann")
    assert not decide(store, FindingOutcome.ignored, DecidedBy.merged)
    assert decide(store, FindingOutcome.dismissed, DecidedBy.command, decider="bo")
    assert not decide(store, FindingOutcome.dismissed, DecidedBy.command, decider="cy")
    row = only(store)
    assert (row.outcome, row.decided_by, row.decider) == (FindingOutcome.dismissed, DecidedBy.command, "bo")
    store.review_findings.seen([replace(ROW, last_sha=sha("b"))], after(days=2))
    assert only(store).outcome is FindingOutcome.dismissed
    unknown = store.review_findings.decide(PLACE, "f" * 12, FindingOutcome.ignored, DecidedBy.merged, after())
    assert not unknown


def test_what_was_dismissed_is_listed_by_repository_without_the_authors_own(store: Store):
    findings = store.review_findings
    for number, by_author in ((7, False), (8, True), (9, False)):
        findings.seen([replace(ROW, number=number)], after())
        kind, by, at = FindingOutcome.dismissed, DecidedBy.reaction, after(days=number)
        assert findings.decide((5, number), ROW.finding_id, kind, by, at, by_author=by_author)
    assert [row.number for row in findings.dismissed(5, 9)] == [9, 7]
    assert [row.number for row in findings.dismissed(5, 1)] == [9]
    assert findings.dismissed(6, 9) == ()
