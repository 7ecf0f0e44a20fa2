"""Step of the pipeline that has a model review the change."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace

from assay.llm import LanguageModel
from assay.validators.configuration.model import ValidationConfig
from assay.validators.errors import CouldNotRun
from assay.validators.progress import Progress
from assay.validators.report.model import NotChecked, Tier
from assay.validators.review.review_change import ReviewedChange, ReviewRequest, review_change
from assay.validators.tools.trials import Trials, open_trials
from assay.validators.wording import plural

_STEP = "review by a model"


def review_step(
    request: ReviewRequest, model: LanguageModel | None, progress: Progress, for_tests: ValidationConfig | None
) -> ReviewedChange:
    """Return the results of the tiers with those of the review; without a model, as they are.

    `for_tests` is the configuration that tests of the model run by; None where no command may run.
    """
    if model is None:
        return ReviewedChange(request.quality, request.risk, None)
    progress.began(Tier.quality, _STEP)
    with ExitStack() as opened:
        notes: tuple[NotChecked, ...] = ()
        if request.config.tier2.review.demonstrate:
            try:
                request = replace(request, trials=_trials(request, for_tests, progress, opened))
            except CouldNotRun as error:
                notes = (NotChecked("demonstration of findings", str(error)),)
        reviewed = review_change(request, model)
    count = reviewed.review.num_claims if reviewed.review is not None else 0
    progress.ended(Tier.quality, _STEP, plural(count, "claim"))
    return replace(reviewed, not_checked=(*notes, *reviewed.not_checked))


def _trials(request: ReviewRequest, config: ValidationConfig | None, progress: Progress, opened: ExitStack) -> Trials:
    """Open the trees that tests run in. Raises `CouldNotRun` where no command may run."""
    if config is None:
        raise CouldNotRun("commands of the repository do not run here")
    return opened.enter_context(open_trials(request.change, config, progress))
