"""Findings of earlier pushes: the same claim keeps its id, and what is often dismissed is not reported again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.validators.report.review import REVIEW
from assay.validators.review.claims import Claim
from assay.validators.review.findings import context_of, message_of

LEAST_DISMISSED = 3
"""Dismissed findings that a claim must be like before it is held back."""
SIMILAR_WORDS = 0.5
"""Share of words (Jaccard) from which two statements about one aspect count as alike."""
SIMILAR_QUOTES = 0.6
"""Share of words from which two quotes in one symbol are the same place, edited."""
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]+|[^\sA-Za-z0-9_]")


@dataclass(frozen=True, slots=True)
class EarlierFinding:
    """Finding of an earlier push of the same pull request, or one that was dismissed in the repository.

    `rule` is `review.<question>`; `context` is what its id depends on; `is_dismissed`: a maintainer waived it or
    reacted against it.
    """

    rule: str
    path: str
    context: str
    message: str
    is_dismissed: bool = False


def same_finding(claim: Claim, earlier: Iterable[EarlierFinding]) -> EarlierFinding | None:
    """Return the earlier finding that a claim repeats: same question, file and symbol, and a quote that is alike."""
    own = context_of(claim)
    symbol = own.partition(": ")[0]
    for one in earlier:
        if (one.rule, one.path) != (f"{REVIEW}.{claim.question}", claim.place.path):
            continue
        if one.context == own:
            return one
        if one.context.partition(": ")[0] == symbol and _share(one.context, own) >= SIMILAR_QUOTES:
            return one
    return None


def is_often_dismissed(claim: Claim, earlier: Sequence[EarlierFinding]) -> bool:
    """Return whether at least three dismissed findings of its question say much the same."""
    alike = (
        one
        for one in earlier
        if one.is_dismissed
        and one.rule == f"{REVIEW}.{claim.question}"
        and _share(one.message, message_of(claim)) >= SIMILAR_WORDS
    )
    return sum(1 for _ in alike) >= LEAST_DISMISSED


def _share(one: str, other: str) -> float:
    """Return the Jaccard index of the words of two texts."""
    words, others = set(_WORD.findall(one.lower())), set(_WORD.findall(other.lower()))
    return len(words & others) / len(words | others) if words and others else 0.0
