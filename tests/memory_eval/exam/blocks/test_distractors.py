from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from assay.memory_eval.world.attributes import ATTRIBUTES
from tests.memory_eval.exam.blocks.telling import SEEDS, facts_before, facts_of, turns_of


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
@pytest.mark.parametrize("num_turns", [100, 1000])
def test_whoever_hears_of_a_twin_hears_that_it_is_another(num_turns: int, seed: int):
    known = told_before(num_turns, seed)
    for turn in turns_of("distractors", num_turns, seed):
        for twin in {told["entity"] for told in turn.facts if told["entity"] in twins(num_turns, seed)}:
            assert any(original in turn.content for original in originals_of(twin, known)), turn.content


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
def test_nothing_new_is_said_of_anybody_known(seed: int):
    known = told_before(1000, seed)
    for fact in facts_of("distractors", 1000, seed):
        assert fact["entity"] not in known
        assert not isinstance(fact["value"], str) or fact["value"] not in known
