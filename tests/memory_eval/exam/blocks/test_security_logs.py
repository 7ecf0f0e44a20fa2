from __future__ import annotations

import re
from collections import Counter, defaultdict
from datetime import datetime
from itertools import pairwise

import pytest

from assay.memory_eval.truth import Fact
from tests.memory_eval.exam.blocks.telling import SEEDS, facts_of, turns_of

Event = dict[str, str]


def events(num_turns: int, seed: int) -> dict[str, Event]:
    """Each event with its attributes, in the order told."""
    found: dict[str, Event] = defaultdict(dict)
    for fact in facts_of("security_logs", num_turns, seed):
        found[fact["entity"]][fact["attribute"]] = fact["value"]
    return found


def by_time(num_turns: int, seed: int) -> list[Event]:
    return sorted(events(num_turns, seed).values(), key=lambda event: event["event_at"])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("num_turns", [20, 100, 1000])
def test_a_turn_has_one_to_three_lines(num_turns: int, seed: int):
    for turn in turns_of("security_logs", num_turns, seed):
        assert 1 <= len({fact["entity"] for fact in turn.facts}) <= 3


@pytest.mark.parametrize("seed", SEEDS)
def test_an_event_has_a_number_of_its_own_and_all_that_was_logged_of_it(seed: int):
    for name, event in events(1000, seed).items():
        assert name.startswith("SEC-")
        assert {"event_at", "event_type", "source_ip", "severity"} <= set(event)
        assert ("user" in event) == (event["event_type"] not in ("port probe", "firewall block"))


@pytest.mark.parametrize("seed", SEEDS)
def test_no_two_events_share_a_minute_so_that_first_and_last_are_clear(seed: int):
    times = [event["event_at"] for event in events(5000, seed).values()]
    assert len(set(times)) == len(times)
    assert all(datetime.fromisoformat(time).second == 0 for time in times)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("num_turns", [100, 1000])
def test_an_account_is_tried_until_it_opens(num_turns: int, seed: int):
    """Brute force: failures of one account from one address, then a success of the same pair."""
    found = []
    failures: Counter[tuple[str, str]] = Counter()
    for event in by_time(num_turns, seed):
        pair = event["source_ip"], event.get("user", "")
        if event["event_type"] == "failed login":
            failures[pair] += 1
        elif event["event_type"] == "successful login" and failures[pair] >= 3:
            found.append(failures[pair])
    assert found
    assert num_turns < 1000 or len(set(found)) >= 3


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("num_turns", [100, 1000])
def test_one_address_tries_many_accounts(num_turns: int, seed: int):
    tried: dict[str, set[str]] = defaultdict(set)
    for event in by_time(num_turns, seed):
        if event["event_type"] == "failed login":
            tried[event["source_ip"]].add(event["user"])
    assert max(map(len, tried.values())) >= 3


@pytest.mark.parametrize("seed", SEEDS)
def test_a_larger_world_has_scans_escalations_and_exfiltrations(seed: int):
    acts: dict[str, list[str]] = defaultdict(list)
    for event in by_time(1000, seed):
        acts[event["source_ip"]].append(event["event_type"])
    assert any(kinds.count("port probe") >= 3 for kinds in acts.values())
    assert any("privilege change" in kinds and "successful login" in kinds for kinds in acts.values())
    assert any(kinds.count("bulk download") >= 2 and "successful login" in kinds for kinds in acts.values())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("num_turns", "fewest"), [(100, 2), (1000, 6)])
def test_there_is_enough_to_count_and_the_counts_differ(num_turns: int, fewest: int, seed: int):
    failed = Counter(event["source_ip"] for event in by_time(num_turns, seed) if event["event_type"] == "failed login")
    countable = {num for num in failed.values() if 2 <= num <= 40}
    assert len([num for num in failed.values() if 2 <= num <= 40]) >= fewest
    assert num_turns < 1000 or len(countable) >= 4


@pytest.mark.parametrize("seed", SEEDS)
def test_ordinary_failures_lie_between_those_of_attacks(seed: int):
    """Who counts all failed logins of an account counts its owner's slips, too."""
    victims: dict[str, set[str]] = defaultdict(set)
    for event in by_time(1000, seed):
        if event["event_type"] == "failed login":
            victims[event["user"]].add(event["source_ip"])
    assert sum(1 for addresses in victims.values() if len(addresses) > 1) >= 3


@pytest.mark.parametrize("seed", SEEDS)
def test_some_lines_arrive_after_younger_ones(seed: int):
    times = [event["event_at"] for event in events(1000, seed).values()]
    late = sum(1 for before, after in pairwise(times) if after < before)
    assert 0 < late < 0.2 * len(times)


def test_lines_come_in_the_formats_of_many_machines():
    lines = [line for turn in turns_of("security_logs", 5000) for line in turn.content.splitlines() if "SEC-" in line]
    machine = [line for line in lines if "T" in line and "Z" in line and not line.endswith(".")]
    assert len({re.sub(r"[\w-]+", "", line) for line in machine}) >= 4
    assert len(machine) < len(lines), "people tell of events, too"


def test_addresses_belong_to_nobody():
    def is_nobodys(fact: Fact) -> bool:
        return bool(fact["value"].startswith(("10.", "192.0.2.", "198.51.100.", "203.0.113.", "198.18.", "198.19.")))

    addresses = [fact for fact in facts_of("security_logs", 1000) if fact["attribute"] == "source_ip"]
    assert addresses
    assert all(map(is_nobodys, addresses))
