"""A dialogue is what it promises: its size, its shares, its facts, and what they add up to."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.memory_eval import ExamUsageError, generate_dialogue
from assay.memory_eval.exam.blocks.register import BLOCKS
from assay.memory_eval.exam.dialogue import MOST_TURNS, truth_of
from assay.memory_eval.truth import Fact, GroundTruth, Turn
from assay.memory_eval.world.attributes import ATTRIBUTES, stands_beside
from assay.memory_eval.world.wording import fact
from assay.memory_eval.world.world import SHARES, WORLD_VERSION, World
from tests.examples import num_examples
from tests.memory_eval.exam.blocks.telling import SEEDS, dialogue, wordings

GOLDEN = {
    ("4", 1000, 42): "78a9a6f7cc3ea7c3343d469f6ea397c8ccf3ddd92f0893354e447d624e698346",
    ("4", 5000, 20_260): "22985b48c4be42c75cdf07ce6d43c1c8d10b8f553a8c1ff637d8b8bc7a45ecab",
}
"""The checksum over all turns, by version of the world, number of turns and seed."""

SPECIAL = {"request", "planted"}
"""Kinds that say what to do with others' facts; they stand under the name of whom they concern."""


def facts(ground_truth: GroundTruth) -> list[Fact]:
    return [fact for turn in ground_truth.turns for fact in turn.facts]


# ------------------------------------------------------------------ turns


