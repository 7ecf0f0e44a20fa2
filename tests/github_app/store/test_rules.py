"""Rules, who said them, what came back, who was told, and a history nobody can rewrite."""

from __future__ import annotations

import dataclasses
from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from assay.github_app.store import QUORUM, MatchRow, RuleChange, RuleState, SourceRow, Store
from tests.github_app.remembering import after

ID, RULE = 5, "a" * 12
SOURCE = SourceRow(ID, "line", 7, RULE, 10, "line:7", "mary", 12, "write", counts=True, score=None, at=after())
MATCH = MatchRow(ID, "line:9", RULE, 11, "line", 9, after(hours=1), 1)


def put(store: Store, rule_id: str = RULE, **more: object) -> bool:
    return store.rules.put_pending(
        ID,
        rule_id,
        "Rule: hidden words",
        {"objects": ["x"]},
        after(),
        key="k",
        polarity="do",
        expires_at=after(days=30),
        **more,  # type: ignore[arg-type]
    )


def test_a_rule_is_put_once_and_comes_back_as_it_went_in(store: Store):
    assert put(store, language="python", paths=["src/**"])
    assert not put(store)
    row = store.rules.get(ID, RULE)
    assert row is not None
    assert (row.text, row.canonical, row.language, row.scope_paths) == (
        "Rule: hidden words",
        {"objects": ["x"]},
        "python",
        ("src/**",),
    )
    assert (row.state, row.is_ineffective, row.created_at, row.confirmed_by) == (
        RuleState.pending,
        False,
        after(),
        None,
    )
    assert store.rules.of(ID, [RuleState.confirmed]) == ()
    assert store.rules.of(ID + 1) == ()


def test_a_quorum_confirms_only_what_waits_and_a_person_anything(store: Store):
    put(store)
    rules, until = store.rules, after(days=365)
    assert rules.reject(ID, RULE, after(), by="olivia", why="no")
    assert not rules.confirm(ID, RULE, after(), by=QUORUM, expires_at=until)
    assert rules.confirm(ID, RULE, after(), by="olivia", expires_at=until)
    assert not rules.confirm(ID, RULE, after(), by="olivia", expires_at=until)
    assert not rules.confirm(ID, "0" * 12, after(), by="olivia", expires_at=until)
    row = rules.get(ID, RULE)
    assert row is not None
    assert (row.state, row.why, row.expires_at) == (RuleState.confirmed, None, until)


def test_what_is_rejected_does_not_expire_and_what_was_purged_turns_no_more(store: Store):
    put(store)
    rules = store.rules
    assert rules.reject(ID, RULE, after(), by="olivia")
    assert rules.expire_due(after(days=400)) == ()
    assert rules.purge(ID, RULE, after(), by="olivia")
    assert not rules.purge(ID, RULE, after(), by="olivia")
    assert not rules.reject(ID, RULE, after(), by="olivia")


def test_a_comment_is_the_source_of_one_rule_at_a_time(store: Store):
    put(store)
    put(store, "b" * 12)
    assert store.rules.add_source(SOURCE)
    assert not store.rules.add_source(SOURCE)
    assert store.rules.add_source(dataclasses.replace(SOURCE, rule_id="b" * 12))
    assert store.rules.sources(ID, RULE) == ()
    (source,) = store.rules.sources(ID, "b" * 12)
    assert store.rules.source_of(ID, "line", 7) == source
    assert store.rules.drop_source(ID, "line", 7, after(days=1)) == source
    assert store.rules.drop_source(ID, "line", 7, after(days=1)) is None


def test_a_thread_repeats_a_rule_once_and_may_stop_and_begin_again(store: Store):
    put(store)
    rules = store.rules
    assert rules.match(MATCH)
    assert not rules.match(MATCH)
    rules.replied(ID, "line:9", RULE, 99)
    assert rules.withdraw_match(ID, "line:9", RULE, after(days=1))
    assert rules.matches(ID) == ()
    assert [one.withdrawn_at for one in rules.matches(ID, with_withdrawn=True)] == [after(days=1)]
    assert not rules.match(MATCH)
    (again,) = rules.matches(ID)
    assert (again.reply_id, again.withdrawn_at) == (99, None)
    assert rules.matches(ID, since=MATCH.at, until=MATCH.at + timedelta(seconds=1)) == (again,)
    assert rules.matches(ID, until=MATCH.at) == ()
    assert rules.matches(ID, number=12) == ()


def test_handouts_are_told_apart_by_reader_and_way_and_the_first_time_stands(store: Store):
    put(store)
    put(store, "b" * 12)
    rules = store.rules
    for hour in (1, 2):
        rules.handed_out(ID, [RULE, "b" * 12, RULE], "mcp", after(hours=hour), task_id="T-1")
    rules.handed_out(ID, [RULE], "api", after(hours=3), number=7)
    rules.handed_out(ID, [RULE], "api", after(hours=4))
    assert [(one.rule_id, one.reader, one.how) for one in rules.handouts(ID)] == [
        (RULE, "task:T-1", "mcp"),
        ("b" * 12, "task:T-1", "mcp"),
        (RULE, "pull:7", "api"),
        (RULE, "day:2026-03-01", "api"),
    ]
    assert {one.at for one in rules.handouts(ID, task_id="T-1")} == {after(hours=1)}
    assert [one.reader for one in rules.handouts(ID, number=7)] == ["pull:7"]


