"""Model assessment of risk: it may raise the level of a change, with a cited line, and never lowers it.

One step up with a changed line that is quoted and a scenario; two where a test demonstrated the behaviour. The raised
level never sets a hold by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from assay.validators.report.gravity import Gravity
from assay.validators.report.model import MODEL, RiskAssessment, RiskLevel, Statement
from assay.validators.report.review import Side
from assay.validators.review.claims import Place
from assay.validators.review.questions.checking import overlap, plain_text
from assay.validators.review.trees import Trees
from assay.validators.risk.level import levelled

MOST_FACTORS = 8
MOST_UNKNOWNS = 5
KINDS = ("behaviour", "data", "security", "compatibility", "operations")
RISK: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["factors", "unknowns"],
    "properties": {
        "factors": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["kind", "level", "path", "quote", "scenario", "would_lower"],
                "properties": {
                    "kind": {"type": "string", "enum": list(KINDS)},
                    "level": {"type": "string", "enum": [str(level) for level in RiskLevel]},
                    "path": {"type": "string"},
                    "quote": {"type": "string"},
                    "scenario": {"type": "string"},
                    "would_lower": {"type": "string"},
                },
            },
        },
        "unknowns": {"type": "array", "items": {"type": "string"}},
    },
}


@dataclass(frozen=True, slots=True)
class Raised:
    """Assessment with the model's factors; `num_dropped` factors had no changed line or no scenario."""

    risk: RiskAssessment
    num_dropped: int = 0
    unknowns: tuple[str, ...] = ()


def raised(risk: RiskAssessment, value: Any, trees: Trees, demonstrated: Iterable[Place] = ()) -> Raised:
    """Add the factors of an answer to an assessment; `demonstrated` are the places a test failed about."""
    given = value if isinstance(value, Mapping) else {}
    factors = given.get("factors") if isinstance(given.get("factors"), list) else []
    unknowns = given.get("unknowns") if isinstance(given.get("unknowns"), list) else []
    proven = tuple(demonstrated)
    found = [_statement(one, risk.computed, trees, proven) for one in (factors or ())[:MOST_FACTORS]]
    kept = tuple(one for one in found if one is not None)
    said = (plain_text(one) for one in (unknowns or ())[:MOST_UNKNOWNS])
    return Raised(
        levelled(replace(risk, statements=(*risk.statements, *kept))),
        num_dropped=len(factors or ()) - len(kept),
        unknowns=tuple(one for one in said if one),
    )


def _statement(given: Any, level: RiskLevel, trees: Trees, demonstrated: tuple[Place, ...]) -> Statement | None:
    """Return a factor with a level above the computed one, bounded; None if it cites no changed line."""
    if not isinstance(given, Mapping) or given.get("kind") not in KINDS or given.get("level") not in list(RiskLevel):
        return None
    path, quote = given.get("path"), given.get("quote")
    scenario, lower = plain_text(given.get("scenario")), plain_text(given.get("would_lower"))
    if not isinstance(path, str) or not isinstance(quote, str) or not scenario:
        return None
    places = [one for side in Side for one in trees.places(side, path, quote) if trees.is_changed(one)]
    if not places:
        return None
    place = places[0]
    steps = 2 if any(overlap(place, one) for one in demonstrated) else 1
    levels = list(RiskLevel)
    bound = levels[min(levels.index(level) + steps, len(levels) - 1)]
    asked = RiskLevel(given["level"])
    raised_to = min(asked, bound, key=levels.index) if asked.rank > level.rank else None
    return Statement(
        "by_model",
        f"{given['kind']}: {scenario}",
        place.path if place.side is Side.head else None,
        place.start,
        lower or None,
        signal=MODEL,
        gravity=Gravity.notice if raised_to is None else Gravity(raised_to),
    )
