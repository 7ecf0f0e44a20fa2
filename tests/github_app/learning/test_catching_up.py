"""Comments of the past teach rules in the order they were written."""

from __future__ import annotations

from assay.github.client import Permission
from assay.github_app.learning.rules.learned import learn_past
from assay.github_app.store import RuleState
from tests.github_app.learning.village import EARLY, ID, NO_ANY, NO_ANY_AGAIN, READER, Village
from tests.github_app.remembering import after

WRITERS = {"mary", "bo", "cy"}


def may(login: str) -> Permission:
    return Permission.write if login in WRITERS else Permission.read


def test_a_past_is_learned_from_once_as_if_it_had_been_heard_in_time(village: Village):
    village.comment("bo", 15, NO_ANY_AGAIN, after(days=2))
    village.comment("mary", 10, NO_ANY, after(days=1))
    village.comment("rick", 11, EARLY, after(days=1))
    village.comment("ada", 10, EARLY, after(days=1))
    assert learn_past(village.store, ID, may, READER, settings=village.settings) == 2
    rule = village.rule()
    assert (rule.state, rule.created_at, rule.confirmed_at) == (RuleState.confirmed, after(days=1), after(days=2))
    assert village.repeats() == [15]
    assert learn_past(village.store, ID, may, READER, settings=village.settings) == 0


def test_votes_that_lie_too_far_apart_are_no_quorum(village: Village):
    village.comment("mary", 10, NO_ANY, after(days=1))
    village.comment("bo", 15, NO_ANY_AGAIN, after(days=60))
    learn_past(village.store, ID, may, READER, settings=village.settings)
    assert village.rule().state is RuleState.pending
    assert village.repeats() == [15]


def test_each_person_is_asked_for_once_and_who_cannot_count_not_at_all(village: Village):
    asked: list[str] = []

    def ask(login: str) -> Permission:
        asked.append(login)
        return may(login)

    for number in (10, 11, 12):
        village.comment("mary", number, NO_ANY, after(days=number))
        village.comment("ada", number, NO_ANY, after(days=number))
        village.comment("helper[bot]", number, NO_ANY, after(days=number))
    learn_past(village.store, ID, ask, READER, settings=village.settings)
    assert asked == ["mary"]
