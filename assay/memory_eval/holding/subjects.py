"""Finding the entities of a world in a lexed text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.memory_eval.holding.lexing import Lexed, lexed

_OPTIONAL = frozenset("project branch".split())
"""Words of a name that a memory may leave out."""
_LOOSE_FROM = 3
"""Words from which a name may be scattered, as in "Q1 2026 revenue of the Nagpur branch"."""
_SLACK = 4
_LABEL = re.compile(r"[^\W\d_]+\d+")
"""A part of a name that may stand for it where the rest was named before, as in "Nagpur branch 2026: Q1 …, Q2 …"."""


@dataclass(frozen=True, slots=True)
class Found:
    """An entity in a text: its name, and the place of its first token and the one after its last."""

    entity: str
    begin: int
    end: int


class Subjects:
    """The entities of a world, indexed by the rarest token of each name."""

    def __init__(self, names: Iterable[str]) -> None:
        tokens = {name: _tokens(name) for name in names}
        counts = Counter(token for one in tokens.values() for token in set(one))
        self._by_anchor: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        for name, one in tokens.items():
            if one:
                anchor = min(one, key=lambda token: (counts[token], -len(token)))
                self._by_anchor.setdefault(anchor, []).append((name, one))
        self._labels: dict[tuple[str, ...], dict[str, str]] = {}
        """Of names that differ in one label, the other tokens, and each name by its label."""
        for name, one in tokens.items():
            for label in filter(_LABEL.fullmatch, one if len(one) >= _LOOSE_FROM else ()):
                stem = tuple(token for token in one if token != label)
                self._labels.setdefault(stem, {})[label] = name
        self._stems: dict[str, list[tuple[str, ...]]] = {}
        for stem in self._labels:
            self._stems.setdefault(stem[0], []).append(stem)

    def of(self, text: Lexed) -> list[Found]:
        """Return every mention of an entity, in the order of the text."""
        found = [one for place, token in enumerate(text.tokens) for one in self._at(text.tokens, place, token)]
        if self._stems:
            found += self._labelled(text.tokens, {place for one in found for place in range(one.begin, one.end)})
        return sorted(found, key=lambda one: one.begin)

    def leading(self, text: Lexed) -> Found | None:
        """Return the entity that a text begins with, dates and numbers aside."""
        numbers = {one.place for one in text.mentions}
        first = next((n for n, token in enumerate(text.tokens) if n not in numbers and token not in _OPTIONAL), None)
        return next((one for one in self.of(text) if one.begin == first), None)

    def _at(self, tokens: list[str], place: int, token: str) -> Iterator[Found]:
        for name, needed in self._by_anchor.get(token, ()):
            spot = _near(tokens, place, needed, _SLACK if len(needed) >= _LOOSE_FROM else 0)
            if spot is not None:
                yield Found(name, *spot)

    def _labelled(self, tokens: list[str], named: set[int]) -> Iterator[Found]:
        """Yield an entity for each label that follows the rest of its name, up to the next such rest."""
        known: dict[str, str] = {}
        for place, token in enumerate(tokens):
            stems = [one for one in self._stems.get(token, ()) if _near(tokens, place, one, _SLACK)]
            if stems:
                known = {label: name for one in stems for label, name in self._labels[one].items()}
            if token in known and place not in named:
                yield Found(known[token], place, place + 1)


def _tokens(name: str) -> tuple[str, ...]:
    tokens = lexed(name).tokens
    return tuple(dict.fromkeys(token for token in tokens if token not in _OPTIONAL)) or tuple(tokens)


def _near(tokens: list[str], place: int, needed: tuple[str, ...], slack: int) -> tuple[int, int] | None:
    """Return the begin and end of the needed tokens around a place that has one of them, with others between them."""
    reach = len(needed) + slack - 1
    low = max(0, place - reach)
    near = tokens[low : place + reach + 1]
    if any(one not in near for one in needed):
        return None
    first, last = _tightest(near, needed, place - low)
    return (low + first, low + last + 1) if last - first <= reach else None


def _tightest(near: list[str], needed: tuple[str, ...], anchor: int) -> tuple[int, int]:
    """Return first and last place of the needed tokens nearest to the anchor."""
    places = [anchor]
    for token in needed:
        at = [place for place, one in enumerate(near) if one == token]
        places.append(anchor if anchor in at else min(at, key=lambda place: abs(place - anchor)))
    return min(places), max(places)
