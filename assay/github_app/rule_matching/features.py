"""Numeric features of a pair of rules: what they share and where they differ.

Every feature is symmetric.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from math import fsum
from typing import TYPE_CHECKING, Any

from assay.embedding.embedder import Embedder
from assay.embedding.rows import unit_rows
from assay.github_app.rule_matching.canonical import CanonicalRule, wording_of
from assay.github_app.rule_matching.intents import content_words, generic_words, verbs
from assay.github_app.rule_matching.lexicon import lexicon
from assay.github_app.rule_matching.stances import read
from assay.github_app.rule_matching.weights import weight_of
from assay.github_app.rule_matching.words import stem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEATURES = (
    "axis_shared", "axis_best", "axis_share", "axis_apart", "axis_opposed", "topic_only", "meaning", "rule_meaning",
    "letters", "words", "words_best", "swapped", "signs_opposed", "antonyms", "scopes_apart", "kinds_apart",
    "own_axes", "turned", "contained",
)  # fmt: skip
"""Feature names, in order."""

OPINIONS = ("network", "network_against", "network_words", "network_axis")
"""Names of the values `opinions` returns."""

_FEWEST, _ALL_BUT_NOTHING, _MUCH = 2, 0.95, 0.45
"""Thresholds of containment: words, share of the shorter text's weight, share of both."""

_BROAD = 0.4
"""Weight of a shared broad axis without a shared content word."""

_SCALES: dict[str, tuple[NDArray[np.float32], float, float]] = {}
"""Calibration by embedder: mean vector of unrelated rules, and mean and spread of their cosines without it."""

_PLACING = frozenset(("in", "insid", "within", "for", "at", "from"))


@dataclass(frozen=True, slots=True)
class Side:
    """Rule prepared for comparisons."""

    rule: CanonicalRule
    stances: Mapping[str, float]
    evidence: Mapping[str, frozenset[str]]
    topics: frozenset[str]
    content: Mapping[str, int]
    kinds: frozenset[int]
    letters: Mapping[int, float]
    scopes: frozenset[str]
    antonyms: Mapping[int, int]
    verbs: frozenset[str]
    meaning: NDArray[np.float32]
    rule_meaning: NDArray[np.float32]


def sides_of(rules: Sequence[CanonicalRule], embedder: Embedder) -> list[Side]:
    """Prepare rules for comparison, with a single call of the embedder."""
    said = [rule.said or rule.text for rule in rules]
    wordings = [wording_of(rule.axis) or rule.text.removeprefix("Rule: ") for rule in rules]
    rows = meanings([*said, *wordings], embedder)
    return [_side(rule, rows[place], rows[place + len(rules)]) for place, rule in enumerate(rules)]


def features(a: Side, b: Side, embedder: Embedder) -> tuple[float, ...]:
    """Return the `FEATURES` of two rules."""
    mean, spread = scale(embedder.name)
    shared = {axis for axis in a.stances.keys() & b.stances.keys() if a.stances[axis] * b.stances[axis] > 0}
    opposed = {axis for axis in a.stances.keys() & b.stances.keys() if a.stances[axis] * b.stances[axis] < 0}
    strengths = {axis: _strength(a, b, axis) for axis in shared | opposed}
    total = fsum(max(abs(a.stances.get(axis, 0)), abs(b.stances.get(axis, 0))) for axis in {*a.stances, *b.stances})
    both_sure = _is_sure(a) and _is_sure(b)
    words, best = _overlap(a.content, b.content)
    signs_opposed = _signs_opposed(a.content, b.content)
    return (
        min(2.0, fsum(strengths[axis] for axis in shared)),
        max((strengths[axis] for axis in shared), default=0.0),
        fsum(strengths[axis] for axis in shared) / total if total else 0.0,
        float(both_sure and not shared),
        max((strengths[axis] for axis in opposed), default=0.0),
        float(bool(a.topics & b.topics) and not shared),
        _bounded((float(a.meaning @ b.meaning) - mean) / spread),
        # Two texts on one axis have the same wording, so the certainty of the axis decides.
        _bounded((float(a.rule_meaning @ b.rule_meaning) - mean) / spread)
        * (strengths.get(a.rule.axis.lstrip("-"), 1.0) if a.rule.axis == b.rule.axis else 1.0),
        _cosine(a.letters, b.letters),
        words,
        best,
        _swapped(a.content, b.content),
        signs_opposed,
        float(any(a.antonyms[pair] * b.antonyms[pair] < 0 for pair in a.antonyms.keys() & b.antonyms.keys())),
        float(bool(a.scopes and b.scopes and not a.scopes & b.scopes)),
        float(bool(a.kinds and b.kinds and not a.kinds & b.kinds)),
        float(min(2, _num_own(a, b), _num_own(b, a))),
        _turned(a.content, b.content),
        _contained(a, b, (words, best), signs_opposed),
    )


