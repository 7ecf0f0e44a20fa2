"""The world of a seed: time goes on, names are names once, and what was told is known."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.memory_eval.world.wording import fact
from assay.memory_eval.world.world import SHARES, World, shared_out


@given(num_turns=st.integers(1, 60_000), seed=st.integers())
def test_the_calendar_goes_on_and_takes_about_two_years(num_turns: int, seed: int):
    world = World(seed, num_turns)
    days = [world.day_of(turn) for turn in range(1, num_turns + 1, max(1, num_turns // 50))]
    assert days == sorted(days)
    assert (world.day_of(num_turns) - world.day_of(1)).days <= 760
    assert num_turns < 100 or (world.day_of(num_turns) - world.day_of(1)).days >= 680


@given(total=st.integers(0, 100_000), weights=st.lists(st.integers(1, 100), min_size=1, max_size=12))
def test_shares_sum_up_and_none_is_off_by_one(total: int, weights: list[int]):
    parts = shared_out(total, weights)
    assert sum(parts) == total
    assert all(abs(part - total * weight / sum(weights)) < 1 for part, weight in zip(parts, weights, strict=True))


def test_what_is_left_over_goes_to_the_largest_remainders():
    assert shared_out(7, [50, 30, 20]) == [4, 2, 1]
    assert shared_out(2, [1, 1, 1]) == [1, 1, 0]
    assert sum(SHARES.values()) == 100


def test_blocks_follow_each_other_in_the_dialogue():
    world = World(1, 5000)
    firsts = [1, 251, 751, 1251, 2001, 2501, 2901, 3201, 3501, 4001, 4401, 4751]
    for block, first in zip(SHARES, firsts, strict=True):
        assert world.days_of(block, 2) == [world.day_of(first), world.day_of(first + 1)]


def test_no_name_is_given_twice_whatever_it_names():
    world = World(3, 5000)
    makers = (world.new_person, world.new_company, world.new_place, world.new_project)
    names = [make() for _ in range(3000) for make in makers]
    assert len(set(names)) == len(names)
    assert world.taken.issuperset(names)


def test_a_name_that_cannot_be_had_is_told_apart_by_a_number():
    world = World(3, 100)
    assert [world.unique(lambda: "Oak") for _ in range(3)] == ["Oak", "Oak 2", "Oak 3"]


def test_a_stream_is_its_name_and_another_seed_has_others():
    def numbers(world: World, name: str) -> list[int]:
        draws = world.draws(name)
        return [draws.below(1_000_000) for _ in range(5)]

    assert numbers(World(1, 100), "a") == numbers(World(1, 100), "a")
    assert numbers(World(1, 100), "a") != numbers(World(1, 100), "b")
    assert numbers(World(1, 100), "a") != numbers(World(2, 100), "a")


def test_what_holds_is_what_was_told_for_the_latest_day_or_later_for_the_same_day():
    world = World(1, 100)
    budgets = [(10, "2025-01-01"), (20, "2025-03-01"), (15, "2025-02-01"), (25, "2025-03-01")]
    world.tell(fact("Project Oak", "budget", value, day) for value, day in budgets)
    latest = world.latest("Project Oak", "budget")
    assert latest is not None
    assert latest["value"] == 25
    assert world.latest("Project Oak", "lead") is None
    assert [told["value"] for told in world.told] == [10, 20, 15, 25]
