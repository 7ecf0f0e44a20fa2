"""Public word lists, each read once, and names that are drawn from them, each only once."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files

from assay.seeded_random import Draws

# ------------------ vocabulary files

VOCABULARY = "vocabulary"


@cache
def words(name: str) -> tuple[str, ...]:
    """Return the list of `<name>.json`; raises `ValueError` if there is none."""
    (file,) = (
        file
        for folder in files("assay.memory_eval.world").joinpath(VOCABULARY).iterdir()
        if folder.is_dir()
        for file in folder.iterdir()
        if file.name == f"{name}.json"
    )
    return tuple(json.loads(file.read_text("utf-8")))


@cache
def near_words(name: str) -> dict[str, tuple[str, ...]]:
    """Return similar real words by word of the list, from `near_<name>.json`."""
    groups = (group.split() for group in words(f"near_{name}"))
    return {group[0]: tuple(group[1:]) for group in groups}


# ------------------ names

_SECOND_OF_TWO = 40
"""Draws without a free name after which a list counts as nearly used up, and a number is added to the name."""


class Bag:
    """A list drawn item by item; every item comes once before any comes again."""

    def __init__(self, draws: Draws, items: Sequence[str]) -> None:
        self._draws = draws
        self._items = items
        self._left: list[str] = []

    def take(self) -> str:
        """Return the next item."""
        if not self._left:
            self._left = list(self._items)
            self._draws.shuffle(self._left)
        return self._left.pop()


class Names:
    """The names of one world, of the lists that `words` returns. `taken` holds all of them, of every kind."""

    def __init__(self, draws: Draws, words: Callable[[str], Sequence[str]]) -> None:
        self._list = words
        self._draws = draws
        self._bags: dict[str, Bag] = {}
        self.taken: set[str] = set()

    def next_of(self, vocabulary: str) -> str:
        """Return a word of the list; every word comes once before any comes again."""
        bag = self._bags.get(vocabulary)
        if bag is None:
            bag = self._bags[vocabulary] = Bag(self._draws.apart(vocabulary), self._list(vocabulary))
        return bag.take()

    def unique(self, make: Callable[[], str]) -> str:
        """Return the first generated name that is free, and reserve it."""
        name = make()
        for _ in range(_SECOND_OF_TWO):
            if name not in self.taken:
                break
            name = make()
        stem, num = name, 2
        while name in self.taken:
            name, num = f"{stem} {num}", num + 1
        self.taken.add(name)
        return name
