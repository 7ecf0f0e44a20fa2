"""Second pass: a fresh conversation tries to refute each claim; only a claim that stands is reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from assay.validators.changes.change import shown
from assay.validators.report.review import Side
from assay.validators.review.claims import Claim, Place
from assay.validators.review.trees import Trees

AROUND = 15
"""Lines shown before and after the claim's place."""
REFUTATION: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["verdict", "reason", "evidence"],
    "properties": {
        "verdict": {"type": "string", "enum": ["refuted", "stands", "cannot_tell"]},
        "reason": {"type": "string"},
        "evidence": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["side", "path", "quote"],
                "properties": {
                    "side": {"type": "string", "enum": ["base", "head"]},
                    "path": {"type": "string"},
                    "quote": {"type": "string"},
                },
            },
        },
    },
}


class Verdict(StrEnum):
    """Outcome of a refutation."""

    refuted = "refuted"
    stands = "stands"
    cannot_tell = "cannot_tell"


def claim_text(claim: Claim, trees: Trees) -> str:
    """Return the claim and the code around it, without the evidence the first pass gave."""
    return statement_text(claim.place, [claim.statement, *(f"{name}: {text}" for name, text in claim.details)], trees)


def statement_text(place: Place, statement: Sequence[str], trees: Trees) -> str:
    """Return a statement about a place and the code around it."""
    parts = [f"Statement about {place.side} {shown(place.path)}:", *statement]
    parts += ["", "The code, with line numbers; `>` marks the lines that the statement is about:"]
    return "\n".join([*parts, *_numbered(place, trees)])


def verdict_of(value: Any, trees: Trees) -> Verdict:
    """Return the verdict of a refutation's answer; without a quote that exists, it cannot tell."""
    if not isinstance(value, Mapping) or value.get("verdict") not in list(Verdict):
        return Verdict.cannot_tell
    verdict = Verdict(value["verdict"])
    evidence = value.get("evidence")
    quotes = evidence if isinstance(evidence, list) else []
    return verdict if any(_exists(one, trees) for one in quotes[:20]) else Verdict.cannot_tell


def _exists(given: Any, trees: Trees) -> bool:
    if not isinstance(given, Mapping) or given.get("side") not in list(Side):
        return False
    path, quote = given.get("path"), given.get("quote")
    return isinstance(path, str) and isinstance(quote, str) and bool(trees.places(Side(given["side"]), path, quote))


def _numbered(place: Place, trees: Trees) -> list[str]:
    lines = trees.lines(place.side, place.path) or []
    first, last = max(1, place.start - AROUND), min(len(lines), place.end + AROUND)
    return [
        f"{'>' if place.start <= number <= place.end else ' '} {number}: {lines[number - 1]}"
        for number in range(first, last + 1)
    ]
