"""What each block of the dialogue promises of the things it tells of, whatever the seed."""

from __future__ import annotations

import ipaddress
from collections import Counter, defaultdict
from datetime import date, datetime
from itertools import pairwise
from typing import Any

import pytest

from assay.memory_eval.truth import Fact
from assay.memory_eval.world.attributes import ATTRIBUTES
from assay.memory_eval.world.wording import day_in_words
from tests.memory_eval.exam.blocks.telling import SEEDS, facts_before, facts_of, planted, things, turns_of

of_each_seed = pytest.mark.parametrize("seed", SEEDS)
in_small_and_large = pytest.mark.parametrize("num_turns", [100, 1000])


@of_each_seed
def test_what_changes_is_told_with_its_day(seed: int):
    for block in ("callbacks", "distractors", "security_logs", "incidents", "infrastructure", "problem_solving"):
        for turn in turns_of(block, 1000, seed):
            for fact in turn.facts:
                day = day_in_words(date.fromisoformat(fact["valid_from"]))
                assert not ATTRIBUTES[fact["attribute"]].changes or day in turn.content, turn.content


# ------------------------------------------------------------------ projects


@of_each_seed
@in_small_and_large
def test_each_project_is_described_and_then_changes_to_something_else_on_later_days(num_turns: int, seed: int):
    changing = {"deadline", "budget", "team_size", "lead"}
    num_changed = 0
    for told in things("projects", num_turns, seed).values():
        assert {*changing, "customer"} <= told.keys()
        for attribute, facts in told.items():
            days = [fact["valid_from"] for fact in facts]
            assert len(set(days)) == len(days)
            assert attribute in changing or len(facts) == 1
            assert all(one["value"] != other["value"] for one, other in pairwise(facts))
            num_changed += len(facts) > 1
            assert attribute != "deadline" or all(fact["value"] > fact["valid_from"] for fact in facts)
            assert attribute != "started_on" or all(fact["value"] < fact["valid_from"] for fact in facts)
    assert num_changed >= num_turns / 50


# ------------------------------------------------------------------ contradictory sources


@of_each_seed
@in_small_and_large
def test_every_topic_has_two_or_more_sources_that_all_claim_something_else(num_turns: int, seed: int):
    for topic, attributes in things("contradictory", num_turns, seed).items():
        for attribute, facts in attributes.items():
            if attribute.startswith("claimed_"):
                claims = {fact["source"]: str(fact["value"]) for fact in facts}
                assert 2 <= len(claims) <= 4, topic
                assert len(set(claims.values())) == len(claims), topic


# ------------------------------------------------------------------ callbacks


def late(attribute: str, num_turns: int, seed: int) -> list[Fact]:
    return [fact for fact in facts_of("callbacks", num_turns, seed) if fact["attribute"] == attribute]


def known_before(num_turns: int, seed: int) -> dict[tuple[str, str], list[Fact]]:
    known: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in facts_before("callbacks", num_turns, seed):
        known[fact["entity"], fact["attribute"]].append(fact)
    return known


@of_each_seed
@in_small_and_large
def test_a_planted_value_contradicts_what_was_told_and_was_never_true(num_turns: int, seed: int):
    told = known_before(num_turns, seed)
    for fact in facts_of("callbacks", num_turns, seed):
        told[fact["entity"], fact["attribute"]].append(fact)
    plants = late("planted_value", num_turns, seed)
    assert plants
    for fact in plants:
        attribute, value = planted(fact)
        values = [str(one["value"]) for one in told[fact["entity"], attribute]]
        assert values
        assert value not in values
        assert fact["source"]


@of_each_seed
@in_small_and_large
def test_a_late_change_is_of_something_told_and_holds_from_a_later_day(num_turns: int, seed: int):
    told = known_before(num_turns, seed)
    changes = [fact for fact in facts_of("callbacks", num_turns, seed) if ATTRIBUTES[fact["attribute"]].changes]
    assert changes
    for fact in changes:
        before = told[fact["entity"], fact["attribute"]]
        assert fact["valid_from"] > max(one["valid_from"] for one in before)
        assert fact["value"] not in [one["value"] for one in before]
    assert num_turns < 1000 or {ATTRIBUTES[fact["attribute"]].kind for fact in changes} >= {"person", "project"}


