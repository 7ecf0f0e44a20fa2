"""Numeric features of a pair of rules: what they share and where they differ. Every feature is symmetric.

A rule is seen in up to two views: its wording, and the sentence of the comment it came from. The features are those of
the two views that are most alike.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from math import fsum
from typing import TYPE_CHECKING, Any

from assay.embedding.embedder import Embedder
from assay.embedding.rows import unit_rows
from assay.github_app.rule_matching.canonical import CanonicalRule
from assay.github_app.rule_matching.gate import holds_rule
from assay.github_app.rule_matching.intents import content_words
from assay.github_app.rule_matching.phrasebook import entries, known_opposite, known_rule
from assay.github_app.rule_matching.polarity import actions_of, read
from assay.github_app.rule_matching.weights import weight_of
from assay.github_app.rule_matching.words import BREAK, CODE, stem, without_code

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEATURES = ("meaning", "letters", "words", "shared", "code_apart", "action", "turned", "gate", "focus")
"""Feature names, in order."""

_MUCH = 25.0
"""Bound of the shared weight."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Text of a rule, prepared for comparisons: its content stems with polarity, and a centred row of length 1."""

    content: Mapping[str, int]
    code: frozenset[str]
    actions: frozenset[str]
    letters: Mapping[int, float]
    meaning: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Rule prepared for comparisons.

    `known` is its wording in the phrasebook, `known_opposite` that of the rule it is the contrary of; empty for none.
    """

    rule: CanonicalRule
    views: tuple[View, ...]
    gate: float
    known: str
    known_opposite: str
    contraries: Mapping[int, int]


def sides_of(rules: Sequence[CanonicalRule], embedder: Embedder) -> list[Side]:
    """Prepare rules for comparison, with a single call of the embedder."""
    texts = [_texts(rule) for rule in rules]
    rows = iter(unit_rows(embedder.embed([text for two in texts for text in two]) - _middle(embedder)))
    return [
        Side(
            rule,
            tuple(_view(text, next(rows), is_wording=text != rule.said) for text in two),
            max(map(holds_rule, two)),
            next(filter(None, map(known_rule, two)), ""),
            next(filter(None, map(known_opposite, two)), ""),
            _contraries_in(two[-1]),
        )
        for rule, two in zip(rules, texts, strict=True)
    ]


def features(a: Side, b: Side, weigh: Callable[[str], float] = weight_of) -> tuple[float, ...]:
    """Return the `FEATURES` of two rules, with the weights of words in their repository."""
    pairs = [(one, other, float(one.meaning @ other.meaning)) for one in a.views for other in b.views]
    one, other, meaning = max(pairs, key=lambda pair: pair[2] + _cosine(pair[0].letters, pair[1].letters))
    shared = one.content.keys() & other.content.keys()
    weight = fsum(map(weigh, shared))
    total = fsum(map(weigh, one.content.keys() | other.content.keys()))
    return (
        max(meaning, 0.0),
        _cosine(one.letters, other.letters),
        weight / total if total else 0.0,
        min(weight, _MUCH) / 10,
        float(bool(one.code and other.code and not one.code & other.code)),
        float(bool(one.actions & other.actions)),
        turned(one.content, other.content, weigh),
        min(a.gate, b.gate),
        min(a.rule.focus, b.rule.focus),
    )


def turned(a: Mapping[str, int], b: Mapping[str, int], weigh: Callable[[str], float] = weight_of) -> float:
    """Return the share of the common words, by weight, that one text asks for and the other advises against."""
    shared = a.keys() & b.keys()
    total = fsum(map(weigh, shared))
    return fsum(weigh(word) for word in shared if a[word] * b[word] == -1) / total if total else 0.0


def swapped(a: Mapping[str, int], b: Mapping[str, int]) -> float:
    """Return how far the preferences are reversed: "X rather than Y", "Y rather than X"."""
    shared = a.keys() & b.keys()
    one = fsum(weight_of(word) for word in shared if a[word] == -1 != b[word])
    other = fsum(weight_of(word) for word in shared if b[word] == -1 != a[word])
    total = fsum(map(weight_of, shared))
    return 2 * min(one, other) / total if total else 0.0


def opposed(a: Side, b: Side) -> bool:
    """Return whether two rules ask for contraries (contraries.yaml): tabs and spaces, sync and async."""
    return any(a.contraries[pair] * b.contraries[pair] < 0 for pair in a.contraries.keys() & b.contraries.keys())


def _texts(rule: CanonicalRule) -> tuple[str, ...]:
    """Return the wording of a rule and the sentence it came from; only that if the wording is the phrasebook's."""
    worded = rule.text.removeprefix("Rule: ")
    if not rule.said:
        return (worded,)
    is_own = rule.said != worded and known_rule(rule.said).rstrip(".") != worded
    return (worded, rule.said) if is_own else (rule.said,)


