"""What is recorded of earlier pull requests, as the validation of the next one is told."""

from __future__ import annotations

from datetime import datetime

import pytest

from assay.github_app.store import ChangedLines, FindingRow, OutcomeKind, Side, Store
from assay.github_app.store.queries import recorded_pulls
from assay.validators import PastPull
from tests.github_app.remembering import REPOSITORY, after, merged, pull, sha


def failing(file: str, rule: str = "test_failed") -> FindingRow:
    return FindingRow(f"{rule} {file}", "tool-validation", "error", rule, file, "fails")


def validated(store: Store, number: int, head: str, paths: list[str], findings: list[FindingRow], at: datetime) -> None:
    """A pull request that was validated at a head."""
    store.pulls.see(pull(number=number, head_sha=head, created_at=after(), updated_at=at), REPOSITORY, at)
    store.changes.put(5, number, head, [ChangedLines(Side.head, path, 1, 2) for path in paths * 2], at)
    run, _ = store.runs.begin(5, number, head, "opened", at)
    store.runs.save_report(
        run.id,
        b"{}",
        conclusion="failure",
        title="",
        risk_level=None,
        is_hold=False,
        findings=findings,
        factors=[],
        config_hash=None,
        durations_s={},
        at=at,
    )


def test_earlier_pulls_have_their_files_failing_tests_and_outcomes(store: Store):
    assert store.recorded_pulls.before(5, 9, after(days=1)) == ()
    validated(store, 7, sha("a"), ["b.py", "a.py"], [failing("test_a.py"), failing("a.py", "F401")], after())
    validated(store, 7, sha("b"), ["a.py"], [failing("test_a.py"), failing("test_b.py", "test_error")], after(hours=1))
    validated(store, 8, sha("c"), ["c.py"], [], after(hours=1))
    validated(store, 9, sha("d"), ["a.py"], [failing("test_own.py")], after(hours=1))
    store.pulls.see(pull(number=10, head_sha=sha("f")), REPOSITORY, after())
    store.pulls.see(merged(after(hours=2)), REPOSITORY, after(hours=2))
    for kind, hours in ((OutcomeKind.followed_by_fix, 5), (OutcomeKind.followed_by_fix, 4), (OutcomeKind.reverted, 30)):
        store.outcomes.put(5, 7, kind, None, after(hours=hours), cause=f"{hours}", detail={"number": 8})
    expected = PastPull(["a.py", "b.py"], ["test_a.py", "test_b.py"], sha("e"), int(after(hours=4).timestamp()))
    assert store.recorded_pulls.before(5, 9, after(days=1)) == (PastPull(["c.py"], []), expected)
    (_, later) = store.recorded_pulls.before(5, 9, after(days=2))
    assert later.reverted_at == int(after(hours=30).timestamp())
    assert store.recorded_pulls.before(6, 9, after(days=2)) == ()
    assert len(store.recorded_pulls.before(5, None, after(days=2))) == 3


def test_what_is_told_is_bounded(store: Store, monkeypatch: pytest.MonkeyPatch):
    for number in (7, 8):
        validated(store, number, sha("a"), [f"{'x' * 60}{at}" for at in range(3)], [], after())
    monkeypatch.setattr(recorded_pulls, "MOST_CHARACTERS", 200)
    (only,) = store.recorded_pulls.before(5, 9, after(days=1))
    assert len(only.changed) == 3
    monkeypatch.setattr(recorded_pulls, "MOST_PATHS", 1)
    assert [len(pull.changed) for pull in store.recorded_pulls.before(5, 9, after(days=1))] == [1, 1]
