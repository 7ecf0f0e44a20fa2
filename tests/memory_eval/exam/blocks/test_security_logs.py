from __future__ import annotations

from collections import Counter, defaultdict
from datetime import datetime

import pytest

from assay.memory_eval.truth import Fact
from tests.memory_eval.exam.blocks.telling import SEEDS, facts_of

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


def test_addresses_belong_to_nobody():
    def is_nobodys(fact: Fact) -> bool:
        return bool(fact["value"].startswith(("10.", "192.0.2.", "198.51.100.", "203.0.113.", "198.18.", "198.19.")))

    addresses = [fact for fact in facts_of("security_logs", 1000) if fact["attribute"] == "source_ip"]
    assert addresses
    assert all(map(is_nobodys, addresses))
