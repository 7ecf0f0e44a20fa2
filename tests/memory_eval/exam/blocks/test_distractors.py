from __future__ import annotations

import difflib
from collections import defaultdict
from typing import Any

import pytest

from assay.memory_eval.world.attributes import ATTRIBUTES
from assay.memory_eval.world.names import words
from assay.memory_eval.world.wording import in_words
from tests.memory_eval.exam.blocks.telling import SEEDS, facts_before, facts_of, nouns, turns_of


def told_before(num_turns: int, seed: int) -> dict[str, dict[str, list[Any]]]:
    """What blocks 1 to 7 told of people and projects: every value an attribute ever had."""
    found: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for fact in facts_before("distractors", num_turns, seed):
        if ATTRIBUTES[fact["attribute"]].kind in ("person", "project"):
            found[fact["entity"]][fact["attribute"]].append(fact["value"])
    return found


def twins(num_turns: int, seed: int) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for fact in facts_of("distractors", num_turns, seed):
        if ATTRIBUTES[fact["attribute"]].kind != "landmark":
            found[fact["entity"]][fact["attribute"]] = fact["value"]
    return found


def originals_of(twin: str, known: dict[str, dict[str, list[Any]]]) -> list[str]:
    """Whose name differs in one part only."""
    parts = twin.split()
    return [
        name
        for name in known
        if len(name.split()) == len(parts) and sum(a != b for a, b in zip(name.split(), parts, strict=True)) == 1
    ]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("num_turns", [100, 1000])
def test_a_twin_is_called_nearly_like_somebody_known(num_turns: int, seed: int):
    known = told_before(num_turns, seed)
    found = twins(num_turns, seed)
    assert len(found) >= 3
    assert not set(found) & set(known)
    assert all(originals_of(twin, known) for twin in found)


@pytest.mark.parametrize("seed", SEEDS)
def test_many_twins_are_called_much_alike(seed: int):
    known = told_before(1000, seed)
    close = [
        twin
        for twin in twins(1000, seed)
        if any(difflib.SequenceMatcher(None, twin, name).ratio() > 0.8 for name in originals_of(twin, known))
    ]
    assert len(close) >= 0.6 * len(twins(1000, seed))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("num_turns", [100, 1000, 5000])
def test_a_twin_has_a_name_and_not_a_slip_of_the_pen(num_turns: int, seed: int):
    lists = ("first_names", "last_names", "project_firsts", "project_seconds")
    real = {word for name in lists for word in words(name)}
    real |= {near for name in lists for group in words(f"near_{name}") for near in group.split()}
    for twin in twins(num_turns, seed):
        assert set(twin.removeprefix("Project ").split()) <= real, twin


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("num_turns", [100, 1000])
def test_whoever_hears_of_a_twin_hears_that_it_is_another(num_turns: int, seed: int):
    known = told_before(num_turns, seed)
    for turn in turns_of("distractors", num_turns, seed):
        for twin in {told["entity"] for told in turn.facts if told["entity"] in twins(num_turns, seed)}:
            assert any(original in turn.content for original in originals_of(twin, known)), turn.content


@pytest.mark.parametrize("seed", SEEDS)
def test_a_comparison_says_what_holds_and_nothing_that_is_to_be_forgotten(seed: int):
    """Beside a twin's value the original's is told again: as it stands, and never against a request."""
    known = told_before(1000, seed)
    compared = 0
    for turn in turns_of("distractors", 1000, seed):
        for told in turn.facts:
            for original in originals_of(told["entity"], known) if told["entity"] in twins(1000, seed) else ():
                values = [in_words(told["attribute"], value) for value in known[original].get(told["attribute"], ())]
                said = [f"{noun} of {original}" for noun in nouns(told["attribute"])]
                _, found, rest = turn.content.partition(next((one for one in said if one in turn.content), "\0"))
                if found and values and told["attribute"] != "pet":  # "the name of the pet of" is another
                    compared += 1
                    assert values[-1] in rest
    assert compared >= 8
    forgotten = [told for told in facts_before("distractors", 1000, seed) if told["attribute"] == "forget_request"]
    for one in forgotten:
        for noun in nouns(one["value"]):
            forbidden = f"{noun} of {one['entity']}"
            assert all(forbidden not in turn.content for turn in turns_of("distractors", 1000, seed))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("num_turns", [100, 1000])
def test_a_twin_has_the_same_attributes_with_values_its_original_never_had(num_turns: int, seed: int):
    known = told_before(num_turns, seed)
    for twin, values in twins(num_turns, seed).items():
        unlike = [
            name
            for name in originals_of(twin, known)
            if all(
                attribute in known[name] and value not in known[name][attribute] for attribute, value in values.items()
            )
        ]
        assert unlike, (twin, values)


@pytest.mark.parametrize("seed", SEEDS)
def test_there_are_twins_of_people_twins_of_projects_and_landmarks_from_a_hundred_turns_on(seed: int):
    kinds = defaultdict(set)
    for fact in facts_of("distractors", 100, seed):
        kinds[ATTRIBUTES[fact["attribute"]].kind].add(fact["entity"])
    assert {kind: len(entities) >= 2 for kind, entities in kinds.items()} == {
        "person": True,
        "project": True,
        "landmark": True,
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_new_is_said_of_anybody_known(seed: int):
    known = told_before(1000, seed)
    for fact in facts_of("distractors", 1000, seed):
        assert fact["entity"] not in known
        assert not isinstance(fact["value"], str) or fact["value"] not in known


@pytest.mark.parametrize("seed", SEEDS)
def test_landmarks_have_names_of_their_own(seed: int):
    landmarks = defaultdict(list)
    for fact in facts_of("distractors", 5000, seed):
        if ATTRIBUTES[fact["attribute"]].kind == "landmark":
            landmarks[fact["entity"]].append(fact["attribute"])
    assert len(landmarks) >= 80
    assert all(len(set(names)) == len(names) >= 2 for names in landmarks.values())
