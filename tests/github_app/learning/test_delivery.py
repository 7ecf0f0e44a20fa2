"""Rules handed back: which, to whom, and what came of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from assay.github_app.learning.handout import delivery
from assay.github_app.learning.handout.checked_rules import check_of, choose, learned_rules, proposals_for
from assay.github_app.learning.handout.delivery import MEMORY, memory_state, rules_for, was_delivered
from assay.github_app.learning.match.repeats import note_repeats
from assay.github_app.store import DeclaredBy, MatchRow, PullRow, Store
from assay.validators import CheckKind, CouldNotRun, Severity
from tests.github_app.learning.rules_at_hand import put_rule
from tests.github_app.remembering import REPOSITORY, after, pull

LOG, TYPES, DOCS, PENDING = "0000000000a1", "0000000000b2", "0000000000c3", "0000000000d4"


def filled(store: Store) -> None:
    """Three rules that hold and one that does not yet."""
    put_rule(store, LOG, "use the log, not `print`", over=["print"])
    put_rule(store, TYPES, "use types, not `any`", over=["any"], language="typescript", number=8, reviewer="cy")
    put_rule(store, DOCS, "write whole sentences", paths=["docs/"], language=None)
    put_rule(store, PENDING, "never sleep", is_confirmed=False)


def repeated(store: Store, rule_id: str, number: int, at: datetime) -> None:
    """A thread that says a rule again."""
    store.pulls.see(pull(number=number), REPOSITORY, after())
    store.rules.match(MatchRow(REPOSITORY.id, f"line:{number}", rule_id, number, "line", number, at, 1))


def made_by(store: Store, task_id: str | None) -> PullRow:
    """The pull request 9, made for a task."""
    store.pulls.see(pull(number=9, created_at=after(hours=2)), REPOSITORY, after(hours=2))
    if task_id:
        store.pulls.declare(REPOSITORY.id, 9, DeclaredBy.trailer, after(hours=2), task_id=task_id)
    row = store.pulls.get(REPOSITORY.id, 9)
    assert row is not None
    return row


def test_rules_are_those_that_hold_for_the_paths(small_store: Store):
    store = small_store
    filled(store)
    for paths, wanted in [
        (["src/a.py"], {LOG}),
        (["src/a.tsx", "b.md"], {TYPES}),
        (["docs/a.md"], {DOCS}),
        (["docs/a.py"], {LOG, DOCS}),
        (["Makefile"], set()),
        ([], {LOG, TYPES, DOCS}),
    ]:
        assert {rule.rule_id for rule in rules_for(store, REPOSITORY.id, paths, how="api", at=after())[0]} == wanted


def test_what_was_broken_most_often_comes_first_with_who_asked(small_store: Store):
    store = small_store
    filled(store)
    repeated(store, TYPES, 20, after(hours=3))
    (first, *_), num_left_out = rules_for(store, REPOSITORY.id, [], how="api", at=after())
    assert (first.rule_id, first.num_repeats, first.provenance) == (TYPES, 1, "#8 by cy")
    assert first.paths[0] == "*.ts"
    assert num_left_out == 0


def test_what_is_left_out_of_an_answer_is_counted_and_the_least_repeated(
    small_store: Store, monkeypatch: pytest.MonkeyPatch
):
    store = small_store
    filled(store)
    repeated(store, TYPES, 20, after(hours=3))
    monkeypatch.setattr(delivery, "MOST_DELIVERED", 2)
    handed, num_left_out = rules_for(store, REPOSITORY.id, [], how="api", at=after())
    assert ([one.rule_id for one in handed], num_left_out) == ([TYPES, LOG], 1)
    assert {one.rule_id for one in store.rules.handouts(REPOSITORY.id)} == {TYPES, LOG}


def test_validation_gets_every_rule_the_most_repeated_and_the_oldest_first(small_store: Store):
    store = small_store
    ids = [f"{number:012x}" for number in range(5, 0, -1)]
    for hours, rule_id in enumerate(ids):
        store.rules.put_pending(REPOSITORY.id, rule_id, "t", {}, after(), key=rule_id, polarity="do")
        store.rules.confirm(REPOSITORY.id, rule_id, after(hours=hours), by="mona", expires_at=after(days=900))
    newest = ids[-1]
    repeated(store, newest, 20, after(hours=3))
    assert [rule.rule_id for rule in learned_rules(store, REPOSITORY.id)] == [newest, *ids[:-1]]


def test_a_handout_is_written_down_and_names_the_tasks_memory(small_store: Store):
    store = small_store
    filled(store)
    rules_for(store, REPOSITORY.id, ["a.py"], task_id="t1", how="mcp", at=after(hours=1))
    rules_for(store, REPOSITORY.id, ["a.py"], task_id="t1", how="mcp", at=after(hours=2))
    (handout,) = store.rules.handouts(REPOSITORY.id, task_id="t1")
    assert (handout.rule_id, handout.how, handout.at) == (LOG, "mcp", after(hours=1))
    task = store.tasks.get(REPOSITORY.id, "t1")
    assert task is not None
    assert task.memory_state == memory_state({LOG: "use the log, not `print`"})
    rules_for(store, REPOSITORY.id, ["docs/b.md"], task_id="t1", how="mcp", at=after(hours=3))
    more = store.tasks.get(REPOSITORY.id, "t1")
    assert more is not None
    assert more.memory_state != task.memory_state


def test_a_memory_that_was_declared_stands(small_store: Store):
    store = small_store
    filled(store)
    store.tasks.put(REPOSITORY.id, "t1", after(), memory_state="snapshot-7")
    rules_for(store, REPOSITORY.id, [], task_id="t1", how="mcp", at=after())
    task = store.tasks.get(REPOSITORY.id, "t1")
    assert task is not None
    assert task.memory_state == "snapshot-7"


def test_a_memory_has_the_name_of_what_is_in_it():
    assert memory_state({"a": "x", "b": "y"}) == memory_state({"b": "y", "a": "x"})
    assert memory_state({"a": "xb"}) != memory_state({"ax": "b"})
    assert memory_state({}).startswith(MEMORY)


def is_after_handout(store: Store, made: PullRow, rule_id: str, at: datetime) -> bool:
    return was_delivered(store.rules.handouts(REPOSITORY.id, rule_id=rule_id), made.number, made, at)


def test_a_rule_that_was_handed_to_the_task_was_known_when_it_was_broken(small_store: Store):
    store = small_store
    filled(store)
    rules_for(store, REPOSITORY.id, ["a.py"], task_id="t1", how="mcp", at=after(hours=1))
    made = made_by(store, "t1")
    assert is_after_handout(store, made, LOG, after(hours=3))
    assert not is_after_handout(store, made, TYPES, after(hours=3))


def test_a_rule_handed_out_after_it_was_broken_or_to_others_was_not_known(small_store: Store):
    store = small_store
    filled(store)
    made = made_by(store, "t1")
    rules_for(store, REPOSITORY.id, ["a.py"], task_id="t2", how="mcp", at=after(hours=1))
    rules_for(store, REPOSITORY.id, ["a.py"], task_id="t1", how="mcp", at=after(hours=5))
    assert not is_after_handout(store, made, LOG, after(hours=4))
    assert is_after_handout(store, made, LOG, after(hours=6))


def test_what_stood_in_the_managed_block_was_handed_to_everybody_after(small_store: Store):
    store = small_store
    filled(store)
    made = made_by(store, None)
    store.rules.handed_out(REPOSITORY.id, [LOG], "agents_md", after(hours=1))
    store.rules.handed_out(REPOSITORY.id, [DOCS], "agents_md", after(hours=4))
    assert is_after_handout(store, made, LOG, after(hours=9))
    assert not is_after_handout(store, made, DOCS, after(hours=9))
    handouts = store.rules.handouts(REPOSITORY.id, rule_id=LOG)
    assert not was_delivered(handouts, made.number, None, after(hours=9))


def test_a_repeat_of_what_stood_in_the_block_makes_the_rule_ineffective(small_store: Store):
    store = small_store
    filled(store)
    store.rules.handed_out(REPOSITORY.id, [LOG], "agents_md", after(hours=1))
    made_by(store, None)
    said = replace(
        store.rules.sources(REPOSITORY.id, LOG)[0], comment_id=99, number=9, thread="line:99", at=after(hours=3)
    )
    store.rules.add_source(said)
    (match,) = note_repeats(store, (REPOSITORY.id, LOG), after(hours=4))
    assert match.is_after_handout
    row = store.rules.get(REPOSITORY.id, LOG)
    assert row is not None
    assert row.is_ineffective


def test_the_validate_is_given_confirmed_rules_with_their_checks(small_store: Store):
    store = small_store
    filled(store)
    by_id = {rule.rule_id: rule for rule in learned_rules(store, REPOSITORY.id)}
    assert set(by_id) == {LOG, TYPES, DOCS}
    log = by_id[LOG]
    assert log.check is not None
    assert (log.check.kind, log.provenance, log.paths) == (CheckKind.ruff, "#7 by bo", ("*.py", "*.pyi", "*.pyw"))
    assert by_id[TYPES].check is None  # what was commented on is Python
    assert by_id[TYPES].why_no_check
    assert by_id[DOCS].paths == ("docs/",)


def test_a_check_is_made_once_and_again_when_more_was_commented_on(small_store: Store):
    store = small_store
    put_rule(store, LOG, "use the log, not `print`", over=["print"])
    row = store.rules.get(REPOSITORY.id, LOG)
    assert row is not None
    made = check_of(store, row)
    kept = store.rules.get(REPOSITORY.id, LOG)
    assert kept is not None
    assert kept.check == made
    assert check_of(store, kept) is kept.check
    put_rule(store, "0000000000e5", "another", number=8)
    source = store.rules.sources(REPOSITORY.id, "0000000000e5")[0]
    store.rules.drop_source(REPOSITORY.id, "line", source.comment_id, after())
    store.rules.add_source(replace(source, rule_id=LOG))
    assert check_of(store, kept)["made_of"] != made["made_of"]


def test_what_could_not_be_tried_is_tried_again(small_store: Store, monkeypatch: pytest.MonkeyPatch):
    store = small_store
    put_rule(store, LOG, "never call `helper.run()`", hunk="@@ -1 +1,2 @@\n+helper.run(1)")
    row = store.rules.get(REPOSITORY.id, LOG)
    assert row is not None

    def missing(*_: object) -> None:
        raise CouldNotRun("ast-grep: not found")

    with monkeypatch.context() as broken:
        broken.setattr("assay.github_app.learning.handout.checked_rules.propose", missing)
        assert "could not be tried: ast-grep: not found" in check_of(store, row)["why"]
    again = store.rules.get(REPOSITORY.id, LOG)
    assert again is not None
    assert again.check is None
    assert check_of(store, again)["check"] is not None


def test_a_chosen_check_stays_as_chosen(small_store: Store):
    store = small_store
    put_rule(store, LOG, "use the log, not `print`", over=["print"])
    row = store.rules.get(REPOSITORY.id, LOG)
    assert row is not None
    offered = proposals_for(store, row)
    choose(store, row, offered[-1])
    assert [(rule.check, rule.is_advice) for rule in learned_rules(store, REPOSITORY.id)] == [(None, True)]
    choose(store, row, offered[0], Severity.error)
    put_rule(store, "0000000000e5", "another", number=8)
    (rule,) = (one for one in learned_rules(store, REPOSITORY.id) if one.rule_id == LOG)
    assert (rule.check, rule.severity) == (offered[0].check, Severity.error)
