"""Register of `PAGES`; the order is that of the menu."""

from __future__ import annotations

from assay.github_app.web.dashboard.pages import (
    attention,
    experiments,
    insight,
    memory,
    metrics,
    overview,
    prompt_version,
    pull,
    risk,
    rule,
    rules,
    tasks,
)
from assay.github_app.web.dashboard.pages.page import Page

PAGES: tuple[Page, ...] = (
    overview.PAGE,
    attention.PAGE,
    pull.PAGE,
    risk.PAGE,
    metrics.PAGE,
    prompt_version.PAGE,
    experiments.PAGE,
    rules.PAGE,
    rule.PAGE,
    tasks.PAGE,
    insight.PAGE,
    memory.PAGE,
)
"""All pages; those with a label are in the menu."""
