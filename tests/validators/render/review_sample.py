"""A model's review to render."""

from __future__ import annotations

from assay.validators.report.review import (
    Demonstration,
    DroppedClaims,
    Fate,
    ModelReview,
    QuotedLines,
    ResolvedFinding,
    ReviewedPlace,
    Side,
)


def model_review() -> ModelReview:
    """A review of nine claims, one of which a test demonstrates."""
    return ModelReview(
        model="claude-opus-5-5",
        prompts=("correctness v1 0a1b2c3d4e5f", "refute v1 f5e4d3c2b1a0"),
        num_calls=14,
        num_tokens_in=130_000,
        num_tokens_cached=97_500,
        num_tokens_out=9_000,
        cost_usd=0.63,
        num_claims=9,
        places=(
            ReviewedPlace(
                "0123456789ab",
                "upload",
                "for attempt in range(4):",
                QuotedLines(Side.head, "upload.py", "for attempt in range(4):"),
                "0123456789abcdef",
                is_carried=True,
            ),
        ),
        resolved=(ResolvedFinding("ba9876543210", Fate.edited),),
        dropped=(DroppedClaims("refuted", 6), DroppedClaims("quote_missing", 2)),
        demonstrations=(
            Demonstration(
                "0123456789ab",
                "tests/test_upload_tries.py",
                "def test_three_tries():\n    assert upload().tries == 3\n",
                ("E       assert 4 == 3",),
            ),
        ),
        unknowns=("Whether a server counts the tries too",),
        stopped="the budget of $1.00 is used up",
    )
