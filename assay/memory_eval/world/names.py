"""Names for everything in the world, none of them given twice, and lists drawn from without repeats."""

from __future__ import annotations

from collections.abc import Callable

from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.world.vocabulary_files import words

_SECOND_OF_TWO = 40
"""So many draws without a free name mean that a list is nearly used up: then a number tells the names apart."""


class Bag:
    """A list drawn from one by one; everything in it comes once before anything comes again."""

    def __init__(self, draws: Draws, items: tuple[str, ...]) -> None:
        self._draws = draws
        self._items = items
        self._left: list[str] = []

    def take(self) -> str:
        """The next one."""
        if not self._left:
            self._left = list(self._items)
            self._draws.shuffle(self._left)
        return self._left.pop()


class Names:
    """The names of one world. `taken` holds them all, whatever they name."""

    def __init__(self, stream: str) -> None:
        self._draws = Draws(stream)
        self._bags: dict[str, Bag] = {}
        self.taken: set[str] = set()

    def next_of(self, vocabulary: str) -> str:
        """A word of the list; the list is gone through before any word comes again."""
        bag = self._bags.get(vocabulary)
        if bag is None:
            bag = self._bags[vocabulary] = Bag(self._draws.apart(vocabulary), words(vocabulary))
        return bag.take()

    def unique(self, make: Callable[[], str]) -> str:
        """The first made name that nothing in this world has; it is taken then."""
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
