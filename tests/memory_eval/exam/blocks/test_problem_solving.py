from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from assay.memory_eval.world.names import words
from tests.memory_eval.exam.blocks.telling import SEEDS, dialogue, turns_of

WHOLE = {"symptom", "cause", "fix", "fix_time", "fixed_by"}


def problems(num_turns: int, seed: int) -> dict[str, dict[str, tuple[Any, int]]]:
    """Each problem's values, with the turn that told them."""
    found: dict[str, dict[str, tuple[Any, int]]] = defaultdict(dict)
    for turn in turns_of("problem_solving", num_turns, seed):
        for fact in turn.facts:
            found[fact["entity"]][fact["attribute"]] = fact["value"], turn.turn_number
    return found


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("num_turns", [20, 100, 1000])
def test_every_problem_is_solved_after_it_was_seen(num_turns: int, seed: int):
    for told in problems(num_turns, seed).values():
        assert set(told) == WHOLE
        assert told["symptom"][1] <= told["cause"][1] == told["fix"][1]


@pytest.mark.parametrize("seed", SEEDS)
def test_no_two_problems_have_one_symptom_or_one_fix(seed: int):
    told = problems(5000, seed).values()
    for attribute in ("symptom", "fix"):
        values = [one[attribute][0] for one in told]
        assert len(set(values)) == len(values) >= 150


@pytest.mark.parametrize("seed", SEEDS)
def test_symptoms_and_fixes_are_short_phrases_with_a_service_in_them(seed: int):
    services = set(words("services"))
    for told in problems(5000, seed).values():
        for attribute in ("symptom", "fix"):
            phrase = told[attribute][0].split()
            assert 3 <= len(phrase) <= 12
            assert services & set(phrase)
        assert services & set(told["symptom"][0].split()) == services & set(told["fix"][0].split())


@pytest.mark.parametrize("seed", SEEDS)
def test_who_fixed_it_is_known_from_elsewhere(seed: int):
    told = problems(1000, seed).values()
    people = {one["fixed_by"][0] for one in told}
    known = dialogue(1000, seed).facts_by_entity
    assert sum(1 for person in people if person in known) >= 0.8 * len(people)
    assert len(people) >= 3


def test_some_problems_wait_some_turns_for_their_fix():
    waits = [told["fix"][1] - told["symptom"][1] for told in problems(1000, 42).values()]
    assert 10 <= sum(1 for wait in waits if wait) <= len(waits) // 2 + 1
    assert max(waits) >= 3


def test_the_areas_of_symptoms_causes_and_fixes_are_the_same():
    areas = [{row.partition(": ")[0] for row in words(name)} for name in ("symptoms", "problem_causes", "fixes")]
    assert areas[0] == areas[1] == areas[2]
    assert len(areas[0]) >= 10