@of_each_seed
@in_small_and_large
def test_orders_are_about_what_is_known_and_of_whom_one_thing_is_forgotten_three_remain(num_turns: int, seed: int):
    known: dict[str, set[str]] = defaultdict(set)
    for entity, attribute in known_before(num_turns, seed):
        known[entity].add(attribute)
    for fact in late("forget_request", num_turns, seed):
        assert fact["value"] in known[fact["entity"]]
        assert len(known[fact["entity"]] - {fact["value"]}) >= 3
    for fact in late("standing_also", num_turns, seed):
        first, other = fact["value"].split(">")
        assert first != other
        assert {first, other} <= known[fact["entity"]]


@of_each_seed
def test_what_is_to_be_forgotten_is_not_told_again_in_this_block(seed: int):
    said = {key: str(facts[-1]["value"]) for key, facts in known_before(1000, seed).items()}
    forgotten: list[tuple[str, str]] = []
    for turn in turns_of("callbacks", 1000, seed):
        assert [one for one in forgotten if one[0] in turn.content and one[1] in turn.content] == []
        requests = (fact for fact in turn.facts if fact["attribute"] == "forget_request")
        forgotten += [(fact["entity"], said[fact["entity"], fact["value"]]) for fact in requests]


# ------------------------------------------------------------------ distractors


def originals(num_turns: int, seed: int) -> dict[str, dict[str, list[Any]]]:
    """What was told of people and projects before: every value that an attribute ever had."""
    found: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for fact in facts_before("distractors", num_turns, seed):
        if ATTRIBUTES[fact["attribute"]].kind in ("person", "project"):
            found[fact["entity"]][fact["attribute"]].append(fact["value"])
    return found


def nearly(twin: str, known: dict[str, dict[str, list[Any]]]) -> list[str]:
    """Whose name differs in one part only."""
    parts = twin.split()
    of_size = {name: name.split() for name in known if len(name.split()) == len(parts)}
    return [name for name, own in of_size.items() if sum(a != b for a, b in zip(own, parts, strict=True)) == 1]


@of_each_seed
@in_small_and_large
def test_a_twin_is_nearly_called_like_somebody_known_and_has_other_values(num_turns: int, seed: int):
    known, num_twins = originals(num_turns, seed), 0
    for twin, told in things("distractors", num_turns, seed).items():
        if ATTRIBUTES[next(iter(told))].kind == "landmark":
            continue
        num_twins += 1
        assert twin not in known
        values = {attribute: facts[0]["value"] for attribute, facts in told.items()}
        assert any(
            all(attribute in known[name] and value not in known[name][attribute] for attribute, value in values.items())
            for name in nearly(twin, known)
        ), (twin, values)
        for turn in turns_of("distractors", num_turns, seed):
            if any(fact["entity"] == twin for fact in turn.facts):
                assert any(name in turn.content for name in nearly(twin, known)), turn.content
    assert num_twins >= 3


@of_each_seed
def test_nothing_new_is_said_of_anybody_known(seed: int):
    known = originals(1000, seed)
    for fact in facts_of("distractors", 1000, seed):
        assert fact["entity"] not in known
        assert not isinstance(fact["value"], str) or fact["value"] not in known


# ------------------------------------------------------------------ logs, incidents, machines, problems


def events(num_turns: int, seed: int) -> list[dict[str, str]]:
    """Each event with its attributes, in order of time."""
    told = things("security_logs", num_turns, seed).values()
    found = [{attribute: facts[0]["value"] for attribute, facts in one.items()} for one in told]
    return sorted(found, key=lambda event: event["event_at"])


