"""Schema of each question's answer.

Limits of length and number are checked by `checking` too: a service does not enforce them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.validators.review.claims import Consequence, Question, Side

MOST_CLAIMS = 12
"""Maximum claims of one answer; further ones are dropped."""
MOST_EVIDENCE = 8
MOST_TEXT = 600
"""Maximum characters of a statement or a detail."""
MOST_QUOTE = 2_000
DETAILS: Mapping[Question, tuple[str, ...]] = {
    Question.correctness: ("input", "expected", "actual"),
    Question.contract: ("left_behind", "what_breaks"),
    Question.security: ("input", "path", "effect"),
    Question.design: ("what_breaks",),
}
"""Question -> the texts that each of its claims has, all required."""
ASPECTS: Mapping[Question, tuple[str, ...]] = {
    Question.correctness: ("behaviour", "error_handling", "concurrency", "resources"),
    Question.contract: ("caller", "test", "document", "migration", "configuration"),
    Question.security: ("injection", "authorization", "secrets", "validation", "cryptography"),
    Question.design: ("responsibility", "interface", "direction", "pattern", "naming", "placement"),
}
"""Question -> the kinds of its claims."""
LEAST_EVIDENCE: Mapping[Question, int] = {
    Question.correctness: 0,
    Question.contract: 1,
    Question.security: 1,
    Question.design: 3,
}
"""Question -> the minimum of places quoted as evidence; of design they are the siblings that do otherwise."""


def _object(properties: Mapping[str, Any], optional: Sequence[str] = ()) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "additionalProperties": False, "required": required, "properties": dict(properties)}


_PLACE = _object(
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


def schema_of(question: Question) -> dict[str, Any]:
    """Return the JSON Schema of the question's answer."""
    texts = {name: {"type": "string"} for name in ("statement", *DETAILS[question])}
    claim = _object(
        {
            "aspect": {"type": "string", "enum": list(ASPECTS[question])},
            "place": _PLACE,
            **texts,
            "consequence": {"type": "string", "enum": [str(one) for one in Consequence]},
            "evidence": {"type": "array", "items": _PLACE},
            "fix": {"anyOf": [_FIX, {"type": "null"}]},
        }
    )
    return _object({"findings": {"type": "array", "items": claim}})
