"""Profiles of people."""

from __future__ import annotations

import pytest

from assay.memory_eval.world.attributes import attributes_of
from assay.memory_eval.world.names import words
from tests.memory_eval.exam.blocks.telling import SEEDS, facts_of, turns_of


def parts(num_turns: int, seed: int) -> dict[str, list[tuple[int, str]]]:
    """For each person in which turn what was told."""
    found: dict[str, list[tuple[int, str]]] = {}
    for turn in turns_of("people", num_turns, seed):
        for told in turn.facts:
            found.setdefault(told["entity"], []).append((turn.turn_number, told["attribute"]))
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_a_profile_is_whole_and_told_in_several_turns(seed: int):
    everything = {attribute.name for attribute in attributes_of("person")} - {"mentor"}
    people = parts(1000, seed)
    whole = [told for told in people.values() if {attribute for _, attribute in told} == everything]
    assert len(whole) >= len(people) - 5
    assert all(len({turn for turn, _ in told}) >= 4 for told in whole)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_hundred_turns_know_three_people(seed: int):
    people = parts(100, seed)
    assert len(people) == 3
    assert all(len(told) >= 6 for told in people.values())


@pytest.mark.parametrize("seed", SEEDS)
def test_roles_and_teams_change_and_nothing_else(seed: int):
    seen: dict[tuple[str, str], str] = {}
    changed = []
    for told in facts_of("people", 1000, seed):
        key = (told["entity"], told["attribute"])
        if key in seen:
            assert seen[key] != told["value"]
            changed.append(told["attribute"])
        seen[key] = told["value"]
    assert set(changed) == {"role", "team"}


def test_values_come_from_their_lists():
    lists = {"allergy": "allergies", "hobby": "hobbies", "pet": "animals", "hometown": "towns", "degree": "degrees"}
    for told in facts_of("people", 5000):
        if told["attribute"] in lists:
            assert told["value"] in words(lists[told["attribute"]])
        if told["attribute"] in ("birthday", "joined_on"):
            assert told["value"] < told["valid_from"]
