"""Index of rules, for the nearest of many: by meaning, and by rare words that both name."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from assay.github_app.rule_matching.decision import Comparer, Likeness, likeness
from assay.github_app.rule_matching.features import Side
from assay.github_app.rule_matching.weights import Rarity, weight_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from assay.github_app.rule_matching.canonical import CanonicalRule

MOST_READ = 30
"""Maximum rules compared in full for each of both ways: nearest in meaning, and sharing the rarest words."""

_RARE = 6.0
"""Least weight of a word that is looked up."""

_MOST_LOOKED_UP = 6
"""Maximum words looked up, the rarest first."""


class RuleIndex:
    """Rules in the order added; `nearest` compares one with those that can be like it."""

    def __init__(
        self, comparer: Comparer, rules: Sequence[CanonicalRule] = (), *, rarity: Rarity | None = None
    ) -> None:
        """Index `rules`; `rarity` is shared with other indexes of the repository, by default it is this one's."""
        self._comparer = comparer
        self._rarity = rarity or Rarity()
        self._sides: list[Side] = []
        self._rows: NDArray[np.float32] = _no_rows()
        self._owners: list[int] = []
        self._by_word: dict[str, list[int]] = defaultdict(list)
        self.add(rules)

    def __len__(self) -> int:
        return len(self._sides)

    def add(self, rules: Iterable[CanonicalRule]) -> None:
        """Add rules. Raises `EmbeddingUnavailable` if the embedder returns no answer."""
        for side in self._comparer.sides(list(rules)):
            place = len(self._sides)
            self._sides.append(side)
            for view in side.views:
                self._put(view.meaning)
                self._owners.append(place)
            words = {word for view in side.views for word in view.content}
            self._rarity.add(words)
            for word in words:
                if weight_of(word) >= _RARE:
                    self._by_word[word].append(place)

    def nearest(self, rule: CanonicalRule, k: int = 5) -> list[tuple[int, Likeness]]:
        """Return the `k` rules most similar to this one, best first, with their places; `rule_b` is that rule."""
        if not self._sides:
            return []
        this = self._comparer.sides([rule])[0]
        places = self._candidates(this, max(k, MOST_READ))
        found = [(place, likeness(this, self._sides[place], self._rarity.weight_of)) for place in places]
        found.sort(key=lambda pair: (-pair[1].score, pair[0]))
        return found[:k]

    def _candidates(self, this: Side, most: int) -> list[int]:
        import numpy as np

        rows = self._rows[: len(self._owners)]
        cosines: NDArray[np.float32] = (rows @ np.stack([view.meaning for view in this.views]).T).max(axis=1)
        most_rows = min(2 * most, len(cosines))
        nearest = np.argpartition(-cosines, most_rows - 1)[:most_rows]
        order = sorted(nearest.tolist(), key=lambda row: (-cosines[row], row))
        found = list(dict.fromkeys(self._owners[row] for row in order))[:most]
        words = {word for view in this.views for word in view.content if word in self._by_word}
        rarest = sorted(words, key=lambda word: (len(self._by_word[word]), word))[:_MOST_LOOKED_UP]
        sharing = [place for word in rarest for place in self._by_word[word][-most:]]
        return list(dict.fromkeys([*found, *sharing[:most]]))

    def _put(self, row: NDArray[np.float32]) -> None:
        import numpy as np

        size = len(self._owners)
        if size == len(self._rows):
            more = np.zeros((max(size, 64), len(row)), dtype=np.float32)
            self._rows = np.vstack([self._rows, more]) if size else more
        self._rows[size] = row


def _no_rows() -> NDArray[np.float32]:
    import numpy as np

    return np.zeros((0, 0), dtype=np.float32)
