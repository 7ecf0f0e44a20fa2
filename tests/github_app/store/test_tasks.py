"""Tasks, their log, the instructions they ran under, and the lines they changed."""

from __future__ import annotations

import pytest
from sqlalchemy import delete, update
from sqlalchemy.exc import DBAPIError

from assay.github_app.store import ChangedLines, EventKind, Side, Store, TaskStatus
from assay.github_app.store.tasks.task_events import EventRow
from tests.github_app.remembering import after, sha


def test_the_log_takes_an_entry_once(store: Store):
    assert store.events.append("pr_opened", "5#7", after(), 5, 7, "T1", {"head_sha": sha("a")})
    assert not store.events.append("pr_opened", "5#7", after(minutes=1), 5, 7, "T2", {"head_sha": "forged"})
    (entry,) = store.events.of(5, 7)
    assert (entry.kind, entry.at, entry.task_id, entry.data) == ("pr_opened", after(), "T1", {"head_sha": sha("a")})
    assert store.events.append("pr_reopened", "5#7", after(minutes=2), 5, 7)
    assert [one.kind for one in store.events.of(5, 7)] == ["pr_opened", "pr_reopened"]
    assert store.events.of_task(5, "T1") == (entry,)
    assert store.events.of_kind("pr_opened", after(), after(seconds=1)) == (entry,)
    assert store.events.of_kind("pr_opened", after(seconds=1), after(days=1)) == ()


def test_the_log_knows_its_kinds(store: Store):
    with pytest.raises(ValueError, match="pr_poened"):
        store.events.append("pr_poened", "5#7", after())


REWRITES = [update(EventRow).values(kind="pr_closed"), delete(EventRow)]


@pytest.mark.parametrize("statement", REWRITES, ids=["update", "delete"])
def test_the_database_itself_refuses_to_rewrite_the_log(store: Store, statement):
    """Once its pull request is deleted, an entry may go: see test_retention."""
    store.pulls.pause(5, 7, "bo", after())
    store.events.append(EventKind.pr_opened, "5#7", after(), 5, 7)
    with pytest.raises(DBAPIError, match="only added to"), store._database.write() as connection:
        connection.execute(statement)
    assert len(store.events.of(5, 7)) == 1


def test_what_is_known_of_a_task_grows_and_is_not_lost(store: Store):
    store.tasks.put(5, "T1", after(minutes=1), number=7, branch="hats", submitted_at=after(hours=-1))
    store.tasks.put(5, "T1", after(minutes=2), risk_level="high", number=None)
    store.tasks.put(5, "T1", after(minutes=3), status=TaskStatus.timed_out, error_message="out of\x00 time")
    task = store.tasks.get(5, "T1")
    assert task is not None
    assert (task.number, task.branch, task.risk_level, task.status) == (7, "hats", "high", TaskStatus.timed_out)
    assert (task.error_message, task.submitted_at) == ("out of\ufffd time", after(hours=-1))
    assert (task.created_at, task.updated_at) == (after(minutes=1), after(minutes=3))


def test_a_task_of_another_repository_is_another_task(store: Store):
    store.tasks.put(5, "T1", after(), branch="ours")
    store.tasks.put(6, "T1", after(), branch="theirs")
    task = store.tasks.get(5, "T1")
    assert task is not None
    assert task.branch == "ours"
    assert store.tasks.get(7, "T1") is None


def test_a_prompt_version_keeps_its_text(store: Store):
    texts = {"AGENTS.md": "Be kind.\n", "dir/CLAUDE\udcff.md": "x\x00"}
    assert store.prompt_versions.put(5, "v1", "declared", {}, after(minutes=1))
    assert not store.prompt_versions.put(5, "v1", "files", texts, after())
    assert not store.prompt_versions.put(5, "v1", "declared", {}, after())
    row = store.prompt_versions.get(5, "v1")
    assert row is not None
    assert (row.source, row.texts, row.first_seen_at) == ("files", texts, after())
    assert [one.version for one in store.prompt_versions.of(5)] == ["v1"]


def test_changed_lines_are_those_of_the_last_validating(store: Store):
    old = [ChangedLines(Side.head, "a.py", 1, 3)]
    new = [ChangedLines(Side.base, "a.py", 2, 2), ChangedLines(Side.head, "b\x00.py", 2, 9)]
    store.changes.put(5, 7, sha("a"), old, after())
    store.changes.put(5, 7, sha("a"), new, after())
    assert store.changes.of(5, 7, sha("a")) == (new[0], ChangedLines(Side.head, "b\ufffd.py", 2, 9))
    assert store.changes.of(5, 7, sha("b")) == ()


def test_a_change_of_everything_is_kept_in_part(small_store: Store, monkeypatch):
    monkeypatch.setattr("assay.github_app.store.pulls.changed_lines.MOST_PLACES", 10)
    small_store.changes.put(5, 7, sha("a"), (ChangedLines(Side.head, "a.py", i, i) for i in range(99)), after())
    assert len(small_store.changes.of(5, 7, sha("a"))) == 10


def test_a_dead_worker_is_taken_over_by_one(store: Store):
    store.leases.renew("w1", "host", 10, after())
    store.leases.renew("w2", "host", 11, after())
    store.leases.renew("w2", "host", 11, after(minutes=1))
    assert [(one.executor, one.pid) for one in store.leases.all()] == [("w1", 10), ("w2", 11)]
    assert not store.leases.forget("w2", older_than=after(seconds=30))
    assert [store.leases.forget("w1"), store.leases.forget("w1")] == [True, False]
    store.leases.renew("w2", "other", 12, after(minutes=2))
    (alive,) = store.leases.all()
    assert (alive.host, alive.started_at) == ("other", after(minutes=2))
