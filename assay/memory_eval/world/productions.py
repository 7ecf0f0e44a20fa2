"""The productions of one exam: of each slot of its pack about 60 %, drawn by its key, and the words of its lists."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from assay.memory_eval.world.packs import Pack
from assay.memory_eval.world.vocabulary_files import near_words, words
from assay.seeded_random import Draws

SHARE = 60
"""Per cent of the productions of a slot that one exam uses."""
_FIELD = re.compile(r"\{(\w+)\}")
_ALIKE = 3
"""First letters that two coined words share if one may be taken for the other."""


class Productions:
    """What a pack says, as far as this exam uses it; `draws` decides which."""

    def __init__(self, pack: Pack, draws: Draws) -> None:
        self.pack = pack
        self._draws = draws
        self._chosen: dict[tuple[str, ...], Sequence[Any]] = {}
        self._words: dict[str, tuple[str, ...]] = {}

    def of(self, *path: str) -> Sequence[Any]:
        """Return the chosen productions of a slot; () if the pack has none."""
        chosen = self._chosen.get(path)
        if chosen is None:
            all_of_it = self.pack.at(*path) or ()
            if isinstance(all_of_it, str):
                all_of_it = (all_of_it,)
            num = -(-len(all_of_it) * SHARE // 100)
            chosen = self._draws.apart("/".join(path)).some(all_of_it, num)
            self._chosen[path] = chosen
        return chosen

    def words(self, name: str) -> tuple[str, ...]:
        """Return a word list: the pack's own, one coined of syllables for this exam, or the public one."""
        if name not in self._words:
            own, coined = self.pack.at("words", name), self.pack.at("coined", name)
            if coined is not None:
                self._words[name] = coined_words(coined, self._draws.apart(f"coined/{name}"))
            else:
                self._words[name] = tuple(own) if own is not None else words(name)
        return self._words[name]

    def near(self, name: str, word: str) -> Sequence[str]:
        """Return words of a list, or near it, that may be taken for this one."""
        if self.pack.at("words", name) is None and self.pack.at("coined", name) is None:
            return near_words(name).get(word, ())
        return [one for one in self.words(name) if one != word and one[:_ALIKE] == word[:_ALIKE]]


def coined_words(rule: Mapping[str, Any], draws: Draws) -> tuple[str, ...]:
    """Return words made of syllables.

    `rule`: `num` words of `least` to `most` syllables from `onsets`, `vowels` and `codas`, then one of the `ends`;
    `capital` 1 for names.
    """
    onsets, vowels, codas = (rule[name].split(" ") for name in ("onsets", "vowels", "codas"))
    ends = str(rule.get("ends", "")).split(" ")
    found: dict[str, None] = {}
    for _ in range(20 * int(rule["num"])):
        size = draws.between(int(rule.get("least", 1)), int(rule.get("most", 2)))
        syllables = [draws.one(onsets) + draws.one(vowels) for _ in range(size)]
        word = (
            "".join(syllables).replace("-", "") + draws.one(codas).replace("-", "") + draws.one(ends).replace("-", "")
        )
        if len(word) > 3:
            found[word.capitalize() if rule.get("capital") else word] = None
        if len(found) == int(rule["num"]):
            break
    return tuple(found)


@lru_cache(maxsize=20_000)
def _split(frame: str) -> tuple[str, ...]:
    return tuple(_FIELD.split(frame))


def fields_of(frame: str) -> set[str]:
    """Return the names of the places of a frame."""
    return set(_split(frame)[1::2])


def fill(frame: str, parts: Mapping[str, str]) -> str:
    """Return a frame with its places filled; other braces are text."""
    pieces = _split(frame)
    return "".join(parts[piece] if place % 2 else piece for place, piece in enumerate(pieces))
