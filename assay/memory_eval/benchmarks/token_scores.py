"""Scores of an answer by its words: LoCoMo's F1, and whether it contains the gold answer."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

import snowballstemmer

MOST_CHARACTERS = 50_000
"""Longest compared answer; reports keep no more."""

_STEMMER = snowballstemmer.stemmer("porter")
_ARTICLES = re.compile(r"\b(?:a|an|the|and)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalized(text: str) -> str:
    """Return a text in lower case, without ASCII punctuation, articles, "and" and repeated blanks."""
    plain = text[:MOST_CHARACTERS].lower().translate(_NO_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", plain).split())


def token_f1(answer: str, gold: str) -> float:
    """Return the F1 of the stemmed words of both texts, 0.0 to 1.0; 0.0 if they share none."""
    ours, theirs = (_STEMMER.stemWords(normalized(text).split()) for text in (answer, gold))
    num_shared = (Counter(ours) & Counter(theirs)).total()
    if not num_shared:
        return 0.0
    precision, recall = num_shared / len(ours), num_shared / len(theirs)
    return 2 * precision * recall / (precision + recall)


def token_f1_of_parts(answer: str, gold: str) -> float:
    """Return the mean over the gold's parts, separated by commas, of the best F1 of any part of the answer."""
    parts = list(dict.fromkeys(part.strip() for part in answer[:MOST_CHARACTERS].split(",")))
    golds = [part.strip() for part in gold.split(",")]
    return sum(max(token_f1(part, one) for part in parts) for one in golds) / len(golds)


def contains_share(answer: str, golds: Sequence[str]) -> float:
    """Return the share of golds that the answer contains, as whole words after normalization."""
    text = f" {normalized(answer)} "
    found = [_contains(answer, text, gold) for gold in golds]
    return sum(found) / len(found) if found else 0.0


def _contains(answer: str, text: str, gold: str) -> bool:
    words = normalized(gold)
    # A gold such as "A" or "+" has no words left, and is compared as it is written.
    return f" {words} " in text if words else gold in answer[:MOST_CHARACTERS]
