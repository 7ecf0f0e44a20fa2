"""Step of the pipeline that has a model review the change."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.validators.changes.change import ChangeSet
from assay.validators.configuration.model import ValidationConfig
from assay.validators.errors import CouldNotRun
from assay.validators.graph.import_graph import Graphs
from assay.validators.report.model import QualityResult, RiskAssessment, Tier, ToolsResult
from assay.validators.report.unknown import NotChecked
from assay.validators.review.review_change import ReviewedChange, ReviewRequest, review_change
from assay.validators.tools.trials import open_trials
from assay.validators.wording import plural

if TYPE_CHECKING:
    from assay.validators.run.pipeline import Options

_STEP = "review by a model"


def review_step(
    change: ChangeSet,
    config: ValidationConfig,
    graphs: Graphs,
    results: tuple[ToolsResult | None, QualityResult | None, RiskAssessment | None],
    options: Options,
) -> ReviewedChange:
    """Return the results of the tiers with those of the review by the options' model."""
    tools, quality, risk = results
    if options.model is None:
        return ReviewedChange(quality, risk, None)
    request = ReviewRequest(
        change,
        config,
        graphs,
        tools,
        quality,
        risk,
        rules=options.learned_rules,
        earlier=options.earlier,
        max_usd=min(config.tier2.review.max_usd, options.review_usd),
    )
    options.progress.began(Tier.quality, _STEP)
    with ExitStack() as opened:
        notes: tuple[NotChecked, ...] = ()
        if config.tier2.review.demonstrate:
            try:
                for_tests = _configuration_of_tests(config, options)
                trials = opened.enter_context(open_trials(change, for_tests, options.progress))
                request = replace(request, trials=trials)
            except CouldNotRun as error:
                notes = (NotChecked("demonstration of findings", str(error)),)
        reviewed = review_change(request, options.model)
    count = reviewed.review.num_claims if reviewed.review is not None else 0
    options.progress.ended(Tier.quality, _STEP, plural(count, "claim"))
    return replace(reviewed, not_checked=(*notes, *reviewed.not_checked))


def _configuration_of_tests(config: ValidationConfig, options: Options) -> ValidationConfig:
    """Return the configuration that tests of the model run by. Raises `CouldNotRun` where no command may run."""
    runs_commands = Tier.tools in options.tiers and config.tier1.enabled
    if not runs_commands or options.for_tests is None:
        raise CouldNotRun("commands of the repository do not run here")
    return options.for_tests(config)
