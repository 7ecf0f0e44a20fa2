from __future__ import annotations

from collections import defaultdict

import pytest

from assay.memory_eval.truth import Fact
from assay.memory_eval.world.attributes import ATTRIBUTES
from tests.memory_eval.exam.blocks.telling import SEEDS, facts_before, facts_of, planted, turns_of


def of(attribute: str, num_turns: int, seed: int) -> list[Fact]:
    return [fact for fact in facts_of("callbacks", num_turns, seed) if fact["attribute"] == attribute]


def late_changes(num_turns: int, seed: int) -> list[Fact]:
    return [fact for fact in facts_of("callbacks", num_turns, seed) if ATTRIBUTES[fact["attribute"]].changes]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("num_turns", [100, 1000])
def test_a_planted_value_contradicts_what_was_told_and_was_never_true(num_turns: int, seed: int):
    told: dict[tuple[str, str], list[str]] = defaultdict(list)
    for fact in facts_before("callbacks", num_turns, seed):
        told[fact["entity"], fact["attribute"]].append(str(fact["value"]))
    for turn in turns_of("callbacks", num_turns, seed):
        for fact in turn.facts:
            told[fact["entity"], fact["attribute"]].append(str(fact["value"]))
    plants = of("planted_value", num_turns, seed)
    assert plants
    for fact in plants:
        attribute, value = planted(fact)
        assert told[fact["entity"], attribute]
        assert value not in told[fact["entity"], attribute]
        assert fact["source"]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("num_turns", [100, 1000])
def test_a_late_change_is_of_something_told_and_holds_from_a_later_day(num_turns: int, seed: int):
    told: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in facts_before("callbacks", num_turns, seed):
        told[fact["entity"], fact["attribute"]].append(fact)
    changes = late_changes(num_turns, seed)
    assert changes
    for fact in changes:
        before = told[fact["entity"], fact["attribute"]]
        assert fact["valid_from"] > max(one["valid_from"] for one in before)
        assert fact["value"] not in [one["value"] for one in before]
    assert num_turns < 1000 or {ATTRIBUTES[fact["attribute"]].kind for fact in changes} >= {"person", "project"}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("num_turns", [100, 1000])
def test_of_whom_one_thing_is_to_be_forgotten_three_others_are_known(num_turns: int, seed: int):
    known: dict[str, set[str]] = defaultdict(set)
    for fact in facts_before("callbacks", num_turns, seed):
        known[fact["entity"]].add(fact["attribute"])
    for fact in of("forget_request", num_turns, seed):
        assert fact["value"] in known[fact["entity"]]
        assert len(known[fact["entity"]] - {fact["value"]}) >= 3


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_to_be_forgotten_is_not_told_again_in_this_block(seed: int):
    said: dict[tuple[str, str], str] = {}
    for fact in facts_before("callbacks", 1000, seed):
        said[fact["entity"], fact["attribute"]] = str(fact["value"])
    forgotten: list[tuple[str, str]] = []
    for turn in turns_of("callbacks", 1000, seed):
        again = [(who, value) for who, value in forgotten if who in turn.content and value in turn.content]
        assert again == []
        for fact in turn.facts:
            if fact["attribute"] == "forget_request":
                forgotten += [(fact["entity"], said[fact["entity"], fact["value"]])]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_to_be_told_as_well_was_told(seed: int):
    known = {(fact["entity"], fact["attribute"]) for fact in facts_before("callbacks", 1000, seed)}
    for fact in of("standing_also", 1000, seed):
        first, other = fact["value"].split(">")
        assert first != other
        assert {(fact["entity"], first), (fact["entity"], other)} <= known
