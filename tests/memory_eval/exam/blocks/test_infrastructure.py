from __future__ import annotations

import ipaddress
from collections import defaultdict
from typing import Any

import pytest

from tests.memory_eval.exam.blocks.telling import SEEDS, facts_of

OF_A_SERVER = {"cpu_cores", "ram", "storage", "os", "location", "uptime", "address"}
OF_A_NETWORK = {"cidr", "vlan", "gateway"}


def inventory(num_turns: int, seed: int) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for fact in facts_of("infrastructure", num_turns, seed):
        assert fact["attribute"] not in found[fact["entity"]]
        found[fact["entity"]][fact["attribute"]] = fact["value"]
    return found


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("num_turns", [100, 333, 1000])
def test_everything_is_told_of_every_server_and_network(num_turns: int, seed: int):
    told = inventory(num_turns, seed)
    assert {frozenset(values) for values in told.values()} == {frozenset(OF_A_SERVER), frozenset(OF_A_NETWORK)}


@pytest.mark.parametrize("seed", SEEDS)
def test_addresses_ranges_and_gateways_fit_together(seed: int):
    told = inventory(1000, seed)
    addresses = [ipaddress.ip_address(values["address"]) for values in told.values() if "address" in values]
    assert len(set(addresses)) == len(addresses)
    networks = [values for values in told.values() if "cidr" in values]
    for values in networks:
        assert ipaddress.ip_address(values["gateway"]) in ipaddress.ip_network(values["cidr"])
    assert len({values["cidr"] for values in networks}) == len(networks)
