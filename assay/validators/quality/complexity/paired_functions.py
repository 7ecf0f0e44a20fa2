"""The version of a function in the base: by name, or by content for a renamed or moved one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.validators.languages.functions.function import Function
from assay.validators.quality.inputs.changed_texts import ReadFile

SAME_FROM = 0.5
"""Share of common lines from which two functions count as one that was renamed or moved."""

MOST_COMPARED = 2_000
"""Maximum functions that one is compared with."""


@dataclass(frozen=True)
class Placed:
    """Function with its file: the head's function in the head's text, the base's in the base's."""

    read: ReadFile
    function: Function
    of_file: Sequence[str]

    @property
    def key(self) -> tuple[str, str]:
        """Its file and name."""
        return self.read.file.path, self.function.name

    @cached_property
    def lines(self) -> frozenset[str]:
        """The distinct lines of its body, without white space at their ends."""
        body = self.of_file[self.function.start : self.function.end]
        return frozenset(stripped for line in body if len(stripped := line.strip()) > 3)

    def likeness(self, other: Placed) -> float:
        """Return the share of lines that two functions have in common."""
        return len(self.lines & other.lines) / max(len(self.lines), len(other.lines), 1)


class Base:
    """Functions of the base, and the names that the head still has."""

    def __init__(self, functions: Iterable[Placed], head: Iterable[Placed]) -> None:
        kept = {one.key for one in head}
        self._by_key: dict[tuple[str, str], list[Placed]] = {}
        self._gone: list[Placed] = []
        for one in functions:
            self._by_key.setdefault(one.key, []).append(one)
            if one.key not in kept or one.function.is_anonymous:
                self._gone.append(one)

    def earlier_self(self, now: Placed) -> Placed | None:
        """Return a function's version in the base: of its name, of several the most similar; None if it is new."""
        same = self._by_key.get(now.key, [])
        found = _most_alike(now, same)
        if found is not None and (now.likeness(found) >= SAME_FROM or not now.function.is_anonymous):
            return found
        found = _most_alike(now, self._gone)
        return found if found is not None and now.lines and now.likeness(found) >= SAME_FROM else None


def _most_alike(now: Placed, among: Sequence[Placed]) -> Placed | None:
    return among[0] if len(among) == 1 else max(among[:MOST_COMPARED], key=now.likeness, default=None)
