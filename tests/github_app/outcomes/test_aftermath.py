"""Ends, reverts and follow-up fixes: what counts, and what only looks like it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from assay.github_app.outcomes import ABANDONED_AFTER, FIX_WITHIN, Ending, ending, note_abandoned, record
from assay.github_app.store import ChangedLines, OutcomeKind, Side, Store
from tests.github_app.outcomes.telling import pulled, pushed
from tests.github_app.remembering import after, merged, pull, sha


def tell(store: Store, *events: Any) -> None:
    for event in events:
        record(event, store, after(days=60))


def stands(store: Store, number: int = 7) -> Ending:
    row = store.pulls.get(5, number)
    assert row is not None
    return ending(row, store.outcomes.of(5, number))


def test_a_merge_is_for_good(small_store: Store):
    tell(small_store, pulled("closed", merged(after(hours=1))), pulled("opened", pull()))
    assert stands(small_store) == Ending(OutcomeKind.merged, after(hours=1), sha("a"))


def test_a_closed_one_that_is_reopened_is_open_and_may_end_otherwise(small_store: Store):
    closed = pull(state="closed", closed_at=after(hours=1), updated_at=after(hours=1))
    tell(small_store, pulled("closed", closed))
    assert stands(small_store).kind is OutcomeKind.closed
    tell(small_store, pulled("reopened", pull(updated_at=after(hours=2))))
    assert stands(small_store).kind is None
    tell(small_store, pulled("closed", merged(after(hours=3))))
    assert stands(small_store).kind is OutcomeKind.merged
    assert [one.kind for one in small_store.outcomes.of(5, 7)] == ["closed", "merged"]


def test_what_nobody_touches_is_abandoned_until_somebody_does(small_store: Store):
    tell(small_store, pulled("opened", pull()))
    assert note_abandoned(small_store, after(days=29)) == 0
    assert note_abandoned(small_store, after(days=31)) == 1
    assert note_abandoned(small_store, after(days=32)) == 0
    assert stands(small_store) == Ending(OutcomeKind.abandoned, after() + ABANDONED_AFTER, sha("a"))
    tell(small_store, pulled("synchronize", pull(head_sha=sha("b"), updated_at=after(days=33))))
    assert stands(small_store).kind is None
    (logged,) = [one for one in small_store.events.of(5, 7) if one.kind == "pr_outcome_recorded"]
    assert logged.data["outcome"] == "abandoned"


@pytest.mark.parametrize(
    ("message", "is_revert"),
    [
        (f"Revert\n\nThis reverts commit {sha('e')}.", True),
        (f"Revert\n\nThis reverts commit {sha('e')[:7]}", True),
        (f"This reverts commit {sha('a')}.", True),
        ("Reverts octo/shop#7", True),
        ("Reverts #7", True),
        (f"This reverts commit {sha('1')}.", False),
        ("Reverts mallory/shop#7", False),
        ("Reverts octo/shop#70", False),
        ("This reverts commit eeeee.", False),
        (f"See {sha('e')}", False),
    ],
)
def test_a_commit_on_the_default_branch_takes_a_merge_back(small_store: Store, message: str, is_revert: bool):
    tell(small_store, pulled("closed", merged(after(hours=1))), pushed((sha("9"), message)))
    assert (stands(small_store).reverted_at is not None) is is_revert


def test_a_revert_on_another_branch_takes_nothing_back(small_store: Store):
    message = f"This reverts commit {sha('e')}."
    tell(small_store, pulled("closed", merged(after(hours=1))), pushed((sha("9"), message), ref="refs/heads/try"))
    assert stands(small_store).reverted_at is None


def reverting(at: datetime, **changes: Any) -> Any:
    known: dict[str, Any] = {
        "number": 9,
        "title": 'Revert "Sell hats"',
        "body": "Reverts octo/shop#7",
        "head_ref": "revert-7-hats",
        "head_sha": sha("9"),
        "merge_commit_sha": sha("8"),
    }
    return pulled("closed", merged(at, **{**known, **changes}))


@pytest.mark.parametrize("changes", [{}, {"body": ""}, {"head_ref": "oops"}, {"title": "Oops"}])
def test_a_merged_pull_request_that_reverts_is_seen_by_any_of_its_signs(small_store: Store, changes: dict[str, str]):
    tell(small_store, reverting(after(days=1), **changes), pulled("closed", merged(after(hours=1))))
    assert stands(small_store).reverted_at == after(days=1)
    assert stands(small_store, 9).reverted_at is None


def test_a_revert_that_is_only_proposed_takes_nothing_back(small_store: Store):
    tell(small_store, pulled("closed", merged(after(hours=1))))
    tell(small_store, pulled("opened", pull(number=9, title='Revert "Sell hats"', body="Reverts #7")))
    assert stands(small_store).reverted_at is None


def fixing(store: Store, at: datetime, first: int, last: int, **changes: Any) -> None:
    """Merge number 8, which replaces these lines of hats.py, after number 7 put in lines 10 to 20."""
    store.changes.put(5, 7, sha("a"), [ChangedLines(Side.head, "hats.py", 10, 20)], after())
    store.changes.put(5, 8, sha("b"), [ChangedLines(Side.base, "hats.py", first, last)], after())
    known: dict[str, Any] = {"number": 8, "title": "Fix hats", "head_sha": sha("b"), "merge_commit_sha": sha("c")}
    tell(store, pulled("closed", merged(after(hours=1))), pulled("closed", merged(at, **{**known, **changes})))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"title": "fix(hats): size"},
        {"title": "Hotfix hats"},
        {"title": "Hats: regression"},
        {"title": "Hats", "head_ref": "bugfix/hats"},
        {"title": "Hats", "labels": ("bug",)},
    ],
)
def test_a_fix_of_the_same_lines_soon_after_is_seen(small_store: Store, changes: dict[str, Any]):
    fixing(small_store, after(days=3), 18, 25, **changes)
    assert stands(small_store).fixed_by == (8,)
    (fix,) = [one for one in small_store.outcomes.of(5, 7) if one.kind is OutcomeKind.followed_by_fix]
    assert (fix.at, fix.cause, fix.detail) == (after(days=3), "#8", {"number": 8, "paths": ["hats.py"]})


@pytest.mark.parametrize(
    ("at", "first", "last", "changes"),
    [
        (after(hours=1, seconds=1) + FIX_WITHIN, 10, 20, {}),
        (after(days=3), 30, 40, {}),
        (after(days=3), 10, 20, {"title": "Add a prefix to hats"}),
        (after(days=3), 10, 20, {"title": "Sell more hats"}),
        (after(days=3), 10, 20, {"title": 'Revert "Fix hats"'}),
        (after(minutes=30), 10, 20, {}),
    ],
)
def test_what_is_late_elsewhere_or_no_fix_does_not_count(
    small_store: Store, at: datetime, first: int, last: int, changes: dict[str, Any]
):
    fixing(small_store, at, first, last, **changes)
    assert stands(small_store).fixed_by == ()
