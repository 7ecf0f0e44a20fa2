"""Near-twins: entities with similar names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

DISTRACTORS = 8
"""The block that introduces near-twins."""

NEAR = 0.4
"""Least share of the longer name that must be equal at its beginning and end."""


def near_twins(names: Mapping[str, Sequence[str]], blocks: Mapping[str, int]) -> dict[str, list[str]]:
    """Return near-twins by name, in both directions.

    `names` by kind; `blocks` is the block that first states each name.
    """
    found: dict[str, list[str]] = {}
    for same_kind in names.values():
        late = [name for name in same_kind if blocks.get(name) == DISTRACTORS]
        early = [name for name in same_kind if blocks.get(name, DISTRACTORS) < DISTRACTORS]
        by_word: dict[str, list[str]] = {}
        for name in early:
            for word in name.split():
                by_word.setdefault(word, []).append(name)
        for twin in late:
            close = [name for word in twin.split() if word != "Project" for name in by_word.get(word, ())] or early
            original = max(close, key=lambda name: _likeness(twin, name), default=None)
            if original is not None and _likeness(twin, original) >= NEAR:
                found.setdefault(original, []).append(twin)
                found.setdefault(twin, []).append(original)
    return found


def _likeness(one: str, other: str) -> float:
    """Return the share of the longer name that is equal at both ends, 0.0 to 1.0."""
    shorter = min(len(one), len(other))
    start = _same(one, other)
    end = min(_same(one[::-1], other[::-1]), shorter - start)
    return (start + end) / max(len(one), len(other))


def _same(one: str, other: str) -> int:
    """Return the length of the common prefix."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
