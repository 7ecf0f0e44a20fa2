"""A head is validated once, a run moves only forward, and what it found is kept whole."""

from __future__ import annotations

import zlib

from assay.github_app.store import FactorRow, FindingRow, RunRow, RunState, Store
from tests.github_app.remembering import REPOSITORY, after, pull, sha

FINDING = FindingRow(
    "f1", "code-quality", "error", "duplication", 'odd\x00"name".py', "twice", 3, 9, None, True, True, 0.5
)
FACTOR = FactorRow("dependents", "high", "20 files use it")


def begin(store: Store, head: str = "a", minute: float = 0, **more: object) -> tuple[RunRow, bool]:
    return store.runs.begin(5, 7, sha(head), "synchronize", after(minutes=minute), **more)  # type: ignore[arg-type]


def save(store: Store, run: RunRow, report: bytes, minute: float, *findings: FindingRow) -> bool:
    return store.runs.save_report(
        run.id,
        report,
        conclusion="failure",
        title="High risk",
        risk_level="high",
        is_hold=True,
        findings=findings,
        factors=[FACTOR],
        config_hash="c0",
        durations_s={"tools": 1.5},
        at=after(minutes=minute),
    )


def test_a_head_has_one_run_however_often_it_is_asked_for(store: Store):
    first, is_new = begin(store)
    again, is_new_again = begin(store, minute=1)
    assert (is_new, is_new_again) == (True, False)
    assert first == again
    assert first.external_id == f"assay:5:7:{sha('a')}:1"
    assert [run.id for run in store.runs.active(5, 7)] == [first.id]


def test_a_head_is_validated_anew_when_somebody_asks_and_counts_a_request_once(store: Store):
    first, _ = begin(store)
    assert begin(store, is_again=True)[0] == first
    store.runs.advance(first.id, RunState.completed, after(minutes=1))
    assert begin(store)[1] is False
    second, is_new = begin(store, minute=2, is_again=True, request_key="comment 9")
    assert (is_new, second.turn, second.external_id) == (True, 2, f"assay:5:7:{sha('a')}:2")
    store.runs.advance(second.id, RunState.completed, after(minutes=3))
    replayed, is_new = begin(store, minute=4, is_again=True, request_key="comment 9")
    assert (is_new, replayed.id) == (False, second.id)


def test_a_head_that_was_given_up_and_comes_back_is_validated(store: Store):
    for end in (RunState.superseded, RunState.cancelled, RunState.failed):
        run, is_new = begin(store)
        assert is_new
        store.runs.advance(run.id, end, after(minutes=1))
    assert begin(store)[0].turn == 4


def test_a_merge_group_has_runs_without_a_pull_request(store: Store):
    run, is_new = store.runs.begin(5, None, sha("d"), "merge_group", after())
    again, _ = store.runs.begin(5, None, sha("d"), "merge_group", after())
    assert is_new
    assert again.id == run.id
    assert [one.id for one in store.runs.with_sha(5, sha("d"))] == [run.id]


def test_a_run_moves_only_forward(store: Store):
    run, _ = begin(store)
    steps = [
        (RunState.running, True),
        (RunState.queued, False),
        (RunState.running, True),
        (RunState.waiting, True),
        (RunState.running, False),
        (RunState.completed, True),
        (RunState.superseded, False),
        (RunState.completed, False),
    ]
    for minute, (state, is_allowed) in enumerate(steps, 1):
        assert store.runs.advance(run.id, state, after(minutes=minute)) is is_allowed
    row = store.runs.get(run.id)
    assert row is not None
    assert (row.state, row.started_at, row.ended_at) == (RunState.completed, after(minutes=1), after(minutes=6))


def test_who_validates_is_known_until_the_run_has_ended(store: Store):
    run, _ = begin(store)
    store.runs.advance(run.id, RunState.running, after(), executor="w1", process_group=4711, base_sha=sha("0"))
    held = store.runs.get(run.id)
    assert held is not None
    assert (held.executor, held.process_group, held.base_sha) == ("w1", 4711, sha("0"))
    store.runs.advance(run.id, RunState.failed, after(), error="it\x00 broke\n" * 999)
    row = store.runs.get(run.id)
    assert row is not None
    assert row.process_group is None
    assert row.error is not None
    assert len(row.error) == 2000