def test_a_joined_rule_gives_its_comments_and_wordings_away_and_goes_with_the_other(store: Store):
    first, second, third = RULE, "b" * 12, "c" * 12
    for rule_id in (first, second, third):
        put(store, rule_id)
    rules = store.rules
    rules.add_source(SOURCE)
    assert rules.join(ID, first, second, after(), by="olivia", why="same", key="k")
    assert not rules.join(ID, first, second, after(), by="olivia", key="k")
    assert rules.join(ID, second, third, after(days=1), by="olivia")
    assert [(one.state, one.joined_into, one.expires_at) for one in rules.joined_into(ID, third)] == [
        (RuleState.joined, third, None)
    ] * 2
    assert rules.joined_into(ID, second) == rules.joined_into(ID + 1, third) == ()
    assert [one.rule_id for one in rules.sources(ID, third)] == [third]
    assert [rules.standing(ID, one).rule_id for one in (first, second, third)] == [third] * 3  # type: ignore[union-attr]
    assert rules.standing(ID, "0" * 12) is None
    told = [(one.rule_id, dict(one.data)) for one in rules.audit(ID) if one.what is RuleChange.joined]
    assert told == [
        (first, {"into": second, "why": "same"}),
        (second, {"rule_id": first, "num_sources": 1, "why": "same"}),
        (second, {"into": third}),
        (first, {"into": third}),
        (third, {"rule_id": second, "num_sources": 1}),
    ]
    assert rules.expire_due(after(days=400)) == ((ID, third),)
    assert rules.purge(ID, third, after(days=2), by="olivia")
    assert rules.of(ID) == ()
    assert rules.is_forgotten(ID, "line:7")
    assert [rules.audit(ID, one)[-1].what for one in (first, second, third)] == [RuleChange.purged] * 3


def test_rules_are_joined_only_from_and_into_states_that_allow_it(store: Store):
    rules = store.rules
    for letter in "abcdef":
        put(store, letter * 12, is_quarantined=letter == "c")
    rules.reject(ID, "b" * 12, after(), by="olivia")
    rules.join(ID, "d" * 12, "e" * 12, after(), by="olivia")
    for rule_id, into in (
        ("a", "a"),
        ("a", "b"),
        ("a", "c"),
        ("a", "d"),
        ("c", "a"),
        ("d", "a"),
        ("a", "0"),
        ("0", "a"),
    ):
        assert not rules.join(ID, rule_id * 12, into * 12, after(), by="olivia"), (rule_id, into)
    assert rules.join(ID, "b" * 12, "a" * 12, after(), by="olivia")
    for rule_id, turn in (("b" * 12, rules.reject), ("d" * 12, rules.reject)):
        assert turn(ID, rule_id, after(), by="olivia")
        assert rules.get(ID, rule_id).joined_into is None  # type: ignore[union-attr]
    assert rules.join(ID, "b" * 12, "a" * 12, after(), by="olivia")
    assert not rules.confirm(ID, "b" * 12, after(), by=QUORUM, expires_at=after(days=1))
    assert rules.confirm(ID, "b" * 12, after(), by="olivia", expires_at=after(days=1))
    assert rules.get(ID, "b" * 12).joined_into is None  # type: ignore[union-attr]


def test_a_purge_leaves_a_line_for_each_comment_and_no_word(store: Store):
    put(store)
    store.rules.add_source(SOURCE)
    store.rules.match(MATCH)
    store.rules.replied(ID, "line:9", RULE, 99)
    store.rules.handed_out(ID, [RULE], "mcp", after(), number=7)
    assert store.rules.purge(ID, RULE, after(days=2), by="olivia", why="private")
    assert (store.rules.matches(ID), store.rules.sources(ID, RULE), store.rules.handouts(ID)) == ((), (), ())
    assert store.rules.is_forgotten(ID, "line:7")
    assert not store.rules.is_forgotten(ID, "line:8")
    (line,) = store.rules.purged_with_replies()
    assert (line.what, line.by, line.data) == (
        RuleChange.purged,
        "olivia",
        {"why": "private", "replies": [[11, "line:9"]]},
    )
    with store._database.read() as connection:
        for table in ("rules", "rule_sources", "rule_matches", "rule_handouts", "rule_audit"):
            rows = connection.execute(text(f"SELECT * FROM {table}")).all()
            assert "hidden words" not in repr(rows)


@pytest.mark.parametrize("statement", ["UPDATE rule_audit SET what = 'x'", "DELETE FROM rule_audit"])
def test_the_history_refuses_to_be_rewritten(store: Store, statement: str):
    put(store)
    with pytest.raises(DBAPIError, match="only added to"), store._database.write() as connection:
        connection.execute(text(statement))
    assert [one.what for one in store.rules.audit(ID, RULE)] == [RuleChange.learned]


def test_texts_of_strangers_are_kept_on_every_database(store: Store):
    store.rules.put_pending(
        ID, "c" * 12, "Rule: \x00 \udc80 ", {"said": "\x00\udc80"}, after(), key="\x00", polarity="do", why="\x00"
    )
    row = store.rules.get(ID, "c" * 12)
    assert row is not None
    assert row.canonical == {"said": "\x00\udc80"}
