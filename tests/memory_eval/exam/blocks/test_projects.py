"""Projects and their changes."""

from __future__ import annotations

from itertools import pairwise

import pytest

from assay.memory_eval.truth import Fact
from tests.memory_eval.exam.blocks.telling import SEEDS, facts_of

CHANGING = ("deadline", "budget", "team_size", "lead")


def histories(num_turns: int, seed: int) -> dict[tuple[str, str], list[Fact]]:
    found: dict[tuple[str, str], list[Fact]] = {}
    for told in facts_of("projects", num_turns, seed):
        found.setdefault((told["entity"], told["attribute"]), []).append(told)
    return found


@pytest.mark.parametrize("num_turns", [100, 1000, 5000])
@pytest.mark.parametrize("seed", SEEDS)
def test_each_is_described_and_then_changes_to_something_else_on_later_days(num_turns: int, seed: int):
    by_key = histories(num_turns, seed)
    names = {project for project, _ in by_key}
    assert all((project, attribute) in by_key for project in names for attribute in (*CHANGING, "customer"))
    for (_, attribute), told in by_key.items():
        days = [fact["valid_from"] for fact in told]
        assert len(set(days)) == len(days)
        assert attribute in CHANGING or len(told) == 1
        assert all(one["value"] != other["value"] for one, other in pairwise(told))
    assert sum(len(told) > 1 for told in by_key.values()) >= num_turns / 50


@pytest.mark.parametrize("seed", SEEDS)
def test_a_deadline_lies_ahead_and_a_start_behind(seed: int):
    for told in facts_of("projects", 1000, seed):
        if told["attribute"] == "deadline":
            assert told["value"] > told["valid_from"]
        if told["attribute"] == "started_on":
            assert told["value"] < told["valid_from"]