def test_runs_whose_wait_is_over_are_found(store: Store):
    for number, minute in ((1, 10), (2, 20), (3, 30)):
        run, _ = store.runs.begin(5, number, sha("a"), "opened", after())
        store.runs.advance(run.id, RunState.waiting, after(), wait_until=after(minutes=minute))
    assert [run.number for run in store.runs.waiting_past(after(minutes=20))] == [1, 2]
    assert store.runs.counts()[RunState.waiting] == 3
    assert len(store.runs.unended()) == 3


def test_what_a_run_found_is_kept_whole(store: Store):
    run, _ = begin(store)
    assert save(store, run, b'{"report": 1}', 1, FINDING)
    assert store.runs.report(run.id) == b'{"report": 1}'
    (finding,) = store.runs.findings(run.id)
    assert finding.file == 'odd\ufffd"name".py'
    assert (finding.line, finding.end_line, finding.is_blocking, finding.confidence) == (3, 9, True, 0.5)
    assert store.runs.factors(run.id) == (FACTOR,)
    row = store.runs.newest_reported(5, 7)
    assert row is not None
    assert (row.risk_level, row.is_hold, row.num_findings, row.num_blocking) == ("high", True, 1, 1)
    assert (row.durations_s, row.config_hash, row.reported_at) == ({"tools": 1.5}, "c0", after(minutes=1))


def test_a_newer_report_replaces_what_was_found_and_an_older_one_does_not(store: Store):
    run, _ = begin(store)
    save(store, run, b"first", 1, FINDING)
    assert save(store, run, b"second", 2)
    assert not save(store, run, b"late", 1, FINDING)
    assert store.runs.report(run.id) == b"second"
    assert store.runs.findings(run.id) == ()
    assert not store.runs.save_report(
        "nobody",
        b"",
        conclusion="success",
        title="",
        risk_level=None,
        is_hold=False,
        findings=(),
        factors=(),
        config_hash=None,
        durations_s={},
        at=after(),
    )


def test_reports_of_ended_runs_are_forgotten_and_their_verdicts_kept(store: Store):
    ended, _ = begin(store)
    save(store, ended, b"old", 1, FINDING)
    store.runs.advance(ended.id, RunState.completed, after(minutes=1))
    open_run, _ = begin(store, "b")
    save(store, open_run, b"open", 1)
    assert store.runs.purge_reports(after(days=1)) == 1
    assert store.runs.report(ended.id) is None
    assert store.runs.report(open_run.id) == b"open"
    assert len(store.runs.findings(ended.id)) == 1


def test_a_report_that_unpacks_without_end_is_cut(small_store: Store, monkeypatch):
    monkeypatch.setattr("assay.github_app.store.runs.runs.MOST_REPORT_BYTES", 1000)
    run, _ = begin(small_store)
    save(small_store, run, b"x" * 100_000, 1)
    assert len(zlib.compress(b"x" * 100_000)) < 1000
    assert small_store.runs.report(run.id) == b"x" * 1000


def test_a_head_whose_validation_failed_stays_parked_while_only_another_head_is_retried(store: Store):
    parked, _ = begin(store, "a")
    store.runs.advance(parked.id, RunState.failed, after(minutes=1))
    for minute in (2, 4):
        other, _ = begin(store, "b", minute)
        store.runs.advance(other.id, RunState.failed, after(minutes=minute + 1))
    assert [run.id for run in store.runs.parked()] == [other.id, parked.id]


def test_of_the_reports_against_a_branch_the_newest_is_returned(store: Store):
    for number, minute, base in ((1, 5, "main"), (2, 9, "main"), (3, 20, "release")):
        store.pulls.see(pull(number=number, base_ref=base), REPOSITORY, after())
        run, _ = store.runs.begin(REPOSITORY.id, number, sha("a"), "opened", after())
        save(store, run, f"report {number}".encode(), minute)
    assert store.runs.newest_report_on(REPOSITORY.id, "main") == b"report 2"
    assert store.runs.newest_report_on(REPOSITORY.id, "topic") is None
