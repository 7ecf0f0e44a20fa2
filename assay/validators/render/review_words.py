"""Report texts on the review by a language model: what it cost, and what became of its claims."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.report.model import ValidationReport
from assay.validators.report.review import ModelReview, is_by_model
from assay.validators.wording import plural

_REASONS = {"dismissed": "held back, like three that were dismissed"}


def review_lines(report: ValidationReport) -> Iterator[str]:
    """Yield what the review cost, what became of the claims, which prompts it used and its open questions."""
    review = report.review
    if review is None:
        return
    yield f"{review.model}: {_cost(review)}"
    num_carried = sum(one.is_carried for one in review.places)
    num_reported = sum(map(is_by_model, report.findings))
    yield _claims(review, max(0, num_reported - num_carried))
    if num_carried or review.resolved:
        yield f"Of earlier pushes: {num_carried} still there, {len(review.resolved)} resolved"
    if review.stopped is not None:
        yield f"Ended early: {review.stopped}"
    for unknown in review.unknowns:
        yield f"Open: {unknown}"
    if review.prompts:
        yield f"Prompts: {', '.join(review.prompts)}"


def _cost(review: ModelReview) -> str:
    cached = round(100 * review.num_tokens_cached / review.num_tokens_in) if review.num_tokens_in else 0
    parts = [
        plural(review.num_calls, "call"),
        f"{review.num_tokens_in} tokens in ({cached} % cached)",
        f"{review.num_tokens_out} out",
        "price unknown" if review.cost_usd is None else f"${review.cost_usd:.2f}",
    ]
    return ", ".join(parts)


def _claims(review: ModelReview, num_reported: int) -> str:
    if not review.num_claims:
        return "No claims"
    dropped = [f"{one.count} {_REASONS.get(one.reason, one.reason.replace('_', ' '))}" for one in review.dropped]
    why = f"; dropped: {', '.join(dropped)}" if dropped else ""
    return f"{plural(review.num_claims, 'claim')}, {num_reported} reported{why}"
