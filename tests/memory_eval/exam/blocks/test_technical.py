"""Components of the nine technical domains."""

from __future__ import annotations

from collections import Counter

import pytest

from assay.memory_eval.world.names import words
from tests.memory_eval.exam.blocks.telling import SEEDS, facts_before, facts_of


@pytest.mark.parametrize("seed", SEEDS)
def test_all_nine_domains_have_components(seed: int):
    fields = Counter(told["value"] for told in facts_of("technical", 1000, seed) if told["attribute"] == "field")
    assert set(fields) == set(words("technical_domains"))
    assert len(fields) == 9
    assert max(fields.values()) - min(fields.values()) <= 1


@pytest.mark.parametrize("seed", SEEDS)
def test_versions_go_up_and_are_the_only_thing_that_changes(seed: int):
    last: dict[tuple[str, str], str] = {}
    upgrades = 0
    for told in facts_of("technical", 1000, seed):
        key = (told["entity"], told["attribute"])
        if key in last:
            assert told["attribute"] == "version"
            assert numbers(told["value"]) > numbers(last[key])
            upgrades += 1
        last[key] = told["value"]
    assert upgrades >= 10


@pytest.mark.parametrize("seed", SEEDS)
def test_maintainers_are_people_one_has_heard_of(seed: int):
    people = {told["entity"] for told in facts_before("technical", 1000, seed)}
    assert {told["value"] for told in facts_of("technical", 1000, seed) if told["attribute"] == "maintainer"} <= people


@pytest.mark.parametrize("attribute", ["port", "timeout", "max_connections", "memory_limit"])
def test_numbers_are_spread_out(attribute: str):
    told = [fact["value"] for fact in facts_of("technical", 5000) if fact["attribute"] == attribute]
    assert Counter(told).most_common(1)[0][1] <= max(3, 0.03 * len(told))


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
