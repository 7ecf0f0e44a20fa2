"""Topics with sources that disagree."""

from __future__ import annotations

import pytest

from tests.memory_eval.exam.blocks.telling import SEEDS, facts_of


def accounts(num_turns: int, seed: int) -> dict[str, dict[str, dict[str, object]]]:
    """Topic -> attribute -> source -> value."""
    found: dict[str, dict[str, dict[str, object]]] = {}
    for told in facts_of("contradictory", num_turns, seed):
        found.setdefault(told["entity"], {}).setdefault(told["attribute"], {})[told["source"]] = told["value"]
    return found


@pytest.mark.parametrize("num_turns", [100, 1000, 5000])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_topic_has_two_or_more_sources_that_all_claim_something_else(num_turns: int, seed: int):
    for topic, attributes in accounts(num_turns, seed).items():
        for attribute, claims in attributes.items():
            if attribute.startswith("claimed_"):
                assert 2 <= len(claims) <= 4, topic
                assert len(set(map(str, claims.values()))) == len(claims), topic
