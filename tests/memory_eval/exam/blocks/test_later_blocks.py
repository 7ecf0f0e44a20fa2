"""What holds for every one of the blocks 7 to 12."""

from __future__ import annotations

import re
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.memory_eval.exam.blocks.register import BLOCKS
from assay.memory_eval.exam.dialogue import generate_dialogue
from assay.memory_eval.truth import Turn
from assay.memory_eval.world.attributes import ATTRIBUTES
from assay.memory_eval.world.wording import day_in_words
from assay.memory_eval.world.world import World
from tests.examples import num_examples
from tests.memory_eval.exam.blocks.telling import SEEDS, dialogue, turns_of, wordings

LATER = ("callbacks", "distractors", "security_logs", "incidents", "infrastructure", "problem_solving")


def later_turns(num_turns: int, seed: int) -> list[Turn]:
    return [turn for turn in dialogue(num_turns, seed).turns if turn.block_name in LATER]


@pytest.mark.parametrize("num_turns", [20, 100, 1000])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_entity_and_every_value_is_said_in_its_turn(num_turns: int, seed: int):
    for turn in later_turns(num_turns, seed):
        for fact in turn.facts:
            assert fact["entity"] in turn.content
            for ways in wordings(fact):
                assert any(way in turn.content for way in ways), (fact, turn.content)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_changes_is_told_with_its_day(seed: int):
    for turn in later_turns(1000, seed):
        for fact in turn.facts:
            if ATTRIBUTES[fact["attribute"]].changes:
                assert day_in_words(date.fromisoformat(fact["valid_from"])) in turn.content, turn.content


@pytest.mark.parametrize("num_turns", [20, 100, 1000])
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_told_before_its_day(num_turns: int, seed: int):
    world = World(seed, num_turns)
    for turn in later_turns(num_turns, seed):
        for fact in turn.facts:
            assert fact["valid_from"] <= world.day_of(turn.turn_number).isoformat()


def kinds_told() -> set[str]:
    """What the whole dialogue tells of: late changes are of nothing else."""
    return {ATTRIBUTES[fact["attribute"]].kind for turn in dialogue(1000, 42).turns for fact in turn.facts}


@pytest.mark.parametrize("block", LATER)
def test_the_values_of_a_block_are_its_own(block: str):
    kinds = {
        "callbacks": {"person", "project", "startup", "request", "planted"} & kinds_told(),
        "distractors": {"person", "project", "landmark"},
        "security_logs": {"event"},
        "incidents": {"incident"},
        "infrastructure": {"server", "network"},
        "problem_solving": {"problem"},
    }
    told = {ATTRIBUTES[fact["attribute"]].kind for turn in turns_of(block, 1000) for fact in turn.facts}
    assert told == kinds[block]


@given(num_turns=st.integers(1, 160), seed=st.integers(-(2**70), 2**70))
@settings(max_examples=num_examples(60), deadline=None)
def test_any_small_world_of_any_seed_can_be_told(num_turns: int, seed: int):
    ground_truth = generate_dialogue(num_turns, seed)
    assert len(ground_truth.turns) == num_turns
    for turn in ground_truth.turns:
        assert turn.content.strip()
        if turn.block_name in LATER:
            assert all(fact["entity"] in turn.content for fact in turn.facts)
            assert re.search(r"\{\w*\}", turn.content) is None, "a placeholder that was not filled"


@pytest.mark.parametrize("block", LATER)
def test_even_a_single_turn_can_be_told_in_an_empty_world(block: str):
    member = next(one for one in BLOCKS if one.name == block)
    drafts = member(World(7, 12), 1).drafts()
    assert len(drafts) == 1
    assert drafts[0].content.strip()
    assert member(World(7, 12), 0).drafts() == []
