"""What questions are about: groups of attributes, labels, days between, near-twins, and drawn orders."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple, TypeVar

from assay.memory_eval.questions.queries.record import StatedFact
from assay.memory_eval.truth import AnswerType
from assay.memory_eval.world.attributes import ATTRIBUTES
from assay.memory_eval.world.wording import said
from assay.seeded_random import Draws

# ------------------ attribute groups

CHANGING = [row.name for row in ATTRIBUTES.values() if row.changes and row.kind != "incident"]
"""Attributes that change over the dialogue, but those of incidents, which have a separate category."""

CLAIMED = [name for name in ATTRIBUTES if name.startswith("claimed_")]
"""Claims of sources."""

SETTLED = [name for name in ATTRIBUTES if name.startswith("settled_")]
"""Settlements of claims."""

TIES = ["lead", "maintainer", "commander", "fixed_by", "mentor"]
"""Attributes whose value is a person."""

TRAITS = "allergy hobby pet pet_name hometown favorite_food degree birthday joined_on extension team role".split()
"""Attributes of people."""


def claimed(settled: str) -> str:
    """Return the attribute of the sources' claims about a settled attribute."""
    return settled.replace("settled_", "claimed_")


# ------------------ label words


@cache
def label_words() -> dict[str, list[str]]:
    """Return the words by label, from `label_words.json`."""
    text = files(__package__).joinpath("label_words.json").read_text("utf-8")
    return dict(json.loads(text))


# ------------------ days between


class Within(NamedTuple):
    """A day, in ISO and in words, and the fact that held on it."""

    day: str
    said: str
    held: StatedFact


def day_within(history: list[StatedFact], draws: Draws) -> Within | None:
    """Return a day strictly between two changes, so that its value is undisputed; None if there is none."""
    gaps = [
        (one, after) for one, after in pairwise(history) if _days(one, after) > 1 and one.value != history[-1].value
    ]
    if not gaps:
        return None
    one, after = draws.one(gaps)
    day = date.fromisoformat(one.day) + timedelta(days=draws.between(1, _days(one, after) - 1))
    return Within(day.isoformat(), said(day.isoformat(), AnswerType.date), one)


def _days(one: StatedFact, after: StatedFact) -> int:
    return (date.fromisoformat(after.day) - date.fromisoformat(one.day)).days


# ------------------ near twins

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


# ------------------ drawn order

T = TypeVar("T")


def in_drawn_order(items: Sequence[T], draws: Draws) -> Iterator[T]:
    """Yield each item once, in an order drawn during iteration."""
    left = list(items)
    while left:
        place = draws.below(len(left))
        left[place], left[-1] = left[-1], left[place]
        yield left.pop()


def in_turn(lines: Iterable[Iterator[T]]) -> Iterator[T]:
    """Yield from the iterators in rotation until all are empty."""
    waiting = list(lines)
    while waiting:
        going_on = []
        for line in waiting:
            try:
                yield next(line)
            except StopIteration:
                continue
            going_on.append(line)
        waiting = going_on
