"""Review of a change by a language model, as the report has it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from assay.validators.report.annotations import Count, FindingId, Path

if TYPE_CHECKING:
    from assay.validators.report.model import Finding

REVIEW = "review"
"""Rule of the review's findings; a part is the question: `review.correctness`."""
MODEL_TOOL = "model"
"""Tool of findings of rules in words, which a model evaluates."""


MOST_TEST_LINES = 60
"""Lines of a test that a report shows."""


def is_by_model(finding: Finding) -> bool:
    """Return whether a model reported a finding: its review, or a rule in words."""
    return finding.rule.startswith(f"{REVIEW}.") or finding.tool == MODEL_TOOL


class ReviewQuestion(StrEnum):
    """Question that the model is asked about each part of the change."""

    correctness = "correctness"
    contract = "contract"
    security = "security"
    design = "design"


@dataclass(frozen=True, slots=True)
class DroppedClaims:
    """Number of claims of the model that were not reported, for one reason."""

    reason: str
    count: Count


@dataclass(frozen=True, slots=True)
class Demonstration:
    """Test that demonstrates a finding: it fails on the head by an assertion and passes on the base or with the fix.

    `path` and `text` are the new test file, ready to be committed; `output` are the lines of its failure on the head.
    """

    finding: FindingId
    path: Path
    text: str
    output: tuple[str, ...] = ()


class Side(StrEnum):
    """Tree that lines are in."""

    base = "base"
    head = "head"


class Fate(StrEnum):
    """What became of an earlier finding that the review no longer reports.

    `edited`: its lines were edited or removed. `refuted`: its lines stand, but code around them changed, and the second
    pass or its test shows that it no longer holds. `moved`: its lines are in another file.
    """

    edited = "edited"
    refuted = "refuted"
    moved = "moved"


@dataclass(frozen=True, slots=True)
class QuotedLines:
    """Lines of a file that a finding refers to; `side` is the tree, `quote` their words, white space normalised."""

    side: Side
    path: Path
    quote: str


@dataclass(frozen=True, slots=True)
class ReviewedPlace:
    """What a finding of the review is about: the next push's review recognizes and carries it by these.

    `symbol` is the enclosing definition, or "", and `quote` the words its id depends on: those of the push that
    reported it first. `lines` are the lines it is about now, `evidence` those it refers to. `replaced` is the exact
    text that its replacement replaces. `state` is a digest of the files it is about. `is_expectation_quoted`: the
    expectation of its test is quoted from outside the model. `is_carried`: an earlier review found it and this one did
    not have to.
    """

    finding: FindingId
    symbol: str
    quote: str
    lines: QuotedLines
    state: str
    evidence: tuple[QuotedLines, ...] = ()
    replaced: str | None = None
    is_expectation_quoted: bool = False
    is_carried: bool = False


@dataclass(frozen=True, slots=True)
class ResolvedFinding:
    """Finding of an earlier push that the review no longer reports, and why."""

    finding: FindingId
    why: Fate


@dataclass(frozen=True, slots=True)
class ModelReview:
    """Review by a model: what it was asked, what it cost, and what became of its claims.

    `prompts` are name, version and hash of each prompt that was used. `num_tokens_in` counts all tokens of the prompts,
    `num_tokens_cached` those of them that were read from the cache. `cost_usd` is None without a price. `stopped`
    is why it ended before all questions were answered. `unknowns` are open questions that would change the risk.
    """

    model: str
    prompts: tuple[str, ...] = ()
    num_calls: Count = 0
    num_tokens_in: Count = 0
    num_tokens_cached: Count = 0
    num_tokens_out: Count = 0
    cost_usd: Annotated[float, Field(ge=0)] | None = None
    num_claims: Count = 0
    places: tuple[ReviewedPlace, ...] = ()
    resolved: tuple[ResolvedFinding, ...] = ()
    dropped: tuple[DroppedClaims, ...] = ()
    demonstrations: tuple[Demonstration, ...] = ()
    unknowns: tuple[str, ...] = ()
    stopped: str | None = None
