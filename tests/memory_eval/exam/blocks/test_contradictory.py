"""Topics with sources that disagree."""

from __future__ import annotations

import pytest

from tests.memory_eval.exam.blocks.telling import SEEDS, facts_of, turns_of


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


@pytest.mark.parametrize("seed", SEEDS)
def test_some_are_settled_by_a_body_of_its_own_after_all_claims(seed: int):
    first_settled: dict[str, int] = {}
    claimants = set()
    for turn in turns_of("contradictory", 1000, seed):
        for told in turn.facts:
            if told["attribute"].startswith("settled_"):
                first_settled[told["entity"]] = turn.turn_number
                assert told["source"] not in claimants
            else:
                assert told["entity"] not in first_settled
                claimants.add(told["source"])
    topics = accounts(1000, seed)
    assert 0.2 * len(topics) <= len(first_settled) <= 0.8 * len(topics)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_settlement_is_now_one_source_and_now_none(seed: int):
    agreed = [
        value in topic[attribute.replace("settled", "claimed")].values()
        for topic in accounts(5000, seed).values()
        for attribute, settled in topic.items()
        if attribute.startswith("settled_")
        for value in settled.values()
    ]
    assert 0.3 * len(agreed) <= sum(agreed) <= 0.9 * len(agreed)


@pytest.mark.parametrize("num_turns", range(1, 60))
def test_any_number_of_turns_is_filled_with_one_source_each(num_turns: int):
    turns = turns_of("contradictory", num_turns, 5)
    assert all(len({told["source"] for told in turn.facts}) == 1 for turn in turns)


def test_nobody_is_a_source_twice():
    sources = [turn.facts[0]["source"] for turn in turns_of("contradictory", 5000)]
    assert len(set(sources)) == len(sources)
