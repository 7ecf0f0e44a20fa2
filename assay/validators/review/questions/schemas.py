"""Schema of each question's answer.

Limits of length and number are checked by `checking` too: a service does not enforce them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.validators.report.review import ReviewQuestion, Side
from assay.validators.review.claims import Consequence

MOST_CLAIMS = 12
"""Maximum claims of one answer; further ones are dropped."""
MOST_EVIDENCE = 8
MOST_TEXT = 600
"""Maximum characters of a statement or a detail."""
MOST_QUOTE = 2_000
DETAILS: Mapping[ReviewQuestion, tuple[str, ...]] = {
    ReviewQuestion.correctness: ("input", "expected", "actual"),
    ReviewQuestion.contract: ("left_behind", "what_breaks"),
    ReviewQuestion.security: ("input", "path", "effect"),
    ReviewQuestion.design: ("what_breaks",),
}
"""ReviewQuestion -> the texts that each of its claims has, all required."""
ASPECTS: Mapping[ReviewQuestion, tuple[str, ...]] = {
    ReviewQuestion.correctness: ("behaviour", "error_handling", "concurrency", "resources"),
    ReviewQuestion.contract: ("caller", "test", "document", "migration", "configuration"),
    ReviewQuestion.security: ("injection", "authorization", "secrets", "validation", "cryptography"),
    ReviewQuestion.design: ("responsibility", "interface", "direction", "pattern", "naming", "placement"),
}
"""ReviewQuestion -> the kinds of its claims."""
LEAST_EVIDENCE: Mapping[ReviewQuestion, int] = {
    ReviewQuestion.correctness: 0,
    ReviewQuestion.contract: 1,
    ReviewQuestion.security: 1,
    ReviewQuestion.design: 3,
}
"""ReviewQuestion -> the minimum of places quoted as evidence; of design they are the siblings that do otherwise."""


def _object(properties: Mapping[str, Any], optional: Sequence[str] = ()) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "additionalProperties": False, "required": required, "properties": dict(properties)}


PLACE = _object(
    {
        "side": {"type": "string", "enum": [str(side) for side in Side]},
        "path": {"type": "string"},
        "quote": {"type": "string", "description": "Whole lines of the file, copied exactly."},
    }
)
_FIX = _object(
    {
        "old": {"type": "string", "description": "Whole lines of the head's file, copied exactly."},
        "new": {"type": "string", "description": "The lines that replace them."},
    }
)


RULES: Mapping[str, Any] = _object(
    {
        "findings": {
            "type": "array",
            "items": _object({"rule": {"type": "integer"}, "place": PLACE, "why": {"type": "string"}}),
        }
    }
)
"""Schema of the answer about rules in words."""


def schema_of(question: ReviewQuestion) -> dict[str, Any]:
    """Return the JSON Schema of the question's answer."""
    texts = {name: {"type": "string"} for name in ("statement", *DETAILS[question])}
    claim = _object(
        {
            "aspect": {"type": "string", "enum": list(ASPECTS[question])},
            "place": PLACE,
            **texts,
            "consequence": {"type": "string", "enum": [str(one) for one in Consequence]},
            "evidence": {"type": "array", "items": PLACE},
            "fix": {"anyOf": [_FIX, {"type": "null"}]},
        }
    )
    return _object({"findings": {"type": "array", "items": claim}})
