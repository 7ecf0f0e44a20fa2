from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.memory_eval.exam.blocks.material.supplies import OtherValues
from assay.memory_eval.world.wording import fact
from assay.memory_eval.world.world import World
from tests.examples import num_examples

TODAY = date(2027, 3, 9)
seeds = st.integers(0, 2**40)


def another(seed: int, attribute: str, value: Any, besides: tuple[Any, ...] = (), *, strangers: bool = False) -> Any:
    world = World(seed, 100)
    world.people += ["Ada Brook", "Ben Cole", "Cleo Dahl"]
    others = OtherValues(world, world.draws("test"), strangers=strangers)
    return others.than(fact("X", attribute, value, TODAY), TODAY, besides)


@given(seed=seeds, thousands=st.integers(1, 99_000))
@settings(max_examples=num_examples(60), deadline=None)
def test_a_sum_of_money_stays_as_round_and_of_its_size(seed: int, thousands: int):
    value = another(seed, "budget", thousands * 1000)
    assert value != thousands * 1000
    assert value is None or (value % 1000 == 0 and 0 < value < thousands * 2000 + 1000)


@given(seed=seeds, hundredths=st.integers(5001, 9999))
@settings(max_examples=num_examples(60), deadline=None)
def test_a_share_above_a_half_never_passes_a_hundred(seed: int, hundredths: int):
    value = another(seed, "server_uptime", hundredths / 100)
    assert 50 <= value < 100.01
    assert value != hundredths / 100


@given(seed=seeds, port=st.integers(1024, 65_535))
@settings(max_examples=num_examples(60), deadline=None)
def test_a_port_stays_a_port(seed: int, port: int):
    assert 1 <= another(seed, "port", port) <= 65_535


@given(seed=seeds)
@settings(max_examples=num_examples(40), deadline=None)
def test_what_is_put_off_is_still_to_come(seed: int):
    assert another(seed, "deadline", "2026-01-31") > TODAY.isoformat()


@given(seed=seeds)
@settings(max_examples=num_examples(40), deadline=None)
def test_a_person_is_a_known_one_or_a_stranger_as_wanted(seed: int):
    assert another(seed, "lead", "Ada Brook", ("Ben Cole",)) == "Cleo Dahl"
    assert another(seed, "lead", "Ada Brook", strangers=True) not in ("Ada Brook", "Ben Cole", "Cleo Dahl", None)


def test_where_nothing_else_is_left_there_is_none():
    assert another(1, "lead", "Ada Brook", ("Ben Cole", "Cleo Dahl")) is None


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("allergy", "peanuts"),
        ("team", "Search"),
        ("product", "wine cellar manager"),
        ("customer", "A"),
        ("version", "4.7.2"),
    ],
)
def test_words_are_of_the_same_list_and_never_the_same(attribute: str, value: str):
    values = {another(seed, attribute, value) for seed in range(20)}
    assert value not in values
    assert None not in values
    assert len(values) >= 8