@pytest.mark.parametrize(
    ("num_turns", "per_block"),
    [
        (100, [5, 10, 10, 15, 10, 8, 6, 6, 10, 8, 7, 5]),
        (1000, [50, 100, 100, 150, 100, 80, 60, 60, 100, 80, 70, 50]),
        (5000, [250, 500, 500, 750, 500, 400, 300, 300, 500, 400, 350, 250]),
        (20, [1, 2, 2, 3, 2, 2, 1, 1, 2, 2, 1, 1]),
        (1, [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
    ],
)
def test_every_block_has_its_share_of_the_turns(num_turns: int, per_block: list[int]):
    turns = dialogue(num_turns, 42).turns
    assert [sum(turn.block == number for turn in turns) for number in range(1, 13)] == per_block
    assert [turn.turn_number for turn in turns] == list(range(1, num_turns + 1))
    assert [turn.block for turn in turns] == sorted(turn.block for turn in turns)


def test_the_blocks_are_registered_in_their_order_with_their_shares():
    assert [block.name for block in BLOCKS] == list(SHARES)
    assert {(turn.block, turn.block_name) for turn in dialogue(1000, 42).turns} == set(enumerate(SHARES, start=1))


@pytest.mark.parametrize("num_turns", [0, -1, -5000, MOST_TURNS + 1])
def test_a_dialogue_without_a_sensible_length_is_refused_in_one_line(num_turns: int):
    with pytest.raises(ExamUsageError, match=r"memory\.invalid-turns"):
        generate_dialogue(num_turns, 42)


# ------------------------------------------------------------------ seeds


def digest(ground_truth: GroundTruth) -> str:
    """One checksum over the bytes of all turns."""
    sha = hashlib.sha256()
    for turn in ground_truth.turns:
        sha.update(json.dumps(asdict(turn), ensure_ascii=False, sort_keys=True).encode() + b"\n")
    return sha.hexdigest()


@pytest.mark.parametrize(("num_turns", "seed"), [(1000, 42), (5000, 20_260)])
def test_the_bytes_of_a_world_are_those_of_its_version(num_turns: int, seed: int):
    """Where this fails, the world tells something else than it did: raise `WORLD_VERSION`, then note the new sums."""
    assert digest(dialogue(num_turns, seed)) == GOLDEN[WORLD_VERSION, num_turns, seed]


@given(num_turns=st.integers(1, 250), seed=st.integers(-(2**70), 2**70))
@settings(max_examples=num_examples(30), deadline=None)
def test_any_world_of_any_seed_keeps_the_promises(num_turns: int, seed: int):
    ground_truth = generate_dialogue(num_turns, seed)
    assert len(ground_truth.turns) == num_turns
    assert ground_truth == generate_dialogue(num_turns, seed)
    assert_facts_are_whole_and_said(ground_truth)
    assert_days_go_on(ground_truth, seed)


# ------------------------------------------------------------------ facts


def assert_facts_are_whole_and_said(ground_truth: GroundTruth) -> None:
    for turn in ground_truth.turns:
        assert turn.content == turn.content.strip() != ""
        for told in turn.facts:
            assert list(told) == ["entity", "attribute", "value", "source", "valid_from"]
            assert told["attribute"] in ATTRIBUTES
            assert told["entity"] in turn.content
            assert told["source"] is None or told["source"] in turn.content
            for ways in wordings(told):
                assert any(way in turn.content for way in ways), (told, turn.content)


def assert_days_go_on(ground_truth: GroundTruth, seed: int) -> None:
    """Turns go on in time, nothing is told before its day, and a thing's tellings go on in time too."""
    world = World(seed, len(ground_truth.turns))
    last: dict[tuple[str, str], str] = {}
    for turn in ground_truth.turns:
        today = world.day_of(turn.turn_number).isoformat()
        for told in turn.facts:
            assert date.fromisoformat(told["valid_from"]).isoformat() == told["valid_from"] <= today
            key = (told["entity"], told["attribute"])
            assert last.get(key, "") <= told["valid_from"]
            last[key] = told["valid_from"]


@pytest.mark.parametrize("num_turns", [20, 100, 1000, 5000])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_fact_is_whole_and_said_in_its_turn(num_turns: int, seed: int):
    assert_facts_are_whole_and_said(dialogue(num_turns, seed))
    assert_days_go_on(dialogue(num_turns, seed), seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_name_names_one_thing(seed: int):
    kinds: dict[str, set[str]] = {}
    for told in facts(dialogue(5000, seed)):
        kinds.setdefault(told["entity"], set()).add(ATTRIBUTES[told["attribute"]].kind)
    assert [name for name, several in kinds.items() if len(several - SPECIAL) > 1] == []


def test_what_does_not_change_is_told_once_and_what_was_told_anew_on_the_same_day_is_a_correction():
    seen: dict[tuple[str, str], list[str]] = {}
    corrected = 0
    for turn in dialogue(5000, 42).turns:
        for told in turn.facts:
            attribute = ATTRIBUTES[told["attribute"]]
            if stands_beside(attribute.name) or attribute.kind in SPECIAL:
                continue
            days = seen.setdefault((told["entity"], told["attribute"]), [])
            assert attribute.changes or not days, told
            if told["valid_from"] in days:
                assert turn.block_name == "evolving_story"
                corrected += 1
            days.append(told["valid_from"])
    assert corrected >= 50


# ------------------------------------------------------------------ what the facts add up to


def told(number: int, *facts_told: Fact) -> Turn:
    return Turn(number, "…", 1, "people", list(facts_told))


def test_changes_and_corrections_end_up_in_what_holds_and_what_held():
    first = fact("Project Oak", "budget", 1_000, "2025-01-01")
    second = fact("Project Oak", "budget", 2_000, "2025-02-01")
    corrected = fact("Project Oak", "budget", 2_500, "2025-02-01")
    third = fact("Project Oak", "budget", 3_000, "2025-03-01")
    truth = truth_of([told(1, first), told(4, second), told(6, corrected), told(9, third)])
    assert truth.facts_by_entity == {"Project Oak": [first, second, corrected, third]}
    assert truth.current_values == {"Project Oak.budget": 3_000}
    assert truth.superseded_values == {
        "Project Oak.budget": [
            {"value": 1_000, "valid_from": "2025-01-01", "valid_to": "2025-02-01", "turn": 1, "replaced_in_turn": 4},
            {"value": 2_000, "valid_from": "2025-02-01", "valid_to": "2025-02-01", "turn": 4, "replaced_in_turn": 6},
            {"value": 2_500, "valid_from": "2025-02-01", "valid_to": "2025-03-01", "turn": 6, "replaced_in_turn": 9},
        ]
    }


def test_what_is_told_again_unchanged_supersedes_nothing():
    same = fact("Ann Lee", "hobby", "judo", "2025-01-01")
    truth = truth_of([told(1, same), told(2, dict(same))])
    assert truth.current_values == {"Ann Lee.hobby": "judo"}
    assert truth.superseded_values == {}


def test_what_was_true_earlier_and_is_told_later_is_no_news():
    now, before = (
        fact("Ann Lee", "role", "baker", "2025-05-01"),
        fact("Ann Lee", "role", "cook", "2024-01-01"),
    )
    truth = truth_of([told(1, now), told(2, before)])
    assert truth.current_values == {"Ann Lee.role": "baker"}
    assert [entry["value"] for entry in truth.superseded_values["Ann Lee.role"]] == ["cook"]


def test_claims_stand_side_by_side():
    claims = [fact("the flood", "claimed_cost", cost, "2025-01-01", who) for cost, who in ((7, "Post"), (9, "Echo"))]
    truth = truth_of([told(1, claims[0]), told(2, claims[1])])
    assert truth.current_values == {
        "the flood.claimed_cost": [{"source": "Post", "value": 7}, {"source": "Echo", "value": 9}]
    }
    assert truth.superseded_values == {}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_fields_of_the_truth_agree_with_the_turns(seed: int):
    ground_truth = dialogue(1000, seed)
    in_order = [told for entity in ground_truth.facts_by_entity.values() for told in entity]
    assert sorted(map(repr, in_order)) == sorted(map(repr, facts(ground_truth)))
    for key, history in ground_truth.superseded_values.items():
        entity, _, attribute = key.rpartition(".")
        holds = [told for told in ground_truth.facts_by_entity[entity] if told["attribute"] == attribute][-1]
        assert ground_truth.current_values[key] == holds["value"]
        assert [entry["valid_from"] for entry in history] == sorted(entry["valid_from"] for entry in history)
        assert all(entry["valid_from"] <= entry["valid_to"] <= holds["valid_from"] for entry in history)
        assert all(entry["turn"] <= entry["replaced_in_turn"] for entry in history)
    assert len(ground_truth.superseded_values) >= 100