def _view(text: str, meaning: NDArray[np.float32], *, is_wording: bool) -> View:
    reading = read(text)
    content = dict(content_words(reading))
    if is_wording:
        # A wording forbids what it names as absent ("no `x`"), and asks for all else.
        content = {word: -1 if sign < 0 else 1 for word, sign in content.items()}
    return View(
        content=content,
        code=frozenset(without_code(word) for word in reading.words if word.endswith(CODE)) & content.keys(),
        actions=actions_of(reading),
        letters=_letters(tuple(content)),
        meaning=meaning,
    )


@lru_cache(maxsize=8192)
def _letters(words: tuple[str, ...]) -> Mapping[int, float]:
    """Return a unit vector of character n-grams (3 to 5 letters), weighted by word."""
    found: Counter[int] = Counter()
    for word in words:
        padded, weight = f"<{word}>", weight_of(word)
        for size in (3, 4, 5):
            for start in range(max(0, len(padded) - size + 1)):
                found[zlib.crc32(padded[start : start + size].encode("utf-8", "surrogatepass"))] += weight  # type: ignore[assignment]
    length = sum(value * value for value in found.values()) ** 0.5 or 1.0
    return {part: value / length for part, value in found.items()}


def _cosine(a: Mapping[int, float], b: Mapping[int, float]) -> float:
    small, large = (a, b) if len(a) <= len(b) else (b, a)
    return fsum(value * large.get(part, 0.0) for part, value in small.items())


def _contraries_in(text: str) -> dict[int, int]:
    """Map each pair of contraries that a text names to the side it asks for: 1 the first, -1 the second."""
    reading = read(text)
    pairs = zip(reading.words, reading.governed, strict=True)
    signs = {word: sign for word, sign in pairs if word != BREAK and sign in (1, -1)}
    found: dict[int, int] = {}
    for place, (one, other) in enumerate(_pairs()):
        # Advice against the first word counts as advice for the second.
        votes = sum(-1 if signs[word] < 0 else 1 for word in one & signs.keys())
        votes -= sum(-1 if signs[word] < 0 else 1 for word in other & signs.keys())
        if votes:
            found[place] = 1 if votes > 0 else -1
    return found


@cache
def _pairs() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    import yaml

    raw: list[Any] = yaml.safe_load(
        files("assay.github_app.rule_matching").joinpath("contraries.yaml").read_text("utf-8")
    )
    return tuple(
        (frozenset(stem(str(word)) for word in one), frozenset(stem(str(word)) for word in other)) for one, other in raw
    )


_MIDDLES: dict[str, NDArray[np.float32]] = {}


def _middle(embedder: Embedder) -> NDArray[np.float32]:
    """Return the mean row of review advice, by embedder: what all comments share and no comparison needs."""
    if embedder.name not in _MIDDLES:
        rows = embedder.embed([text for entry in entries() for text in (entry.rule, *entry.said)])
        _MIDDLES[embedder.name] = rows.mean(axis=0)
    return _MIDDLES[embedder.name]
