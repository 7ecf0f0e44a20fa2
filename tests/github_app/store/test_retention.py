"""Each table forgets what is older than its retention, and nothing that a figure or a decision rests on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, event, insert, select, update
from sqlalchemy.exc import DBAPIError

from assay.github_app.maintenance.purge import HANDLED_DAYS, delete_old, purge, purge_job
from assay.github_app.outcomes.metrics.measures import measures
from assay.github_app.runtime.context import Context
from assay.github_app.store import EventKind, Store
from assay.github_app.store.database.columns import METADATA, Kept
from assay.github_app.store.queries import retention
from assay.github_app.store.tables.event_kinds import DECISIONS
from assay.github_app.store.tables.pull_tables import PullRow
from assay.github_app.store.tables.rules_tables import RuleAuditRow, RuleChange
from assay.github_app.store.tasks.task_events import EventRow
from tests.github_app.remembering import after, take
from tests.github_app.stand_ins import GithubOfPulls, context_in
from tests.github_app.store.filling import APART, REPOSITORY_ID, SPECIAL, fill, tags

HISTORY, KEEP = 400, 90
NOW = after(days=1000)
TAGS = {1: "old", 2: "mid", 3: "new"}
NEWEST = 99
AGES = {"old": HISTORY + 1, "mid": KEEP + 1, "new": 1}
"""Days before now: older than all retention, than `keep_days` only, than none."""


@pytest.fixture
def context(store: Store, tmp_path: Path) -> Iterator[Context]:
    made = context_in(tmp_path / "data", GithubOfPulls())
    made.store.close()
    yield replace(made, store=store, clock=lambda: NOW)
    made.queues.close()


@pytest.fixture
def none_kept(monkeypatch: pytest.MonkeyPatch, store: Store) -> None:
    """Keep no more than the newest pull request, which is none of those that the tests fill in."""
    monkeypatch.setattr(retention, "MOST_PULLS", 0)
    store.pulls.pause(REPOSITORY_ID, NEWEST, "bo", NOW)


def fill_all(store: Store, *, without: frozenset[str] = frozenset()) -> None:
    for number, tag in TAGS.items():
        fill(store, tag, number, NOW - timedelta(days=AGES[tag]), without=without)


def forget(context: Context) -> None:
    assert delete_old(context, float("inf"))[1]


REFERRING = frozenset({"rule_sources", "rule_matches", "rule_handouts", "experiment_assignments"})
"""Tables whose rows keep a pull request or a rule."""


def test_every_table_has_a_retention_and_keeps_to_it(context: Context, none_kept: None):
    fill_all(context.store, without=REFERRING)
    forget(context)
    found = tags(context.store, {**TAGS, NEWEST: "new"})
    for table in METADATA.sorted_tables:
        if table.name in (*APART, *REFERRING):
            continue
        kept = table.info["kept"]
        expected = {"old", "mid", "new"}
        if kept in (Kept.pull, Kept.task, Kept.rule, Kept.history_days):
            expected = {"mid", "new"}
        elif kept is Kept.keep_days:
            expected = {"new"}
        elif table.name == "sessions":
            expected = set()
        assert found[table.name] == expected, table.name
    assert set(SPECIAL) <= set(METADATA.tables)


def test_reports_and_texts_go_before_their_rows(context: Context, none_kept: None):
    fill_all(context.store, without=REFERRING)
    forget(context)
    assert [context.store.runs.report(tag) is not None for tag in ("mid", "new")] == [False, True]
    shown = {tag: context.store.checks.of(REPOSITORY_ID, tag.ljust(40, "0"))[0].title for tag in ("mid", "new")}
    assert shown == {"mid": None, "new": "Passed"}


def test_handled_deliveries_go_first_and_dead_lettered_ones_later(context: Context):
    at = NOW - timedelta(days=HANDLED_DAYS, seconds=1)
    for name in ("done", "parked"):
        context.store.deliveries.receive(name, "push", None, "octo/shop", None, 42, b"{}", at)
        take(context.store, 1, at)
    context.store.deliveries.done("done", at)
    context.store.deliveries.park("parked", "poison", at)
    forget(context)
    assert context.store.deliveries.get("done") is None
    assert context.store.deliveries.get("parked") is not None


def test_the_newest_pull_requests_of_a_repository_stay_whatever_their_age(
    context: Context, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(retention, "MOST_PULLS", 2)
    long_ago = NOW - timedelta(days=900)
    for number in range(1, 7):
        fill(context.store, f"p{number}", number, long_ago, without=REFERRING)
    forget(context)
    assert [one.number for one in context.store.pulls.all_in(REPOSITORY_ID)] == [4, 5, 6]
    row = context.store.repositories.get(REPOSITORY_ID)
    assert row is not None
    assert row.history_since == long_ago


@pytest.mark.parametrize("table", ["rule_sources", "rule_matches", "experiment_assignments"])
def test_what_a_rule_or_an_experiment_refers_to_stays(context: Context, none_kept: None, table: str):
    """A rule's proof, a repeated mistake, and the tasks of an experiment that goes on."""
    fill(context.store, "old", 1, NOW - timedelta(days=900), without=REFERRING - {table})
    with context.store._database.write() as connection:
        connection.execute(update(METADATA.tables["experiments"]).values(ended_at=None))
        connection.execute(update(METADATA.tables["rules"]).values(state="confirmed"))
        connection.execute(update(PullRow).values(task_id="old"))
    forget(context)
    assert [one.number for one in context.store.pulls.all_in(REPOSITORY_ID)] == [1]
    assert len(context.store.events.of(REPOSITORY_ID, 1)) == 1
    assert context.store.repositories.history_since(None, None) is None


