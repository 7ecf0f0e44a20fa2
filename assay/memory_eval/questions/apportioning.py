"""Shares of a whole that add up to it: the method of the largest remainder."""

from __future__ import annotations

from collections.abc import Mapping


def shares_of(total: int, weights: Mapping[str, int]) -> dict[str, int]:
    """How many of `total` each name gets by its weight; what is left over goes to the largest remainders in order."""
    whole = sum(weights.values())
    shares = {name: total * weight // whole for name, weight in weights.items()}
    by_remainder = sorted(weights, key=lambda name: -(total * weights[name] % whole))
    for name in by_remainder[: total - sum(shares.values())]:
        shares[name] += 1
    return shares
