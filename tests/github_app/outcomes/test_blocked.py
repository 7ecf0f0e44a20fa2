"""What enforce mode would have blocked, by the newest verdict of each pull request."""

from __future__ import annotations

from datetime import datetime

import pytest

from assay.github_app.outcomes.metrics.blocked import BlockedRate, blocked
from assay.github_app.store import Store
from tests.github_app.remembering import after
from tests.github_app.store.test_pages import MINE, OTHERS, validated


def verdict(store: Store, number: int, conclusion: str, at: datetime, *, is_hold: bool = False) -> None:
    """One more verdict on a pull request of `octo/shop`."""
    run, _ = store.runs.begin(MINE.id, number, f"{number:030x}{conclusion:>10.10}", "test", at)
    store.runs.save_report(
        run.id, b"{}", conclusion=conclusion, title="", risk_level="low", is_hold=is_hold, findings=(), factors=(),
        config_hash=None, durations_s={}, at=at,
    )  # fmt: skip


@pytest.fixture
def filled(store: Store) -> Store:
    """Five pull requests: fine, failing, held, failing and then fine, and one of another repository."""
    for repository in (MINE, OTHERS):
        store.repositories.put(repository, 1, after())
    for number in range(1, 5):
        validated(store, MINE, number, "low")
    validated(store, OTHERS, 9, "low")
    verdict(store, 2, "failure", after(minutes=10))
    verdict(store, 3, "action_required", after(minutes=10), is_hold=True)
    verdict(store, 4, "failure", after(minutes=10))
    verdict(store, 4, "success", after(minutes=20))
    return store


def test_the_newest_verdict_of_each_counts(filled: Store):
    assert blocked(filled.listings.verdicts(None)) == (
        BlockedRate("octo/shop", 4, 1, 1, 0, "#3 Change 3; #2 Change 2"),
        BlockedRate("octo/vault", 1, 0, 0, 0, ""),
    )
    assert [one.n for one in blocked(filled.listings.verdicts(None, after(minutes=5)))] == [3]
    assert blocked(()) == ()
