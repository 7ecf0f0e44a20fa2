from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from tests.memory_eval.exam.blocks.telling import SEEDS, turns_of

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
