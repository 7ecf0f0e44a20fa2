"""How often reviewers had to ask for a rule before it reached agents, and after."""

from __future__ import annotations

from sqlalchemy import update

from assay.github_app.learning.rules.effect import effect_of
from assay.github_app.learning.rules.listing import show_rule
from assay.github_app.store import PROPOSAL_BRANCH, Store
from assay.github_app.store.app.installations import RepositoryRow
from assay.statistics import interval_of_rate_difference
from tests.github_app.learning.village import ID, NO_ANY, NO_ANY_AGAIN, Village
from tests.github_app.remembering import after


def opened(village: Village, *numbers: int) -> None:
    for number in numbers:
        village.open(number, created_at=after(days=number))


def test_pull_requests_before_and_after_a_delivery_are_counted_apart(small_store: Store):
    village = Village(small_store)
    opened(village, *range(1, 31))
    village.says("mary", 2, NO_ANY, after(days=2, hours=1))
    for number in (5, 7, 9, 25):
        village.says("bo", number, NO_ANY_AGAIN, after(days=number, hours=1))
    small_store.rules.handed_out(ID, [village.rule().rule_id], "mcp", after(days=10, hours=1))
    effect = effect_of(small_store, village.rule())
    assert effect is not None
    assert (effect.asked_before, effect.pulls_before) == (3, 8), "from #3 to #10: neither #1 nor its own #2"
    assert (effect.asked_after, effect.pulls_after) == (1, 20)
    assert effect.since == after(days=10, hours=1)
    assert effect.difference == interval_of_rate_difference(3, 8, 1, 20)
    shown = show_rule(small_store, ID, village.rule().rule_id)
    assert shown is not None
    assert shown["effect"]["asked_before"] == 3


def test_assays_own_proposals_are_not_counted(small_store: Store):
    village = Village(small_store)
    opened(village, 1, 2, 5)
    for number, changes in ((3, {}), (6, {}), (7, {"head_repository": None})):
        village.open(number, by="assay[bot]", created_at=after(days=number), head_ref=PROPOSAL_BRANCH, **changes)
    village.says("mary", 1, NO_ANY, after(days=1, hours=1))
    small_store.rules.handed_out(ID, [village.rule().rule_id], "agents_md", after(days=4))
    effect = effect_of(small_store, village.rule())
    assert effect is not None
    assert (effect.pulls_before, effect.pulls_after) == (1, 2), "#2; #5, and #7 of a fork"


def test_a_rule_that_reached_nobody_has_no_effect(small_store: Store):
    village = Village(small_store)
    opened(village, 1, 2)
    village.says("mary", 1, NO_ANY, after(days=1, hours=1))
    assert effect_of(small_store, village.rule()) is None


def test_without_pull_requests_on_one_side_there_is_no_difference(small_store: Store):
    village = Village(small_store)
    opened(village, 1, 2)
    village.says("mary", 1, NO_ANY, after(days=1, hours=1))
    small_store.rules.handed_out(ID, [village.rule().rule_id], "mcp", after(days=1, hours=2))
    effect = effect_of(small_store, village.rule())
    assert effect is not None
    assert (effect.pulls_before, effect.pulls_after, effect.difference) == (0, 1, None)


def test_only_the_time_of_which_all_pull_requests_are_stored_counts(small_store: Store):
    """What was deleted had no such comment, so counting what is left of that time would make the rule look broken."""
    village = Village(small_store)
    opened(village, *range(1, 31))
    village.says("mary", 2, NO_ANY, after(days=2, hours=1))
    for number in (5, 9, 25):
        village.says("bo", number, NO_ANY_AGAIN, after(days=number, hours=1))
    small_store.rules.handed_out(ID, [village.rule().rule_id], "mcp", after(days=20, hours=1))
    with small_store._database.write() as connection:
        connection.execute(update(RepositoryRow).values(history_since=after(days=8)))
    effect = effect_of(small_store, village.rule())
    assert effect is not None
    assert (effect.asked_before, effect.pulls_before) == (1, 12), "from #9 to #20"
    assert (effect.asked_after, effect.pulls_after) == (1, 10)