def test_an_open_pull_request_stays_until_the_app_is_removed(context: Context, none_kept: None):
    fill(context.store, "old", 1, NOW - timedelta(days=900), without=REFERRING)
    with context.store._database.write() as connection:
        connection.execute(update(PullRow).values(state="open"))
    forget(context)
    assert len(context.store.pulls.all_in(REPOSITORY_ID)) == 1
    context.store.installations.remove(42, "octo", NOW)
    forget(context)
    assert context.store.pulls.all_in(REPOSITORY_ID) == ()


def test_decisions_stay_in_the_log_and_the_database_keeps_them(context: Context, none_kept: None):
    store, long_ago = context.store, NOW - timedelta(days=900)
    fill(store, "old", 1, long_ago, without=REFERRING)
    for kind in EventKind:
        store.events.append(kind, "5#1", long_ago, REPOSITORY_ID, 1)
    forget(context)
    assert {one.kind for one in store.events.of(REPOSITORY_ID, 1)} == set(map(str, DECISIONS))
    with pytest.raises(DBAPIError, match="only added to"), store._database.write() as connection:
        connection.execute(delete(EventRow))


def test_a_rule_that_was_decided_about_leaves_the_decision(context: Context):
    store = context.store
    fill(store, "old", 1, NOW - timedelta(days=900), without=REFERRING)
    with store._database.write() as connection:
        for place, what in enumerate(RuleChange, 100):
            connection.execute(
                insert(RuleAuditRow).values(
                    id=place, key=str(what), repository_id=REPOSITORY_ID, rule_id="old", what=what, at=NOW, data={}
                )
            )
    forget(context)
    assert store.rules.get(REPOSITORY_ID, "old") is None
    left = {one.what for one in store.rules.audit(REPOSITORY_ID, "old")}
    assert left == set(RuleChange) - set(retention.LESSER_CHANGES)
    with pytest.raises(DBAPIError, match="only added to"), store._database.write() as connection:
        connection.execute(delete(RuleAuditRow))


def test_no_figure_of_the_kept_time_changes(context: Context, none_kept: None):
    store = context.store
    fill_all(store, without=REFERRING)
    for number, tag in TAGS.items():
        at = NOW - timedelta(days=AGES[tag])
        with store._database.write() as connection:
            connection.execute(
                update(PullRow).where(PullRow.number == number).values(created_at=at - timedelta(days=9))
            )
    since = [NOW - timedelta(days=days) for days in (30, 90, 365, 390)]
    before = [measures(store, since=one) for one in since]
    forget(context)
    assert [measures(store, since=one) for one in since] == before
    assert [len(one) for one in before] == [1, 1, 2, 2]
    opened = NOW - timedelta(days=AGES["old"] + 9)
    assert store.repositories.history_since([REPOSITORY_ID], None) == opened
    assert store.repositories.history_since([REPOSITORY_ID], opened + timedelta(seconds=1)) is None
    assert store.repositories.history_since([99], None) is None


