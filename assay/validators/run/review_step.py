"""Step of the pipeline that has a model review the change."""

from __future__ import annotations

from assay.llm import LanguageModel
from assay.validators.progress import Progress
from assay.validators.report.model import Tier
from assay.validators.review.review_change import ReviewedChange, ReviewRequest, review_change
from assay.validators.wording import plural

_STEP = "review by a model"


def review_step(request: ReviewRequest, model: LanguageModel | None, progress: Progress) -> ReviewedChange:
    """Return the results of the tiers with those of the review; without a model, as they are."""
    if model is None:
        return ReviewedChange(request.quality, request.risk, None)
    progress.began(Tier.quality, _STEP)
    reviewed = review_change(request, model)
    count = reviewed.review.num_claims if reviewed.review is not None else 0
    progress.ended(Tier.quality, _STEP, plural(count, "claim"))
    return reviewed
