"""The story of the start-ups: changes on later days, corrections for the same day."""

from __future__ import annotations

import pytest

from assay.memory_eval.truth import Fact, Turn
from tests.memory_eval.exam.blocks.telling import SEEDS, nouns, turns_of


def corrections(num_turns: int, seed: int) -> list[tuple[Turn, Fact, Fact]]:
    """Each turn that takes something back, with what was said and what it says."""
    last: dict[tuple[str, str], Fact] = {}
    found = []
    for turn in turns_of("evolving_story", num_turns, seed):
        for told in turn.facts:
            key = (told["entity"], told["attribute"])
            if key in last and last[key]["valid_from"] == told["valid_from"]:
                found.append((turn, last[key], told))
            last[key] = told
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_corrections_give_another_value_for_the_same_day_and_call_it_one(seed: int):
    found = corrections(1000, seed)
    assert len(found) >= 10
    for turn, wrong, right in found:
        assert wrong["value"] != right["value"]
        assert any(noun in turn.content for noun in nouns(right["attribute"]))
        assert turn.facts == [right]


@pytest.mark.parametrize("seed", range(12))
def test_even_a_hundred_turns_have_changes_and_mostly_corrections(seed: int):
    days: dict[tuple[str, str], set[str]] = {}
    for turn in turns_of("evolving_story", 100, seed):
        for told in turn.facts:
            days.setdefault((told["entity"], told["attribute"]), set()).add(told["valid_from"])
    assert sum(len(on) > 1 for on in days.values()) >= 3
    assert len(corrections(100, seed)) >= 1


@pytest.mark.parametrize("seed", SEEDS)
def test_a_start_up_never_goes_back_to_what_it_had(seed: int):
    told = [fact for turn in turns_of("evolving_story", 5000, seed) for fact in turn.facts]
    values = [(fact["entity"], fact["attribute"], fact["value"]) for fact in told]
    assert len(set(values)) == len(values)


def test_a_launch_lies_ahead_and_numbers_are_of_a_start_up():
    for turn in turns_of("evolving_story", 5000):
        for told in turn.facts:
            if told["attribute"] == "launch_day":
                assert told["value"] > told["valid_from"]
            if told["attribute"] == "headcount":
                assert 5 <= told["value"] <= 20_000


def test_chapters_are_counted_for_each_story():
    chapters = [turn.content for turn in turns_of("evolving_story", 5000) if "hapter 2" in turn.content]
    assert len(chapters) >= 10
