"""Findings of upheld claims: rule, severity, message and committable fix.

A claim that a second pass upheld is a warning at most, of design `info`. One that a test demonstrated may be an error,
if its expectation is quoted from outside the model.
"""

from __future__ import annotations

from assay.validators.report.model import Finding, Severity, Tier
from assay.validators.report.review import REVIEW, ReviewQuestion, Side
from assay.validators.review.claims import Claim

TOOL = "model"
_TITLES = {
    "input": "Input",
    "expected": "Expected",
    "actual": "Actual",
    "left_behind": "Not updated",
    "what_breaks": "Effect",
    "path": "Path",
    "effect": "Effect",
}


def severity_of(question: ReviewQuestion, *, demonstrated: bool = False, expectation_quoted: bool = False) -> Severity:
    """Return the highest severity that the evidence for a claim allows."""
    if demonstrated:
        return Severity.error if expectation_quoted else Severity.warning
    return Severity.info if question is ReviewQuestion.design else Severity.warning


def finding_of(claim: Claim, severity: Severity) -> Finding:
    """Return the finding of an upheld claim, without id; its context makes the id stable over pushes."""
    on_head = claim.place.side is Side.head
    fix = claim.fix
    place = (fix.start, fix.end) if fix is not None else (claim.place.start, claim.place.end) if on_head else None
    return Finding(
        tier=Tier.quality,
        severity=severity,
        rule=f"{REVIEW}.{claim.question}",
        file=claim.place.path,
        line=place[0] if place is not None else None,
        end_line=place[1] if place is not None else None,
        message=message_of(claim),
        tool=TOOL,
        context=context_of(claim),
        replacement=fix.text if fix is not None else None,
    )


def message_of(claim: Claim) -> str:
    """Return the statement, its details, and where its evidence is."""
    parts = [claim.statement.rstrip(". ") + "."]
    parts += [f"{_TITLES[name]}: {text.rstrip('. ')}." for name, text in claim.details]
    places = dict.fromkeys(f"{one.path}:{one.start}" for one in claim.evidence)
    if places:
        parts.append(f"See {', '.join(places)}.")
    return " ".join(parts)


def context_of(claim: Claim) -> str:
    """Return the text that a finding's id depends on: symbol and quoted words."""
    _, _, symbol, words = claim.identity
    return f"{symbol}: {words}"
