"""Bounded line comparison of two texts, for files that git calls binary or reads differently."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from assay.validators.change import Hunk, lines_of

MOST_COMPARED = 1_000_000
"""Base lines times head lines; above it, everything between the common beginning and end counts as replaced."""


def compared(base: str, head: str) -> tuple[Hunk, ...]:
    """Return the places where `head` differs from `base`."""
    before, after = lines_of(base), lines_of(head)
    start = _num_equal(before, after)
    end = _num_equal(before[start:][::-1], after[start:][::-1])
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    return tuple(_hunks(old, new, start))


def _hunks(old: list[str], new: list[str], start: int) -> Iterator[Hunk]:
    if not old and not new:
        return
    places = [("replace", 0, len(old), 0, len(new))]
    if old and new and len(old) * len(new) <= MOST_COMPARED:
        places = list(SequenceMatcher(None, old, new, autojunk=False).get_opcodes())
    for kind, a, b, c, d in places:
        if kind != "equal":
            yield Hunk(start + a + (b > a), tuple(old[a:b]), start + c + (d > c), tuple(new[c:d]))


def _num_equal(before: list[str], after: list[str]) -> int:
    pairs = zip(before, after, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(before), len(after)))
