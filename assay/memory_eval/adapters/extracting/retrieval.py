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
        rankings = [ranker.ranking(self._entries, text) for ranker in self._rankers]
        if len(rankings) == 1:
            return rankings[0][:num]
        return _fused(rankings, max(num, FUSED_DEPTH))[:num]


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

    def ranking(self, entries: list[str], text: str) -> list[tuple[int, float]]:
        if self._bm25 is None or len(self._words) < len(entries):
            self._words += [words_of(entry) for entry in entries[len(self._words) :]]
            self._bm25 = _bm25_of(self._words)
        if self._bm25 is None:
            return []
        known = [word for word in words_of(text) if word in self._bm25.vocab_dict]
        return _positive(self._bm25.get_scores(known)) if known else []


class _Meanings:
    """Cosine similarity of averaged word vectors."""

    def __init__(self) -> None:
        import numpy as np

        self._vectors: NDArray[np.float32] = np.zeros((0, 0), dtype=np.float32)

    def ranking(self, entries: list[str], text: str) -> list[tuple[int, float]]:
        new = entries[len(self._vectors) :]
        if new:
            import numpy as np

            vectors = _vectors_of(new)
            self._vectors = np.vstack([self._vectors, vectors]) if len(self._vectors) else vectors
        return _positive(self._vectors @ _vectors_of([text])[0])


def _bm25_of(words: list[list[str]]) -> Any:
    import bm25s

    if not any(words):
        return None
    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it logs every index it builds
    bm25 = bm25s.BM25()
    bm25.index(words, show_progress=False)
    return bm25


def _positive(scores: NDArray[np.float32]) -> list[tuple[int, float]]:
    import numpy as np

    # Rounded, so that the order does not depend on how a machine sums floats.
    rounded = np.round(scores.astype(np.float64), 5)
    order = np.lexsort((-np.arange(len(rounded)), -rounded))
    return [(int(place), float(rounded[place])) for place in order if rounded[place] > 0]


def _fused(rankings: list[list[tuple[int, float]]], depth: int) -> list[tuple[int, float]]:
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, (place, _) in enumerate(ranking[:depth], start=1):
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
