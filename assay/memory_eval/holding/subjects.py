"""Finding the entities of a world in a lexed text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.memory_eval.holding.lexing import Lexed, lexed

_OPTIONAL = frozenset("project branch".split())
"""Words of a name that a memory may leave out."""
_LOOSE_FROM = 3
"""Words from which a name may be scattered, as in "Q1 2026 revenue of the Nagpur branch"."""
_SLACK = 4


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

    def of(self, text: Lexed) -> list[Found]:
        """Return every mention of an entity, in the order of the text."""
        found = [one for place, token in enumerate(text.tokens) for one in self._at(text.tokens, place, token)]
        return sorted(found, key=lambda one: one.begin)

    def _at(self, tokens: list[str], place: int, token: str) -> Iterator[Found]:
        for name, needed in self._by_anchor.get(token, ()):
            size = len(needed)
            if size == 1:
                yield Found(name, place, place + 1)
                continue
            reach = size - 1 if size < _LOOSE_FROM else size + _SLACK - 1
            low = max(0, place - reach)
            near = tokens[low : place + reach + 1]
            if all(one in near for one in needed):
                spot = _tightest(near, needed, place - low)
                if spot[1] - spot[0] <= reach:
                    yield Found(name, low + spot[0], low + spot[1] + 1)


def _tokens(name: str) -> tuple[str, ...]:
    tokens = lexed(name).tokens
    return tuple(dict.fromkeys(token for token in tokens if token not in _OPTIONAL)) or tuple(tokens)


def _tightest(near: list[str], needed: tuple[str, ...], anchor: int) -> tuple[int, int]:
    """Return first and last place of the needed tokens nearest to the anchor."""
    places = [anchor]
    for token in needed:
        at = [place for place, one in enumerate(near) if one == token]
        places.append(anchor if anchor in at else min(at, key=lambda place: abs(place - anchor)))
    return min(places), max(places)
