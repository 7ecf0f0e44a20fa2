"""Figures of many pull requests: splits, spans, what is unknown, what is too few, and two groups beside each other."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from assay.github_app.outcomes.metrics.comparing import Moved, before_and_after, compared
from assay.github_app.outcomes.metrics.measures import PullMeasures
from assay.github_app.outcomes.metrics.measures_ci import FirstPush
from assay.github_app.outcomes.metrics.measures_findings import Addressed
from assay.github_app.outcomes.metrics.metrics import Bucket, By, MetricRow, metrics, span_of
from assay.github_app.outcomes.metrics.risk_over_time import likelihood_outcomes, risk_and_outcome, risk_distribution
from assay.github_app.outcomes.record.follow_up_fixes import FIX_WITHIN
from assay.github_app.store import OutcomeKind

DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


def one(number: int = 1, **changes: Any) -> PullMeasures:
    """A pull request that was merged at first review."""
    known: dict[str, Any] = {
        "repository_id": 5, "repository": "octo/shop", "number": number, "author": "ada", "user": "ada",
        "agent": "codex", "model": None, "prompt_version": "v1", "memory_state": None, "task_id": None,
        "task_status": None, "risk_level": "low", "opened_at": DAY, "ended_at": DAY, "outcome": OutcomeKind.merged,
        "is_reverted": False,
        "num_fixes": 0, "num_rounds": 0, "num_revision_requests": 0, "first_push": FirstPush.passed,
        "num_comments": 0, "num_asking": 0, "num_threads": 0,
        "num_threads_resolved": 0, "num_changed_lines": 100, "num_repeats": 0, "num_repeats_after_handout": 0,
        "num_rules_handed": 0,
        "num_rules_touching": None, "num_rules_kept": None, "findings": Addressed(), "time_to_pr_s": None,
        "time_to_first_review_s": 60.0, "time_to_merge_s": 600.0,
    }  # fmt: skip
    return PullMeasures(**{**known, **changes})


def test_the_likelihood_is_compared_with_fixes_and_reverts_within_two_weeks():
    late, soon = DAY + FIX_WITHIN + timedelta(days=1), DAY + FIX_WITHIN
    found = [
        one(1, likelihood_level="low"),
        one(2, likelihood_level="low", trouble_at=late),
        one(3, likelihood_level="critical", trouble_at=soon),
        one(4, likelihood_level="critical", outcome=OutcomeKind.closed),
        one(5, likelihood_level=None, trouble_at=soon),
        one(6, likelihood_level="critical", ended_at=DAY + timedelta(hours=1), trouble_at=soon),
    ]
    known = likelihood_outcomes(found, DAY + FIX_WITHIN)
    lifts = {level: (lift.num, lift.hits, lift.value) for level, lift in known.items() if lift.num}
    assert lifts == {"low": (2, 0, 0.0), "critical": (1, 1, 3.0)}


def row_of(name: str, *found: PullMeasures, **more: Any) -> MetricRow:
    (row,) = metrics(found, names=[name], **more)
    return row


def test_rounds_count_against_the_first_review_and_open_ones_for_nothing():
    found = [one(1), one(2, num_rounds=2), one(3, outcome=OutcomeKind.closed), one(4, outcome=None, ended_at=None)]
    row = row_of("first_review_merge_rate", *found)
    assert (row.total, row.n, row.is_too_few) == (1, 3, True)
    assert row.value == pytest.approx(1 / 3)
    assert row_of("revision_cycles", *found).value == 1


def test_a_revision_request_that_was_merged_over_is_no_first_review_merge():
    row = row_of("first_review_merge_rate", one(1), one(2, num_revision_requests=1))
    assert (row.total, row.n) == (1, 2)


@pytest.mark.parametrize("kind", [FirstPush.timed_out, FirstPush.infra_failed, FirstPush.inert, FirstPush.unknown])
def test_what_says_nothing_of_the_change_is_neither_pass_nor_failure(kind: FirstPush):
    found = [one(1), one(2, first_push=FirstPush.failed), one(3, first_push=kind)]
    row = row_of("first_push_ci_pass_rate", *found)
    assert (row.total, row.n, row.num_unknown) == (1, 2, 1)


def test_density_by_lines_leaves_out_whom_nobody_counted():
    found = [one(1, num_asking=3), one(2, num_asking=1, num_changed_lines=None), one(3, num_changed_lines=0)]
    assert row_of("requests_for_change", *found).value == pytest.approx(4 / 3)
    assert row_of("comment_density", one(1, num_comments=5, num_asking=3), one(2, num_comments=1)).value == 3
    row = row_of("comments_per_100_lines", *found)
    assert (row.value, row.n, row.num_unknown) == (3, 1, 2)


def test_nothing_known_is_no_value_and_not_zero():
    row = row_of("time_to_pr", one())
    assert (row.value, row.low, row.n, row.num_unknown) == (None, None, 0, 1)


def test_twenty_are_enough_and_nineteen_too_few():
    assert not row_of("merge_rate", *[one(number) for number in range(20)]).is_too_few
    assert row_of("merge_rate", *[one(number) for number in range(19)]).is_too_few


def test_splits_and_spans_are_in_order_and_unknown_has_its_own():
    found = [
        one(1, agent="codex", opened_at=DAY + timedelta(days=40)),
        one(2, agent=None),
        one(3, agent="claude-code"),
        one(4, agent="codex"),
    ]
    rows = metrics(found, by=By.agent, bucket=Bucket.month, names=["merge_rate"])
    assert [(row.split, row.bucket, row.n) for row in rows] == [
        ("claude-code", "2026-03", 1),
        ("codex", "2026-03", 1),
        ("codex", "2026-04", 1),
        ("unknown", "2026-03", 1),
    ]


@pytest.mark.parametrize(
    ("day", "week"), [((2026, 1, 1), "2026-W01"), ((2027, 1, 1), "2026-W53"), ((2026, 3, 2), "2026-W10")]
)
def test_weeks_are_iso_s(day: tuple[int, int, int], week: str):
    assert span_of(datetime(*day, tzinfo=UTC), Bucket.week) == week


def test_a_metric_nobody_defined_is_an_error():
    with pytest.raises(ValueError, match="there is no metric 'velocity'"):
        metrics([one()], names=["velocity"])


def test_a_prompt_that_helps_is_seen_to_help_and_one_alone_proves_nothing():
    before = [one(number, num_asking=number % 3 + 2) for number in range(40)]
    after = [
        one(100 + number, prompt_version="v2", num_asking=number % 3, opened_at=DAY + timedelta(days=9))
        for number in range(40)
    ]
    elsewhere = [one(300 + number, repository_id=6, num_asking=0) for number in range(40)]
    rows = {row.metric: row for row in before_and_after([*after, *before, *elsewhere], "v2")}
    row = rows["requests_for_change"]
    assert (row.num_before, row.num_after, row.moved) == (40, 40, Moved.better)
    assert row.difference is not None
    assert row.low is not None
    assert row.high is not None
    assert row.low < row.difference < row.high < 0
    assert rows["merge_rate"].moved is Moved.unclear
    assert before_and_after(before, "v9")[0].moved is Moved.too_few


def test_more_of_what_should_be_less_is_worse_and_what_only_describes_is_different():
    slow = [one(number, time_to_first_review_s=900.0 + number, num_repeats=1 + number % 2) for number in range(30)]
    quick = [one(number, time_to_first_review_s=60.0 + number, num_repeats=0) for number in range(30)]
    rows = {row.metric: row.moved for row in compared(quick, slow)}
    assert rows["repeated_mistakes"] is Moved.worse
    assert rows["time_to_first_review"] is Moved.different


def test_risk_is_shared_out_over_all_levels_and_the_without_level_left_out():
    found = [one(1), one(2, risk_level="critical"), one(3, risk_level=None), one(4, risk_level="low")]
    rows = risk_distribution(found, by=By.repository)
    assert [(row.level, row.num, row.n) for row in rows] == [
        ("low", 2, 3), ("medium", 0, 3), ("high", 0, 3), ("critical", 1, 3)
    ]  # fmt: skip
    assert [row.share for row in rows] == [2 / 3, 0, 0, 1 / 3]
    assert all(row.low <= row.share <= row.high for row in rows)
    assert all(row.is_too_few for row in rows)
    assert [row.low for row in rows][1:3] == [0, 0]


def test_high_risk_that_is_rejected_and_looked_at_later_has_lifts_above_one():
    calm = [
        one(
            number,
            outcome=OutcomeKind.closed if number % 10 == 0 else OutcomeKind.merged,
            time_to_first_review_s=60.0 + number,
        )
        for number in range(60)
    ]
    wild = [
        replace(one(100 + number, risk_level="high", time_to_first_review_s=600.0 + number), outcome=kind)
        for number in range(40)
        for kind in [OutcomeKind.closed if number % 2 else OutcomeKind.merged]
    ]
    rows = {(row.what, row.level): row for row in risk_and_outcome([*calm, *wild])}
    rejected, looked = rows["rejected", "high"], rows["time_to_first_review", "high_or_critical"]
    assert (rejected.value, rejected.rest, rejected.lift) == pytest.approx((0.5, 0.1, 5.0))
    for row in (rejected, looked):
        assert row.low is not None
        assert row.low > 1
        assert not row.is_too_few
    assert rows["rejected", "critical"].value is None
