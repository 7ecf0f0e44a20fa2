"""Findings of earlier pushes: the same claim keeps its id, and what is often dismissed is not reported again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.validators.report.review import REVIEW, Demonstration, QuotedLines, ReviewedPlace, Side
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
class ReportedFinding:
    """What it takes to report a finding of the last push again: its place, its line, its fix and its test."""

    place: ReviewedPlace
    line: int | None = None
    replacement: str | None = None
    demonstration: Demonstration | None = None

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> ReportedFinding:
        """Return it from plain data."""
        place, shown = data["place"], data["demonstration"]
        lines, *evidence = (
            QuotedLines(Side(one["side"]), one["path"], one["quote"]) for one in (place["lines"], *place["evidence"])
        )
        test = Demonstration(**{**shown, "output": tuple(shown["output"])}) if shown is not None else None
        parts = {
            "place": ReviewedPlace(**{**place, "lines": lines, "evidence": tuple(evidence)}),
            "demonstration": test,
        }
        return cls(**{**data, **parts})


@dataclass(frozen=True, slots=True)
class EarlierFinding:
    """Finding of an earlier push of the same pull request, or one that was dismissed in the repository.

    `rule` is `review.<question>`; `context` is what its id depends on; `is_dismissed`: a maintainer waived it or
    reacted against it. `reported` is set for a finding that the last push reported and that was not dismissed.
    """

    rule: str
    path: str
    context: str
    message: str
    is_dismissed: bool = False
    reported: ReportedFinding | None = None

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> EarlierFinding:
        """Return it from plain data."""
        reported = data["reported"]
        return cls(**{**data, "reported": ReportedFinding.from_data(reported) if reported is not None else None})


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


def says_the_same(one: str, other: str) -> bool:
    """Return whether two statements say much the same."""
    return _share(one, other) >= SIMILAR_WORDS


def is_often_dismissed(claim: Claim, earlier: Sequence[EarlierFinding]) -> bool:
    """Return whether at least three dismissed findings of its question say much the same."""
    alike = (
        one
        for one in earlier
        if one.is_dismissed
        and one.rule == f"{REVIEW}.{claim.question}"
        and says_the_same(one.message, message_of(claim))
    )
    return sum(1 for _ in alike) >= LEAST_DISMISSED


def _share(one: str, other: str) -> float:
    """Return the Jaccard index of the words of two texts."""
    words, others = set(_WORD.findall(one.lower())), set(_WORD.findall(other.lower()))
    return len(words & others) / len(words | others) if words and others else 0.0