def opinions(opinion: float, numbers: Mapping[str, float]) -> tuple[float, ...]:
    """Return the network's opinion, also weighted by the words or the side of an axis the rules share."""
    return opinion, min(0.0, opinion), opinion * numbers["words_best"], opinion * numbers["axis_best"]


def _side(rule: CanonicalRule, meaning: NDArray[np.float32], rule_meaning: NDArray[np.float32]) -> Side:
    reading = read(rule.said or rule.text)
    content = dict(content_words(reading))
    axes = lexicon().axes
    return Side(
        rule=rule,
        stances=reading.stances,
        evidence=reading.evidence,
        topics=frozenset(axes[axis].topic for axis in reading.stances),
        content=content,
        kinds=frozenset(place for place, kind in enumerate(_kinds()) if kind & content.keys()),
        letters=_letters(tuple(content)),
        scopes=_scopes_of(reading.words),
        antonyms=_antonyms(dict(zip(reading.words, reading.governed, strict=True))),
        verbs=verbs().intersection(reading.words),
        meaning=meaning,
        rule_meaning=rule_meaning,
    )


def _strength(a: Side, b: Side, axis: str) -> float:
    """Return the lower certainty of the axis; reduced on a broad axis if no content word is shared."""
    least = min(abs(a.stances[axis]), abs(b.stances[axis]))
    said = (a.evidence[axis] & b.evidence[axis]) - generic_words()
    return least if said or not lexicon().axes[axis].is_broad else _BROAD * least


def _num_own(side: Side, other: Side) -> int:
    """Count the axes one rule is certain of and the other does not touch."""
    return sum(abs(side.stances[axis]) >= 1 for axis in side.stances.keys() - other.stances.keys())


def _scopes_of(words: Sequence[str]) -> frozenset[str]:
    """Return the places a text names: "in tests", "inside the loop"."""
    placed = pairwise(words)
    return frozenset(word for before, word in placed if before in _PLACING and word in _scopes())


def _is_sure(side: Side) -> bool:
    return any(abs(strength) >= 1 for strength in side.stances.values())


def _overlap(a: Mapping[str, int], b: Mapping[str, int]) -> tuple[float, float]:
    """Return the shared weight over all words, and over the words of the shorter text."""
    shared = fsum(map(weight_of, a.keys() & b.keys()))
    of_a, of_b = fsum(map(weight_of, a)), fsum(map(weight_of, b))
    if not of_a or not of_b:
        return 0.0, 0.0
    return shared / (of_a + of_b - shared), shared / min(of_a, of_b)


def _swapped(a: Mapping[str, int], b: Mapping[str, int]) -> float:
    """Return how far two texts differ only in their object: "make the field final", "make the class final"."""
    shared = fsum(map(weight_of, a.keys() & b.keys()))
    only_a, only_b = fsum(map(weight_of, a.keys() - b.keys())), fsum(map(weight_of, b.keys() - a.keys()))
    least = shared + min(only_a, only_b)
    return 4 * shared * min(only_a, only_b) / (least * least) if least else 0.0


