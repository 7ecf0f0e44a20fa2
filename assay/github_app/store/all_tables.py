"""All tables, for the migrations and the documentation test; each group's file defines its own."""

from __future__ import annotations

from assay.github_app.store.app import alerts, api_tokens, deliveries, installations, leases, memory_runs, sessions
from assay.github_app.store.database.columns import METADATA
from assay.github_app.store.pulls import changed_lines, checks, outcomes, published, reverts
from assay.github_app.store.queries import syncs
from assay.github_app.store.runs import cycles, holds, waivers
from assay.github_app.store.tables import insight_tables, pull_tables, review_tables, rules_tables, run_tables
from assay.github_app.store.tasks import evaluations, experiments, prompt_versions, task_events, tasks, traces

HOMES = (
    alerts,
    api_tokens,
    changed_lines,
    checks,
    cycles,
    deliveries,
    evaluations,
    experiments,
    holds,
    insight_tables,
    installations,
    leases,
    memory_runs,
    outcomes,
    prompt_versions,
    published,
    pull_tables,
    reverts,
    review_tables,
    rules_tables,
    run_tables,
    sessions,
    syncs,
    task_events,
    tasks,
    traces,
    waivers,
)
"""Modules that define tables; importing them fills `METADATA`."""

__all__ = ["HOMES", "METADATA"]
