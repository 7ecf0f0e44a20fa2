"""Shares by weight: the turns of a dialogue among the blocks, an exam among the categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

SHARES: Mapping[str, int] = {
    "people": 5,
    "projects": 10,
    "technical": 10,
    "evolving_story": 15,
    "numerical": 10,
    "contradictory": 8,
    "callbacks": 6,
    "distractors": 6,
    "security_logs": 10,
    "incidents": 8,
    "infrastructure": 7,
    "problem_solving": 5,
}
"""Per cent of the turns, by block, in the order of the dialogue."""


def shares_of(total: int, weights: Mapping[str, int]) -> dict[str, int]:
    """Return how many of `total` each name gets by its weight, as in `shared_out`."""
    return dict(zip(weights, shared_out(total, list(weights.values())), strict=True))


def shared_out(total: int, weights: Sequence[int]) -> list[int]:
    """Divide `total` into whole parts by weight; remainders go to the largest fractions, the first of equals.

    The method of largest remainders (Hamilton's): no part is further than one from its exact share.
    """
    whole = sum(weights)
    parts = [total * weight // whole for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda place: (-(total * weights[place] % whole), place))
    for place in by_remainder[: total - sum(parts)]:
        parts[place] += 1
    return parts
