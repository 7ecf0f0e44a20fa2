"""What waits for a person, as both databases list it."""

from __future__ import annotations

from datetime import timedelta

from assay.github_app.store import Store
from tests.github_app.dashboard.needing import fill
from tests.github_app.remembering import START

IDS = tuple(range(1000, 1005))


def test_each_list_is_cut_and_counted_in_full_longest_waiting_first(store: Store):
    fill(store, START, 5)
    attention = store.attention
    holds, runs = attention.holds(IDS, 2), attention.failed_runs(IDS, 2)
    wrong, lost = attention.misconfigured(IDS, 2), attention.failed_deliveries(None, 2)
    assert [one.total for one in (holds, runs, wrong, lost)] == [5] * 4
    assert [(one.repository_id, one.number, one.level) for one in holds.items] == [(1004, 6, "high"), (1003, 6, "high")]
    assert [(one.repository_id, one.number, one.error, one.incident) for one in runs.items] == [
        (1004, 7, "no memory", "i-1"),
        (1003, 7, "no memory", "i-1"),
    ]
    assert [(one.repository_id, one.branch, one.num_pulls, one.number) for one in wrong.items] == [
        (1004, "main", 1, 8),
        (1003, "main", 1, 8),
    ]
    assert [(one.id, one.repository, one.number) for one in lost.items] == [
        ("d-4", "acme/0004", 3),
        ("d-3", "acme/0003", 3),
    ]
    assert {one.items[0].since for one in (holds, runs, wrong, lost)} == {START - timedelta(hours=4)}
    assert attention.num_open(IDS) == dict.fromkeys(IDS, 3)


def test_other_repositories_are_not_listed(store: Store):
    fill(store, START, 2)
    attention = store.attention
    for found in (attention.holds([1001], 9), attention.failed_runs([1001], 9), attention.misconfigured([1001], 9)):
        assert ([one.repository_id for one in found.items], found.total) == ([1001], 1)
    assert [one.id for one in attention.failed_deliveries(["ACME/0001"], 9).items] == ["d-1"]
    assert attention.holds([], 9).total == attention.failed_deliveries([], 9).total == 0
    assert [one.id for one in attention.installations([101])] == [101]