@of_each_seed
def test_no_two_events_share_a_minute_and_their_addresses_belong_to_nobody(seed: int):
    found = events(5000, seed)
    assert len({event["event_at"] for event in found}) == len(found)
    assert all(datetime.fromisoformat(event["event_at"]).second == 0 for event in found)
    reserved = ("10.", "192.0.2.", "198.51.100.", "203.0.113.", "198.18.", "198.19.")
    assert all(event["source_ip"].startswith(reserved) for event in found)


@of_each_seed
@in_small_and_large
def test_an_account_is_tried_until_it_opens(num_turns: int, seed: int):
    """Brute force: failures of one account from one address, then a success of the same pair."""
    found = []
    failures: Counter[tuple[str, str]] = Counter()
    for event in events(num_turns, seed):
        pair = event["source_ip"], event.get("user", "")
        failures[pair] += event["event_type"] == "failed login"
        if event["event_type"] == "successful login" and failures[pair] >= 3:
            found.append(failures[pair])
    assert found
    assert num_turns < 1000 or len(set(found)) >= 3


@of_each_seed
@pytest.mark.parametrize("num_turns", [20, 100, 1000])
def test_an_incident_goes_from_open_to_resolved_on_days_of_its_own(num_turns: int, seed: int):
    for told in things("incidents", num_turns, seed).values():
        values = {attribute: [fact["value"] for fact in facts] for attribute, facts in told.items()}
        days = {attribute: [fact["valid_from"] for fact in facts] for attribute, facts in told.items()}
        statuses = values["incident_status"]
        assert statuses == ["open", "investigating", "identified", "resolved"][: len(statuses)]
        assert len(statuses) >= 2
        for changing in ("incident_status", "customers_affected"):
            assert days.get(changing, []) == sorted(set(days.get(changing, ())))
        counts = values.get("customers_affected", [])
        assert counts == sorted(set(counts))
        (opened,) = values["opened_at"]
        assert len(values["affected_service"]) == len(values["incident_level"]) == 1
        assert opened[:10] == days["incident_status"][0]
        is_resolved = statuses[-1] == "resolved"
        assert is_resolved is ("resolved_at" in values)
        if is_resolved:
            (resolved,) = values["resolved_at"]
            assert opened < resolved
            assert resolved[:10] == days["incident_status"][-1]
            assert {"commander", "root_cause"} <= values.keys()


@of_each_seed
@in_small_and_large
def test_every_server_and_network_is_whole_and_its_addresses_fit_together(num_turns: int, seed: int):
    told = things("infrastructure", num_turns, seed).values()
    assert all(len(facts) == 1 for one in told for facts in one.values())
    found = [{attribute: facts[0]["value"] for attribute, facts in one.items()} for one in told]
    server = {"cpu_cores", "ram", "storage", "os", "location", "uptime", "address"}
    assert {frozenset(one) for one in found} == {frozenset(server), frozenset({"cidr", "vlan", "gateway"})}
    for kind in ("address", "cidr"):
        values = [one[kind] for one in found if kind in one]
        assert len(set(values)) == len(values)
    for one in found:
        assert "cidr" not in one or ipaddress.ip_address(one["gateway"]) in ipaddress.ip_network(one["cidr"])


@of_each_seed
@pytest.mark.parametrize("num_turns", [20, 5000])
def test_every_problem_is_solved_after_it_was_seen_and_has_its_own_symptom_and_fix(num_turns: int, seed: int):
    told_in: dict[str, dict[str, tuple[Any, int]]] = defaultdict(dict)
    for turn in turns_of("problem_solving", num_turns, seed):
        for fact in turn.facts:
            told_in[fact["entity"]][fact["attribute"]] = fact["value"], turn.turn_number
    for told in told_in.values():
        assert set(told) == {"symptom", "cause", "fix", "fix_time", "fixed_by"}
        assert told["symptom"][1] <= told["cause"][1] == told["fix"][1]
    for attribute in ("symptom", "fix"):
        assert len({told[attribute][0] for told in told_in.values()}) == len(told_in)