def test_the_first_delivery_of_a_rule_stays_when_its_reader_is_deleted(context: Context, none_kept: None):
    """The effect of a rule is the difference before and after it."""
    store, long_ago = context.store, NOW - timedelta(days=900)
    for number in (1, 2):
        fill(store, f"p{number}", number, long_ago, without=REFERRING)
        with store._database.write() as connection:
            connection.execute(update(METADATA.tables["rules"]).values(state="confirmed"))
        store.rules.handed_out(REPOSITORY_ID, ["p1"], "mcp", long_ago + timedelta(days=number), number=number)
    store.rules.handed_out(REPOSITORY_ID, ["p1"], "mcp", long_ago + timedelta(days=3))
    store.rules.handed_out(REPOSITORY_ID, ["p1"], "mcp", NOW)
    forget(context)
    assert [one.at for one in store.rules.handouts(REPOSITORY_ID)] == [long_ago + timedelta(days=1), NOW]
    assert [row.number for row in store.pulls.all_in(REPOSITORY_ID)] == []


def test_a_job_that_has_no_time_leaves_the_rest_to_the_next(context: Context, none_kept: None):
    fill_all(context.store, without=REFERRING)
    for turn in range(1, 40):
        name = "2026-11-22" if turn == 1 else f"2026-11-22:{turn}"
        said = purge(context, name, most_s=0)
        if "goes on" not in said:
            break
        assert context.queues.state(purge_job("2026-11-22", turn + 1).id) is not None
    assert turn > 1
    assert [one.number for one in context.store.pulls.all_in(REPOSITORY_ID)] == [2, 3]
    assert sum(delete_old(context, float("inf"))[0].values()) == 0


GROWING = "pulls|runs|checks|task_events|deliveries|tasks|findings|changed_lines|pull_heads"


def test_no_search_reads_a_whole_table_that_grows(small_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Millions of rows are read by an index, on SQLite, which says so whatever the size."""
    made = context_in(tmp_path / "data", GithubOfPulls())
    made.store.close()
    monkeypatch.setattr(retention, "MOST_PULLS", 0)
    scans: list[str] = []

    def explain(connection: Any, _cursor: Any, statement: str, parameters: Any, *_more: Any) -> None:
        if statement.startswith(("SELECT", "DELETE", "UPDATE")):
            plan = connection.connection.cursor().execute(f"EXPLAIN QUERY PLAN {statement}", parameters).fetchall()
            scans.extend(row[-1] for row in plan if re.match(rf"SCAN ({GROWING})\b", row[-1]))

    fill_all(small_store, without=REFERRING)
    small_store.pulls.pause(REPOSITORY_ID, NEWEST, "bo", NOW)
    event.listen(small_store._database.engine, "before_cursor_execute", explain)
    try:
        deleted, _ = delete_old(replace(made, store=small_store, clock=lambda: NOW), float("inf"))
        assert set(deleted) > {"deliveries", "reports", "traces", "pull requests"}
        assert scans == []
    finally:
        event.remove(small_store._database.engine, "before_cursor_execute", explain)
        made.queues.close()


def test_no_transaction_deletes_many_pull_requests(context: Context, none_kept: None, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(retention, "PULLS_AT_ONCE", 2)
    for number in range(1, 6):
        fill(context.store, f"p{number}", number, NOW - timedelta(days=900), without=REFERRING)
    sizes: list[int] = []
    real = retention._delete_pulls

    def counted(connection: object, repository_id: int, numbers: list[int], before: datetime) -> int:
        sizes.append(real(connection, repository_id, numbers, before))  # type: ignore[arg-type]
        return sizes[-1]

    monkeypatch.setattr(retention, "_delete_pulls", counted)
    forget(context)
    assert sizes == [2, 2, 1]
    with context.store._database.read() as connection:
        assert connection.execute(select(PullRow.number)).scalars().all() == [NEWEST]