def _signs_opposed(a: Mapping[str, int], b: Mapping[str, int]) -> float:
    """Return the share of the common words that only one of the two advises against."""
    shared = a.keys() & b.keys()
    total = fsum(map(weight_of, shared))
    return fsum(weight_of(word) for word in shared if (a[word] == -1) != (b[word] == -1)) / total if total else 0.0


def _contained(a: Side, b: Side, overlap: tuple[float, float], signs_opposed: float) -> float:
    """Return 1 if the longer text covers the shorter one, with the same verbs and polarity."""
    words, best = overlap
    if min(len(a.content), len(b.content)) < _FEWEST or best < _ALL_BUT_NOTHING or words < _MUCH:
        return 0.0
    fits = not a.verbs or not b.verbs or bool(a.verbs & b.verbs)
    return float(fits and signs_opposed <= 1 - _MUCH)


def _turned(a: Mapping[str, int], b: Mapping[str, int]) -> float:
    """Return how far the preferences are reversed: "X rather than Y", "Y rather than X"."""
    shared = a.keys() & b.keys()
    one = fsum(weight_of(word) for word in shared if a[word] == -1 != b[word])
    other = fsum(weight_of(word) for word in shared if b[word] == -1 != a[word])
    total = fsum(map(weight_of, shared))
    return 2 * min(one, other) / total if total else 0.0


@lru_cache(maxsize=4096)
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
    return fsum(value * large.get(part, 0.0) for part, value in sorted(small.items()))


def _antonyms(governed: Mapping[str, int]) -> dict[int, int]:
    """Map each pair of antonyms to the side asked for: 1 the first, -1 the second."""
    found: dict[int, int] = {}
    for place, (one, other) in enumerate(_pairs()):
        # Advice against the first word counts as advice for the second.
        votes = sum(-1 if governed[word] < 0 else 1 for word in one & governed.keys())
        votes -= sum(-1 if governed[word] < 0 else 1 for word in other & governed.keys())
        if votes:
            found[place] = 1 if votes > 0 else -1
    return found


@cache
def _pairs() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    return tuple(
        (frozenset(stem(str(word)) for word in one), frozenset(stem(str(word)) for word in other))
        for one, other in _contraries()["antonyms"]
    )


@cache
def _kinds() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(map(stem, kind)) for kind in _contraries()["kinds"])


@cache
def _scopes() -> frozenset[str]:
    return frozenset(stem(word) for word in _contraries()["scopes"])


@cache
def _contraries() -> Mapping[str, list[Any]]:
    import yaml

    raw: Mapping[str, list[Any]] = yaml.safe_load(
        files("assay.github_app.rule_matching").joinpath("contraries.yaml").read_text("utf-8")
    )
    return raw


def _bounded(value: float) -> float:
    return max(-2.0, min(8.0, value))


def meanings(texts: Sequence[str], embedder: Embedder) -> NDArray[np.float32]:
    """Return centred rows of length 1."""
    if embedder.name not in _SCALES:
        _SCALES[embedder.name] = _measured(embedder)
    return unit_rows(embedder.embed(texts) - _SCALES[embedder.name][0])


def scale(name: str) -> tuple[float, float]:
    """Return the mean and spread of the cosines of unrelated rules; call `meanings` for that embedder first."""
    _, mean, spread = _SCALES[name]
    return mean, spread


def _measured(embedder: Embedder) -> tuple[NDArray[np.float32], float, float]:
    import numpy as np

    rows = embedder.embed([axis.rule for axis in lexicon().axes.values()])
    middle = rows.mean(axis=0)
    rows = unit_rows(rows - middle)
    cosines = (rows @ rows.T)[~np.eye(len(rows), dtype=bool)]
    return middle, float(cosines.mean()), float(cosines.std()) or 1.0
