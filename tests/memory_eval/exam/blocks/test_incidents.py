from __future__ import annotations

from collections import defaultdict

import pytest

from assay.memory_eval.truth import Fact
from tests.memory_eval.exam.blocks.telling import SEEDS, facts_of

IN_ORDER = ["open", "investigating", "identified", "resolved"]


def incidents(num_turns: int, seed: int) -> dict[str, dict[str, list[Fact]]]:
    """Each incident's facts by attribute, in the order told."""
    found: dict[str, dict[str, list[Fact]]] = defaultdict(lambda: defaultdict(list))
    for fact in facts_of("incidents", num_turns, seed):
        found[fact["entity"]][fact["attribute"]].append(fact)
    return found


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("num_turns", [20, 100, 1000])
def test_statuses_follow_each_other_on_days_of_their_own(num_turns: int, seed: int):
    for told in incidents(num_turns, seed).values():
        statuses = [fact["value"] for fact in told["incident_status"]]
        days = [fact["valid_from"] for fact in told["incident_status"]]
        assert statuses == IN_ORDER[: len(statuses)]
        assert len(statuses) >= 2
        assert days == sorted(set(days))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_count_of_customers_only_grows_each_time_from_a_later_day(seed: int):
    grown = 0
    for told in incidents(1000, seed).values():
        counts = [fact["value"] for fact in told["customers_affected"]]
        days = [fact["valid_from"] for fact in told["customers_affected"]]
        assert counts == sorted(set(counts))
        assert days == sorted(set(days))
        grown += len(counts) > 1
    assert grown >= 10


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("num_turns", [20, 100, 1000])
def test_an_incident_is_opened_before_it_is_resolved_and_has_both_times(num_turns: int, seed: int):
    for told in incidents(num_turns, seed).values():
        opened = told["opened_at"][0]["value"]
        assert len(told["opened_at"]) == len(told["affected_service"]) == len(told["incident_level"]) == 1
        assert opened[:10] == told["incident_status"][0]["valid_from"]
        if told["incident_status"][-1]["value"] == "resolved":
            resolved = told["resolved_at"][0]["value"]
            assert opened < resolved
            assert resolved[:10] == told["incident_status"][-1]["valid_from"]
            assert told["commander"]
            assert told["root_cause"]
        else:
            assert not told["resolved_at"]
