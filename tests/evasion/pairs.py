"""Pairs of a payload and one or two wrappers, as values with a name."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from tests.evasion.changes import Change
from tests.evasion.wrap_around import AROUND
from tests.evasion.wrap_container import CONTAINERS
from tests.evasion.wrap_data import DATA
from tests.evasion.wrap_place import PLACES
from tests.evasion.wrap_shape import SHAPES
from tests.evasion.wrap_text import TEXT
from tests.evasion.wrapper import Wrapper

WRAPPERS: tuple[Wrapper, ...] = (*SHAPES, *TEXT, *CONTAINERS, *PLACES, *DATA, *AROUND)


@dataclass(frozen=True)
class Pair:
    """One payload in its wrappers."""

    payload: str
    wrappers: tuple[str, ...]
    change: Change

    @property
    def name(self) -> str:
        """Its name in lists."""
        return f"{self.payload}/{'+'.join(self.wrappers)}"

    @property
    def is_large(self) -> bool:
        """Whether a quick run leaves the pair out for its size."""
        size = sum(len(entry.data) for entry in self.change.files.values() if entry is not None)
        return size > 200_000 or len(self.change.files) > 50


def singles(payloads: Mapping[str, Change]) -> Iterator[Pair]:
    """Each payload in each wrapper that fits it."""
    for payload in payloads:
        for wrapper in WRAPPERS:
            yield from _pair(payloads, payload, wrapper)


def some_singles(payloads: Mapping[str, Change], num: int, seed: int) -> list[Pair]:
    """A sample of `singles`, the same for the same seed; only what is chosen is made."""
    chooser = random.Random(seed)
    every = [(payload, wrapper) for payload in payloads for wrapper in WRAPPERS]
    chooser.shuffle(every)
    return list(islice((pair for payload, wrapper in every for pair in _pair(payloads, payload, wrapper)), num))


def doubles(payloads: Mapping[str, Change], num: int, seed: int) -> list[Pair]:
    """A sample of the payloads in two wrappers of different stages, the same for the same seed."""
    chooser = random.Random(seed)
    names = list(payloads)
    found: dict[str, Pair] = {}
    while len(found) < num:
        first, second = sorted(chooser.sample(WRAPPERS, 2), key=lambda wrapper: wrapper.stage)
        payload = chooser.choice(names)
        if first.stage != second.stage:
            found.update((pair.name, pair) for pair in _pair(payloads, payload, first, second))
    return list(found.values())


def _pair(payloads: Mapping[str, Change], payload: str, *wrappers: Wrapper) -> Iterator[Pair]:
    """The pair, where each wrapper fits and changes something."""
    change = payloads[payload]
    for wrapper in wrappers:
        wrapped = wrapper.apply(change)
        if wrapped is None or wrapped == change:
            return
        change = wrapped
    yield Pair(payload, tuple(wrapper.name for wrapper in wrappers), change)
