"""The newest word of CI counts, and posted results are kept once."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

from assay.github_app.store import PostedResults, Store
from tests.github_app.remembering import after, check, sha

RESULTS = PostedResults(
    5, sha("a"), 88, "tests", 1, "octo/shop/.github/workflows/x.yml@main", "pull_request", {"runs": [1]}, after(), 7
)


def test_a_check_ends_once_in_whatever_order_its_events_come(small_store: Store):
    queued = check(status="queued", conclusion=None, completed_at=None, started_at=None)
    running = check(status="in_progress", conclusion=None, completed_at=None)
    for number, order in enumerate(permutations([queued, running, check()])):
        for one in (*order, order[0]):
            small_store.checks.put(number, one, after())
        assert small_store.checks.of(number, sha("a")) == (check(),)


def test_a_check_that_is_run_again_under_its_id_is_running(store: Store):
    store.checks.put(5, check(), after())
    again = check(status="in_progress", conclusion=None, started_at=after(minutes=9), completed_at=None)
    assert store.checks.put(5, again, after())
    assert not store.checks.put(5, check(), after())
    assert store.checks.of(5, sha("a")) == (again,)


def test_of_each_name_and_app_the_newest_counts(store: Store):
    store.checks.put(5, check(conclusion="failure"), after())
    newer = check(external_key="777", completed_at=after(minutes=9))
    other = check(external_key="600", app_id=1)
    status = check(source="status", external_key="9", app_id=None, app_slug=None)
    for one in (newer, other, status):
        store.checks.put(5, one, after())
    assert set(store.checks.of(5, sha("a"))) == {newer, other, status}


def test_a_hostile_check_repeated_stays_one_row(store: Store):
    odd = check(name="a\x00b\udc80", title="\x00", summary="'; DROP TABLE checks; --")
    assert store.checks.put(5, odd, after())
    assert not store.checks.put(5, odd, after())
    (found,) = store.checks.of(5, sha("a"))
    assert found.name == "a\ufffdb\\udc80"


def test_ci_passed_when_everything_that_counts_did(store: Store):
    assert store.checks.passed(5, sha("a")) is None
    store.checks.put(5, check(), after())
    store.checks.put(5, check(name="docs", external_key="2", conclusion="skipped"), after())
    assert store.checks.passed(5, sha("a")) is True
    store.checks.put(5, check(name="lint", external_key="3", status="in_progress", conclusion=None), after())
    assert store.checks.passed(5, sha("a")) is None
    store.checks.put(5, check(name="lint", external_key="3", conclusion="failure"), after())
    assert store.checks.passed(5, sha("a")) is False


def test_of_posted_results_the_newest_attempt_of_a_job_stands(store: Store):
    assert store.checks.put_results(RESULTS)
    assert not store.checks.put_results(RESULTS)
    second = replace(RESULTS, run_attempt=2, tools={"runs": [2]}, posted_at=after(minutes=5))
    assert store.checks.put_results(second)
    assert not store.checks.put_results(RESULTS)
    other = replace(RESULTS, job="lint", posted_at=after(minutes=9))
    store.checks.put_results(other)
    assert store.checks.results_of(5, sha("a")) == (other, second)
    assert store.checks.purge(after(minutes=9)) == 1
    assert store.checks.results_of(5, sha("a")) == (other,)


def test_old_texts_of_checks_are_forgotten_and_their_verdicts_kept(store: Store):
    store.checks.put(5, check(title="10 passed", summary="long"), after())
    store.checks.purge(after(days=1))
    (found,) = store.checks.of(5, sha("a"))
    assert (found.title, found.summary, found.conclusion) == (None, None, "success")
