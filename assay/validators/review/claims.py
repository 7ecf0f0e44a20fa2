"""Claim of a model about a change, and the reasons for which claims are dropped.

A claim becomes a finding only after the checks of `questions.checking`, a refutation and, where tests may run, a
demonstration.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from assay.validators.report.review import ReviewQuestion, Side


class Consequence(StrEnum):
    """Consequence of what a claim describes, the worst first."""

    security = "security"
    data_loss = "data_loss"
    wrong_result = "wrong_result"
    crash = "crash"
    compatibility = "compatibility"
    resources = "resources"
    maintenance = "maintenance"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return list(Consequence).index(self)


class Dropped(StrEnum):
    """Reason for which a claim is not reported.

    `invalid`: it does not have the fields of its question. `unknown_file`: the change has no such file.
    `quote_missing`: the quoted text is in neither tree. `not_changed`: it is there, and the change does not touch it.
    `evidence_missing`: text quoted as evidence is not in the named tree. `few_siblings`: a design claim with fewer than
    three siblings. `hedged`: its statement is advice or doubt. `duplicate`: the same claim, or the same place, a second
    time. `already_reported`: a finding as severe and of its kind is on its lines. `dismissed`: like claims that were
    dismissed repeatedly. `refuted`, `not_upheld`: the second pass refuted it, or could not tell. `not_demonstrated`:
    its test shows that it is false. `intended`: the change states the new behaviour itself. `over_limit`: more claims
    than the configured maximum. `no_refutation`: the model gave no answer to its refutation.
    """

    invalid = "invalid"
    unknown_file = "unknown_file"
    quote_missing = "quote_missing"
    not_changed = "not_changed"
    evidence_missing = "evidence_missing"
    few_siblings = "few_siblings"
    hedged = "hedged"
    duplicate = "duplicate"
    already_reported = "already_reported"
    dismissed = "dismissed"
    refuted = "refuted"
    not_upheld = "not_upheld"
    not_demonstrated = "not_demonstrated"
    intended = "intended"
    over_limit = "over_limit"
    no_refutation = "no_refutation"


@dataclass(frozen=True, slots=True)
class Place:
    """Lines `start` to `end` (1-based, inclusive) of a file in one tree, with their text."""

    side: Side
    path: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Proposed replacement of lines `start` to `end` of a head file by `text`."""

    path: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Claim:
    """One checked statement about a changed place.

    `symbol` is the enclosing definition, or "". `aspect` is the kind within the question (of design: `naming` …).
    `details` are the fields of the question with their texts: of correctness `input`, `expected` and `actual`.
    """

    question: ReviewQuestion
    aspect: str
    place: Place
    symbol: str
    statement: str
    consequence: Consequence
    details: tuple[tuple[str, str], ...] = ()
    evidence: tuple[Place, ...] = ()
    fix: Fix | None = None

    @property
    def identity(self) -> tuple[str, str, str, str]:
        """What makes two claims the same over pushes: question, path, symbol, and the quoted words."""
        return self.question, self.place.path, self.symbol, " ".join(self.place.text.split())
