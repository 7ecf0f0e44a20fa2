"""The figures of branches and quarters."""

from __future__ import annotations

from collections import Counter

import pytest

from assay.memory_eval.world.attributes import attributes_of
from tests.memory_eval.exam.blocks.telling import SEEDS, facts_of, turns_of

METRICS = {attribute.name for attribute in attributes_of("quarter")}


def told_of(num_turns: int, seed: int) -> dict[str, dict[str, float]]:
    quarters: dict[str, dict[str, float]] = {}
    for told in facts_of("numerical", num_turns, seed):
        quarters.setdefault(told["entity"], {})[told["attribute"]] = told["value"]
    return quarters


@pytest.mark.parametrize("num_turns", [100, 1000])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_quarter_has_all_nine_metrics_each_told_once(num_turns: int, seed: int):
    told = facts_of("numerical", num_turns, seed)
    assert max(Counter((fact["entity"], fact["attribute"]) for fact in told).values()) == 1
    quarters = told_of(num_turns, seed)
    assert sum(set(metrics) == METRICS for metrics in quarters.values()) >= max(3, len(quarters) - 6)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_quarters_of_a_branch_can_be_compared(seed: int):
    branches = Counter(name.partition(" branch ")[0] for name in told_of(1000, seed))
    assert sum(num >= 4 for num in branches.values()) >= 5
    assert max(Counter(name.partition(" branch ")[0] for name in told_of(100, seed)).values()) >= 3


@pytest.mark.parametrize("seed", SEEDS)
def test_figures_are_plausible_and_hardly_repeat(seed: int):
    quarters = told_of(5000, seed)
    for metrics in quarters.values():
        assert 90 < metrics.get("server_uptime", 99) < 100
        if {"revenue", "revenue_forecast"} <= metrics.keys():
            assert 0.7 < metrics["revenue"] / metrics["revenue_forecast"] < 1.4
    for metric in METRICS:
        values = Counter(metrics[metric] for metrics in quarters.values() if metric in metrics)
        assert values.most_common(1)[0][1] <= 4, metric


def test_a_figure_stands_among_words_that_belong_to_it():
    assert all(len(turn.content.split()) >= 6 for turn in turns_of("numerical", 1000))
