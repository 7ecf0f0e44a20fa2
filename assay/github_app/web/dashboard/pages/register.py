"""Register of `PAGES`; the order is meaningful."""

from __future__ import annotations

from assay.github_app.web.dashboard.pages import (
    agents,
    experiment,
    experiments,
    failures,
    feedback,
    jobs,
    lift,
    memory,
    metrics,
    overview,
    prompt_version,
    prompts,
    pull,
    repeats,
    risk,
    rule,
    rules,
)
from assay.github_app.web.dashboard.pages.page import Page

PAGES: tuple[Page, ...] = (
    overview.PAGE,
    jobs.PAGE,
    pull.PAGE,
    risk.PAGE,
    lift.PAGE,
    metrics.PAGE,
    memory.PAGE,
    agents.PAGE,
    prompts.PAGE,
    prompt_version.PAGE,
    experiments.PAGE,
    experiment.PAGE,
    rules.PAGE,
    rule.PAGE,
    repeats.PAGE,
    failures.PAGE,
    feedback.PAGE,
)
"""All pages; those with a label are in the menu."""
