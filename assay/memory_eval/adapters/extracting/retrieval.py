"""Retrieval: entries ranked for a text by words, by meaning, or by both. Offline and reproducible.

index = Index(["Ada is allergic to nuts.", "Atlas is due in May."], "bm25")
index.search("Who is allergic?", 1)  ->  [(0, 0.43)]
"""

from __future__ import annotations

import logging
import re
import sys
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:  # imported on first use, to keep the start of agent processes fast
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["bm25", "embeddings", "both"]

READ_CHARACTERS = 20_000
"""Characters of an entry that are indexed; a turn has a few hundred."""

RANK_OFFSET = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke, Büttcher: SIGIR 2009)."""

OURS = "assay bm25+embeddings"
"""Name of the retriever by words and by meaning, as reports have it."""

PART = 500
"""Entries whose vectors are made at once."""

FUSED_DEPTH = 100
"""Least number of places fused from each ranking."""

_CURLY = "\N{RIGHT SINGLE QUOTATION MARK}"
_WORD = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W_]+(?:['._/@:-][^\W_]+)*")
_PART = re.compile(r"[^\W_]+")


class Index:
    """Searchable entries, indexed at the first search after an addition, so that adding is cheap.

    A place is an entry's number in the order added, from 0. Scores are comparable within one search only.
    """

    def __init__(self, entries: Iterable[str] = (), kind: Kind = "both") -> None:
        rankers: dict[Kind, tuple[type[_Words | _Meanings], ...]] = {
            "bm25": (_Words,),
            "embeddings": (_Meanings,),
            "both": (_Words, _Meanings),
        }
        self.kind = kind
        self._rankers = [ranker() for ranker in rankers[kind]]
        self._entries: list[str] = list(entries)

    def add(self, entry: str) -> None:
        """Add an entry; its place is the next number."""
        self._entries.append(entry)

    def search(self, text: str, num: int = 10) -> list[tuple[int, float]]:
        """Return at most `num` places with their scores, best first; of equal scores the later place first.

        Entries without any match are left out.
        """
        if not self._entries or num <= 0:
            return []
        depth = num if len(self._rankers) == 1 else max(num, FUSED_DEPTH)
        rankings = [ranker.ranking(self._entries, text, depth) for ranker in self._rankers]
        return rankings[0] if len(rankings) == 1 else _fused(rankings)[:num]


def words_of(text: str) -> list[str]:
    """Return words for comparing: lower case, singular, without stop words; `web-03` also as `web` and `03`."""
    stop_words = _stop_words()
    found = []
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text[:READ_CHARACTERS]).lower().replace(_CURLY, "'")):
        word = match[0]
        parts = [word] if word[0].isdigit() else _PART.findall(word)
        kept = [word] if len(parts) == 1 else [word.removesuffix("'s"), *parts]
        found += [sys.intern(singular(one)) for one in kept if one not in stop_words and one != "s"]
    return found


@cache
def _stop_words() -> frozenset[str]:
    from bm25s.stopwords import STOPWORDS_EN

    return frozenset(STOPWORDS_EN)


class _Words:
    """BM25 over the words; rebuilt after additions, since the counts change with every entry."""

    def __init__(self) -> None:
        self._words: list[list[str]] = []
        self._bm25: Any = None

    def ranking(self, entries: list[str], text: str, depth: int) -> list[tuple[int, float]]:
        if self._bm25 is None or len(self._words) < len(entries):
            self._words += [words_of(entry) for entry in entries[len(self._words) :]]
            self._bm25 = _bm25_of(self._words)
        if self._bm25 is None:
            return []
        known = [word for word in words_of(text) if word in self._bm25.vocab_dict]
        return _first(self._bm25.get_scores(known), depth) if known else []


class _Meanings:
    """Cosine similarity of averaged word vectors."""

    def __init__(self) -> None:
        import numpy as np

        self._vectors: NDArray[np.float32] = np.zeros((0, 0), dtype=np.float32)

    def ranking(self, entries: list[str], text: str, depth: int) -> list[tuple[int, float]]:
        if len(self._vectors) < len(entries):
            self._vectors = self._grown(entries)
        return _first(self._vectors @ _vectors_of([text])[0], depth)

    def _grown(self, entries: list[str]) -> NDArray[np.float32]:
        """Return the vectors of all entries; those of new ones are made in parts, which need less memory."""
        import numpy as np

        num_known = len(self._vectors)
        grown: NDArray[np.float32] | None = None
        for begin in range(num_known, len(entries), PART):
            vectors = _vectors_of(entries[begin : begin + PART])
            if grown is None:
                grown = np.empty((len(entries), vectors.shape[1]), dtype=np.float32)
                grown[:num_known] = self._vectors if num_known else 0
            grown[begin : begin + len(vectors)] = vectors
        return self._vectors if grown is None else grown


def _bm25_of(words: list[list[str]]) -> Any:
    import bm25s

    if not any(words):
        return None
    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it logs every index it builds
    bm25 = bm25s.BM25()
    bm25.index(words, show_progress=False)
    return bm25


def _first(scores: NDArray[np.float32], depth: int) -> list[tuple[int, float]]:
    """Return the places of the `depth` highest positive scores, best first; of equal scores the later place first."""
    import numpy as np

    # Rounded, so that the order does not depend on how a machine sums floats.
    rounded = np.round(scores.astype(np.float64), 5)
    least = np.partition(rounded, -depth)[-depth] if depth < len(rounded) else -np.inf
    places = np.flatnonzero((rounded >= least) & (rounded > 0))
    order = places[np.lexsort((-places, -rounded[places]))][:depth]
    return [(int(place), float(rounded[place])) for place in order]


def _fused(rankings: list[list[tuple[int, float]]]) -> list[tuple[int, float]]:
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, (place, _) in enumerate(ranking, start=1):
            scores[place] = scores.get(place, 0.0) + 1 / (RANK_OFFSET + rank)
    return sorted(scores.items(), key=lambda pair: (-pair[1], -pair[0]))


@lru_cache(maxsize=100_000)
def singular(word: str) -> str:
    """Remove plural endings by the S-stemmer (Harman: How effective is suffixing?, JASIS 42, 1991)."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("us", "ss")):
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    return word[:-1]


def _vectors_of(texts: list[str]) -> NDArray[np.float32]:
    """Return one row of length 1 per text (0 without any known word), from the beginning of the text."""
    from assay.embedding.embedder import EmbeddingSettings
    from assay.embedding.register import EMBEDDERS

    return EMBEDDERS["bundled"](EmbeddingSettings()).embed(texts)
